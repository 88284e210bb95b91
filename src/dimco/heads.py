"""Code heads: from D features to logits of shape (N, d, k) (eq. 1, 2)."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from dimco.errors import InputError
from dimco.spec import CodeSpec


class CodeHead(nn.Module):
    """A network from (N, features) to logits (N, d, k); subclasses build `self.layers`.

    Attributes
    ----------
    spec : CodeSpec
    features : int
        Width of the input.
    config : dict
        The arguments that build the head again, as JSON.
    """

    def __init__(self, features: int, spec: CodeSpec, layers: nn.Sequential, **options: Any) -> None:
        super().__init__()
        self.features, self.spec, self.layers = features, spec, layers
        self.config: dict[str, Any] = {"features": features, **options}

    def forward(self, features: Tensor) -> Tensor:
        logits: Tensor = self.layers(features)
        return logits.view(-1, self.spec.d, self.spec.k)


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


HEADS: dict[str, type[CodeHead]] = {"linear": LinearHead, "mlp": MLPHead}


def head_name(head: nn.Module) -> str:
    """The name under which a head is registered."""
    for name, kind in HEADS.items():
        if type(head) is kind:
            return name
    raise InputError(f"expected a head of {', '.join(HEADS)}; got {type(head).__name__}")


def build_head(name: str, spec: CodeSpec, **config: Any) -> CodeHead:
    """The head registered as `name`."""
    if name not in HEADS:
        raise InputError(f"expected a head of {', '.join(HEADS)}; got {name!r}")
    return HEADS[name](spec=spec, **config)
