"""What a code is trained for: objectives as modules, `forward(logits, labels)` -> the loss and its parts by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError
from dimco.information import (
    Direction,
    code_entropy,
    conditional_entropy,
    entropy,
    pairwise_dependence,
)
from dimco.joint import joint_class_means
from dimco.ranks import ALONE, Ranks
from dimco.spec import CodeSpec

Reduction = Literal["position", "mean", "sum"]

_ALL_PAIRS_LIMIT = 1024


class InfomaxOutput(NamedTuple):
    """Parts of `Infomax`, in nats: total = -information + independence * dependence."""

    total: Tensor
    information: Tensor
    code_entropy: Tensor
    conditional_entropy: Tensor
    dependence: Tensor


class DecoderOutput(NamedTuple):
    """Parts of `DecoderInfomax` and `ClassInfomax`, in nats: information = label_entropy - cross_entropy.

    Without label smoothing total = -information.
    """

    total: Tensor
    information: Tensor
    label_entropy: Tensor
    cross_entropy: Tensor


class Objective(Protocol):
    """What the training loop asks of an objective; it is an `nn.Module` as well.

    One to which only the equality of labels matters may say so by `needs_class_ids = False`; the loop is then free to
    number the classes of a batch anew. One that several processes can train together has an attribute `ranks`, which
    the loop sets, and makes its sums over the batch with it.
    """

    def __call__(
        self, logits: Tensor, labels: Tensor, generator: torch.Generator | None = None
    ) -> InfomaxOutput | DecoderOutput: ...


class Infomax(nn.Module):
    """The paper's loss (eq. 12): -I(X; Y) + independence * L_ind.

    Needs no support/query split, and trains with one example a class.

    Parameters
    ----------
    independence : float, default=1.0
        The paper's lambda.
    pairs : int or "auto", default="auto"
        Pairs of positions drawn at each step. "auto" takes all pairs while k * d is at most 1,024 (one
        matrix product) and draws d of them beyond.
    reduction : {"position", "mean", "sum"}, default="position"
        How the pairs' divergences (eq. 11) become one number. "mean" is their mean over the pairs taken;
        "position" is d times that mean, each position's mean dependence on the others summed over
        positions, which keeps the term on the scale of I(X; Y), itself a sum over positions, whatever
        d; "sum" is d (d - 1) / 2 times the mean, the sum over all pairs.
    direction : {"joint", "product", "both"}, default="joint"
        Direction of the divergence, see `dimco.information.pairwise_dependence`.
    group : int, default=1
        How many positions are taken together in I(X; Y). 1 is the paper's sum over positions (eq. 7). Beyond,
        each step draws the positions into groups of this size and sums the information of the groups, each
        over its k**group joint symbols; positions left over are made up for by the mean. With all d together
        it is the information in the whole codeword, exactly, and independence has nothing left to do.

    Notes
    -----
    The sum over positions counts what two positions both tell twice, and does not see what they tell only
    together; where k is small, positions tell little alone, and groups make much better codes.

    Examples
    --------
    >>> logits = torch.zeros(4, 3, 2, requires_grad=True)
    >>> loss = Infomax()(logits, torch.tensor([0, 0, 1, 1]))
    >>> loss.total.backward()
    >>> abs(round(loss.information.item(), 6))
    0.0
    """

    ranks: Ranks = ALONE
    needs_class_ids = False

    def __init__(
        self,
        independence: float = 1.0,
        pairs: int | Literal["auto"] = "auto",
        reduction: Reduction = "position",
        direction: Direction = "joint",
        group: int = 1,
    ) -> None:
        super().__init__()
        if group < 1:
            raise InputError(f"expected groups of at least 1 position; got {group}")
        if reduction not in ("position", "mean", "sum"):
            raise InputError(f'expected reduction "position", "mean" or "sum"; got {reduction!r}')
        if pairs != "auto" and not pairs >= 1:
            raise InputError(f'expected at least 1 pair, or "auto"; got {pairs}')
        self.config = {
            "independence": independence,
            "pairs": pairs,
            "reduction": reduction,
            "direction": direction,
            "group": group,
        }
        self.group = group
        self.independence = independence
        self.pairs = pairs
        self.reduction = reduction
        self.direction: Direction = direction

    def forward(self, logits: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> InfomaxOutput:
        p = logits.float().softmax(-1)
        size = min(self.group, p.shape[1])
        if size == 1:
            marginal = code_entropy(p, self.ranks).sum()
            conditional = conditional_entropy(p, labels, self.ranks).sum()
        else:
            groups = self._groups(p, size, generator)
            marginal, conditional = self._of_groups(*joint_class_means(p, groups, labels, self.ranks))
            all_of_taken = p.shape[1] / groups.numel()
            marginal, conditional = all_of_taken * marginal, all_of_taken * conditional
        information = marginal - conditional
        dependence = self._dependence(p, generator)
        return InfomaxOutput(
            -information + self.independence * dependence, information, marginal, conditional, dependence
        )

    @staticmethod
    def _of_groups(means: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The groups' entropies, and those that are left within classes."""
        return entropy(torch.einsum("c,cgs->gs", weights, means)).sum(), weights @ entropy(means).sum(-1)

    def _groups(self, p: Tensor, size: int, generator: torch.Generator | None) -> Tensor:
        """Positions drawn at random into groups, (number of groups, size); those left over are in none."""
        d = p.shape[1]
        device = p.device if generator is None else generator.device
        order = torch.randperm(d, generator=generator, device=device).to(p.device)
        return order[: d // size * size].view(-1, size)

    def _dependence(self, p: Tensor, generator: torch.Generator | None) -> Tensor:
        _, d, k = p.shape
        if d <= self.group or self.independence == 0:
            return p.new_zeros(())
        pairs = self.pairs
        if pairs == "auto":
            pairs = d * (d - 1) // 2 if k * d <= _ALL_PAIRS_LIMIT else d
        mean = pairwise_dependence(p, pairs, self.direction, generator, self.ranks).mean()
        return mean * {"mean": 1, "position": d, "sum": d * (d - 1) / 2}[self.reduction]


class DecoderInfomax(nn.Module):
    """A lower bound on the information in the whole stored code, by a factorised decoder.

    For any decoder q, I(X; Y) >= H(Y) + E log q(y | x), where H(Y) and E are of the labels' distribution,
    which `prior` has to state. Here q(y | x) is proportional to
    p(y) * prod_i q_i(x_i | y), with one learned table of shape (classes, d, k), and x is the code as it
    will be stored: the argmax of each position, with a straight-through gradient. Unlike the sum of
    per-position informations (eq. 7) this is a true bound, so training cannot gain by repeating itself.

    Parameters
    ----------
    spec : CodeSpec
        The shape of the code.
    classes : int
        Number of classes; labels run from 0 to classes - 1.
    prior : sequence of float, optional
        p(y), the classes' frequencies in the training set; uniform by default. With another prior than the
        labels' own, `information` is no bound.
    label_smoothing : float, default=0.0
        Of the loss alone; `information` stays the bound.

    References
    ----------
    Barber and Agakov, "The IM algorithm: a variational approach to information maximization", 2003.
    """

    log_prior: Tensor
    ranks: Ranks = ALONE

    def __init__(
        self, spec: CodeSpec, classes: int, prior: Sequence[float] | None = None, label_smoothing: float = 0.0
    ) -> None:
        super().__init__()
        self.spec, self.classes = spec, classes
        self.config = {"label_smoothing": _checked_smoothing(label_smoothing)}
        self.table = nn.Parameter(0.5 * torch.randn(classes, spec.d, spec.k))
        self.register_buffer("log_prior", _log_prior(classes, prior))

    def forward(self, logits: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> DecoderOutput:
        expected = (self.spec.d, self.spec.k)
        if logits.shape[1:] != expected:
            raise InputError(f"expected logits of shape (N, {expected[0]}, {expected[1]}); got {tuple(logits.shape)}")
        return _decoded(self.posterior(logits), labels, self.log_prior, self.config["label_smoothing"], self.ranks)

    def posterior(self, logits: Tensor) -> Tensor:
        """log q(y | code) up to a constant of the item, (N, classes)."""
        stored = straight_through(logits.float().softmax(-1))
        evidence = self.table.log_softmax(-1).flatten(1)
        return stored.flatten(1) @ evidence.t() + self.log_prior


class ClassInfomax(nn.Module):
    """The decoder bound for a code of one position whose symbols are the classes: cross-entropy.

    I(X; Y) >= H(Y) + E log p_1[y](x). The paper names cross-entropy as this special case of the infomax
    principle; here it trains the class scores behind `dimco.heads.CodewordHead`.

    Parameters
    ----------
    classes : int
        Number of classes; logits are (N, 1, classes).
    prior : sequence of float, optional
        p(y), the classes' frequencies; uniform by default. It enters H(Y) alone.
    label_smoothing : float, default=0.0
        Of the loss alone; `information` stays the bound.
    """

    log_prior: Tensor
    ranks: Ranks = ALONE

    def __init__(self, classes: int, prior: Sequence[float] | None = None, label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.classes = classes
        self.config = {"label_smoothing": _checked_smoothing(label_smoothing)}
        self.register_buffer("log_prior", _log_prior(classes, prior))

    def forward(self, logits: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> DecoderOutput:
        if logits.shape[1:] != (1, self.classes):
            raise InputError(f"expected logits of shape (N, 1, {self.classes}); got {tuple(logits.shape)}")
        return _decoded(logits[:, 0].float(), labels, self.log_prior, self.config["label_smoothing"], self.ranks)


def _log_prior(classes: int, prior: Sequence[float] | None) -> Tensor:
    if classes < 2:
        raise InputError(f"expected at least 2 classes; got {classes}")
    weights = torch.full((classes,), 1 / classes) if prior is None else torch.tensor(list(prior))
    if weights.shape != (classes,) or not bool((weights > 0).all()):
        raise InputError(f"expected a prior of {classes} positive numbers; got {prior}")
    return (weights / weights.sum()).float().log()


def _checked_smoothing(label_smoothing: float) -> float:
    if not 0 <= label_smoothing < 1:
        raise InputError(f"expected label smoothing from 0 to below 1; got {label_smoothing}")
    return label_smoothing


def _decoded(scores: Tensor, labels: Tensor, log_prior: Tensor, label_smoothing: float, ranks: Ranks) -> DecoderOutput:
    """The parts of the bound from the class scores (N, classes) of a decoder."""
    if labels.device.type == "cpu" and int(labels.max()) >= scores.shape[1]:
        raise InputError(f"expected labels from 0 to {scores.shape[1] - 1}; got {int(labels.max())}")
    cross_entropy = ranks.mean(F.cross_entropy(scores, labels), len(labels))
    label_entropy = entropy(log_prior.exp())
    loss = cross_entropy
    if label_smoothing:
        loss = ranks.mean(F.cross_entropy(scores, labels, label_smoothing=label_smoothing), len(labels))
    return DecoderOutput(loss - label_entropy, label_entropy - cross_entropy, label_entropy, cross_entropy)


def straight_through(p: Tensor) -> Tensor:
    """The one-hot argmax of each position (eq. 3), with the gradient of p."""
    hard = F.one_hot(p.argmax(-1), p.shape[-1]).to(p.dtype)
    return hard + p - p.detach()
