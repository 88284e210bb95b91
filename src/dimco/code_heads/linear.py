"""Heads that are plain layers: the paper's factored linear one, and one with a hidden layer."""

from __future__ import annotations

from torch import nn

from dimco.code_heads.base import CodeHead
from dimco.spec import CodeSpec


class LinearHead(CodeHead):
    """The paper's factored layer R^D -> R^hidden -> R^(k x d), hidden = 128, with no nonlinearity between."""

    def __init__(self, features: int, spec: CodeSpec, hidden: int = 128) -> None:
        layers = nn.Sequential(nn.Linear(features, hidden, bias=False), nn.Linear(hidden, spec.k * spec.d))
        super().__init__(features, spec, layers, hidden=hidden)


class MLPHead(CodeHead):
    """One hidden layer with batch norm, ReLU and dropout."""

    def __init__(self, features: int, spec: CodeSpec, hidden: int = 512, dropout: float = 0.2) -> None:
        layers = nn.Sequential(
            nn.Linear(features, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, spec.k * spec.d),
        )
        super().__init__(features, spec, layers, hidden=hidden, dropout=dropout)
