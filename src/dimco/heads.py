"""Code heads: from D features to logits of shape (N, d, k) (eq. 1, 2), and the registry that rebuilds them by name."""

from __future__ import annotations

from typing import Any

from torch import nn

from dimco.code_heads.base import CodeHead
from dimco.code_heads.codeword import CodewordHead
from dimco.code_heads.distance import DistanceHead
from dimco.code_heads.linear import LinearHead, MLPHead
from dimco.errors import InputError
from dimco.spec import CodeSpec

HEADS: dict[str, type[CodeHead]] = {
    "linear": LinearHead,
    "mlp": MLPHead,
    "codeword": CodewordHead,
    "distance": DistanceHead,
}


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


__all__ = [
    "HEADS",
    "CodeHead",
    "CodewordHead",
    "DistanceHead",
    "LinearHead",
    "MLPHead",
    "build_head",
    "head_name",
]
