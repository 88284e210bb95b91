"""CodeHead: what every head is."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

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
