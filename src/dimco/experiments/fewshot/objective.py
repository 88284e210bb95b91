"""What the few-shot codes are trained for: the paper's loss, the decoder's bound, or both."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError
from dimco.information import entropy, pairwise_dependence, safe_log
from dimco.objectives import DecoderInfomax
from dimco.spec import CodeSpec

_LARGEST_ALL_PAIRS = 1_024
_SMALLEST = 1e-9


class CodeLoss(NamedTuple):
    """Parts of `FewShotObjective` in nats; `information` is the paper's I(X; Y) of the batch (eq. 7)."""

    total: Tensor
    information: Tensor
    dependence: Tensor
    cross_entropy: Tensor


class FewShotObjective(nn.Module):
    """The paper's loss averaged over positions, the decoder's cross-entropy, or a weighted sum of both.

    The same quantities as `dimco.objectives.Infomax` and `DecoderInfomax`, written so that a step never waits for
    the device: classes are counted over all that there are, and pairs of positions are drawn on the device.

    Parameters
    ----------
    spec : CodeSpec
    classes : int
        Classes of the training set.
    infomax, decoder : float
        Weights of the two parts; the first is -I(X; Y) + independence * dependence (eq. 12), divided by d.
    independence : float, default=1.0
        The paper's lambda.
    sharpness : float, default=1.0
        Factor on the logits.
    temperature : float, default=1.0
        Divides the decoder's class scores.
    label_smoothing : float, default=0.0
        Of the cross-entropy.
    """

    def __init__(
        self,
        spec: CodeSpec,
        classes: int,
        infomax: float,
        decoder: float,
        independence: float = 1.0,
        sharpness: float = 1.0,
        temperature: float = 1.0,
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        if not (sharpness > 0 and temperature > 0):
            raise InputError(f"expected a sharpness and a temperature above 0; got {sharpness} and {temperature}")
        self.config = {
            "infomax": infomax,
            "decoder": decoder,
            "independence": independence,
            "sharpness": sharpness,
            "temperature": temperature,
            "label_smoothing": label_smoothing,
        }
        self.spec, self.classes = spec, classes
        self.infomax, self.decoder, self.independence = infomax, decoder, independence
        self.sharpness, self.temperature, self.label_smoothing = sharpness, temperature, label_smoothing
        self.bound = DecoderInfomax(spec, classes) if decoder else None

    def forward(self, logits: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> CodeLoss:
        logits = self.sharpness * logits.float()
        p = logits.softmax(-1)
        information, dependence = class_information(p, labels, self.classes), p.new_zeros(())
        cross_entropy, total = p.new_zeros(()), p.new_zeros(())
        if self.infomax:
            if self.independence and self.spec.d > 1:
                dependence = position_dependence(p, generator)
            total = total + self.infomax * (self.independence * dependence - information) / self.spec.d
        if self.bound is not None:
            scores = self.bound.posterior(logits) / self.temperature
            cross_entropy = F.cross_entropy(scores, labels, label_smoothing=self.label_smoothing)
            total = total + self.decoder * cross_entropy
        return CodeLoss(total, information, dependence, cross_entropy)


def class_information(p: Tensor, labels: Tensor, classes: int) -> Tensor:
    """I(X; Y) of a batch (eq. 7), with labels from 0 to classes - 1, of which any may be absent."""
    members = F.one_hot(labels, classes).to(p.dtype)
    counts = members.sum(0)
    means = (members.t() @ p.flatten(1) / counts.clamp(min=1)[:, None]).view(classes, *p.shape[1:])
    conditional = (counts / len(p)) @ entropy(means)
    return (entropy(p.mean(0)) - conditional).sum()


def position_dependence(p: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """d times the mean divergence (eq. 11) over pairs of positions: all pairs, or d random ones of long codes.

    Random pairs are the neighbours in a ring of all positions in random order; the generator is of the device of `p`.
    """
    _, d, k = p.shape
    if d * k <= _LARGEST_ALL_PAIRS or d < 3:
        return d * pairwise_dependence(p).mean()
    ring = torch.rand(d, device=p.device, generator=generator).argsort()
    first, second = p[:, ring], p[:, ring.roll(1)]
    joint = torch.einsum("npa,npb->pab", first, second) / len(p)
    product = first.mean(0)[:, :, None] * second.mean(0)[:, None, :]
    return (joint * (safe_log(joint) - product.clamp_min(_SMALLEST).log())).sum()
