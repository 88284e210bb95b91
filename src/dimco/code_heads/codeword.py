"""CodewordHead: class scores, and a codeword for each class."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.code_heads.base import CodeHead
from dimco.code_heads.linear import MLPHead
from dimco.errors import InputError
from dimco.information import safe_log
from dimco.spec import CodeSpec


class CodewordHead(CodeHead):
    """Class scores, and the codewords of the classes: p_i[s] is the probability of the classes whose symbol is s.

    With P(c | x) = softmax(sharpness * scores)[c], p_i[s] = sum of P(c | x) over the classes c whose codeword
    has s at position i. A sharp posterior gives an item the codeword of its likeliest class, and a doubtful
    one the symbols that its likely classes share. This is the smallest code that keeps what the
    scores tell about the known classes; for classes unseen in training take another head.

    Parameters
    ----------
    features : int
        Width of the input.
    spec : CodeSpec
    classes : int
    hidden, dropout
        Of the class scores, see `MLPHead`.
    sharpness : float, default=8.0
        Inverse temperature of the class posterior.

    Attributes
    ----------
    codewords : Tensor of shape (classes, d)
        Set by `assign`.
    """

    codewords: Tensor

    def __init__(
        self,
        features: int,
        spec: CodeSpec,
        classes: int,
        hidden: int = 512,
        dropout: float = 0.2,
        sharpness: float = 8.0,
    ) -> None:
        layers = MLPHead(features, CodeSpec(classes, 1), hidden, dropout).layers
        super().__init__(features, spec, layers, classes=classes, hidden=hidden, dropout=dropout, sharpness=sharpness)
        self.sharpness = sharpness
        self.register_buffer("codewords", torch.zeros(classes, spec.d, dtype=torch.long))

    def assign(self, codewords: NDArray[np.int64]) -> None:
        """Give each class its codeword, (classes, d)."""
        classes = len(self.codewords)
        if codewords.shape != self.codewords.shape:
            raise InputError(f"expected {classes} codewords of {self.spec}, one a class; got shape {codewords.shape}")
        if codewords.min() < 0 or codewords.max() >= self.spec.k:
            found = f"{codewords.min()} to {codewords.max()}"
            raise InputError(f"expected symbols from 0 to {self.spec.k - 1}; got {found}")
        self.codewords.copy_(torch.from_numpy(codewords))

    def forward(self, features: Tensor) -> Tensor:
        posterior = (self.sharpness * self.layers(features).double()).softmax(-1)
        members = F.one_hot(self.codewords, self.spec.k).flatten(1).to(posterior.dtype)
        p: Tensor = posterior @ members
        return safe_log(p).view(-1, self.spec.d, self.spec.k).float()
