"""DistanceHead: symbols are centroids, and near ones are likely."""

from __future__ import annotations

import math
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.backbones.power import checked_power, signed_power
from dimco.code_heads.base import CodeHead
from dimco.code_heads.product import product_code, projection_of
from dimco.spec import CodeSpec

_MOST_HIDDEN = 512


class DistanceHead(CodeHead):
    """Logits l_ij = -beta ||z_i - c_ij||^2 of the i-th part of an embedding z to k centroids.

    z is a linear projection of the features, cut into d parts; p_i is the posterior of a mixture of k round
    Gaussians. `from_features` starts it as (optimized) product quantization: the codes are then PQ's, and the
    similarity of eq. 8 is PQ's asymmetric distance times -beta, up to a constant of the query. Training goes on
    from there, and eq. 8 stays an asymmetric distance.

    Unlike a linear head it keeps the geometry of the features, and so what tells apart classes that are not in
    the training set.

    Parameters
    ----------
    features : int
        Width of the input.
    spec : CodeSpec
    hidden : int, optional
        Width of z, rounded up to a multiple of d; by default that of the features, at most 512.
    beta : float, default=1.0
        How sharp the distances are at the start; trained.
    normalized : bool, default=False
        Put z on the sphere of radius sqrt(hidden). Eq. 8 then ranks by the cosine of the query and what the code
        stands for, up to the length of the latter, as losses on angles want it.
    power : float, default=1.0
        Exponent of the size of each feature, which keeps its sign, before the projection. 1/2 makes of the features
        that follow a ReLU, most of them near 0 and few large, ones that distances suit better.

    Attributes
    ----------
    centroids : Tensor of shape (d, k, hidden / d)
    log_beta : Tensor of shape ()

    References
    ----------
    Jégou, Douze, Schmid, "Product quantization for nearest neighbor search", PAMI 2011.

    Examples
    --------
    >>> x = torch.randn(200, 12, generator=torch.Generator().manual_seed(0))
    >>> head = DistanceHead.from_features(x, CodeSpec(k=4, d=3))
    >>> head(x).shape
    torch.Size([200, 3, 4])
    """

    def __init__(
        self,
        features: int,
        spec: CodeSpec,
        hidden: int | None = None,
        beta: float = 1.0,
        normalized: bool = False,
        power: float = 1.0,
    ) -> None:
        wanted = min(features, _MOST_HIDDEN) if hidden is None else hidden
        width = -(-wanted // spec.d) * spec.d
        projection = nn.Linear(features, width)
        nn.init.orthogonal_(projection.weight)
        nn.init.zeros_(projection.bias)
        super().__init__(features, spec, nn.Sequential(projection), hidden=width, normalized=normalized, power=power)
        self.projection, self.normalized, self.power = projection, normalized, checked_power(power)
        self.centroids = nn.Parameter(torch.randn(spec.d, spec.k, width // spec.d))
        self.log_beta = nn.Parameter(torch.tensor(math.log(beta)))

    @classmethod
    def from_features(
        cls,
        x: Tensor,
        spec: CodeSpec,
        hidden: int | None = None,
        rotated: bool = True,
        normalized: bool = False,
        power: float = 1.0,
        whitening: float = 0.0,
        seed: int = 0,
    ) -> Self:
        """The head that is product quantization of the rows of `x`, on their device.

        Parameters
        ----------
        x : Tensor of shape (N, features)
            At least k rows; d must not exceed the features.
        spec : CodeSpec
        hidden : int, optional
            Below the features, z keeps the principal axes alone.
        rotated : bool, default=True
            Learn the rotation of OPQ; without it, PQ of neighbouring features, `hidden` then being the features.
        normalized : bool, default=False
        power : float, default=1.0
        whitening : float, default=0.0
            How far the variances of the principal axes are made equal: 0 leaves them, 1 makes them the same.
        seed : int, default=0
            Of k-means.
        """
        head = cls(x.shape[1], spec, hidden if rotated else x.shape[1], normalized=normalized, power=power).to(x.device)
        with torch.no_grad():
            rows = signed_power(x.float(), power)
            start = projection_of(rows, spec.d, head.projection.out_features, rotated, whitening)
            head.projection.weight.copy_(start.weight)
            head.projection.bias.copy_(start.bias)
        head.quantize(x, rotated, seed)
        return head

    def quantize(self, x: Tensor, rotated: bool = True, seed: int = 0) -> None:
        """Make the centroids, and with `rotated` the axes of z, those of product quantization of the rows of `x`."""
        with torch.no_grad():
            self.fit_centroids(self.embed(x.float()), rotated, seed)

    @torch.no_grad()
    def fit_centroids(self, z: Tensor, rotated: bool = True, seed: int = 0) -> Tensor:
        """`quantize` for embeddings z, which need not be of items: rows between them may stand for unseen classes.

        Gives the rotation, (hidden, hidden): what was z is now z @ rotation, with the distances it had. beta becomes
        1 / (2 s^2), where s^2 is the mean squared distance of a coordinate from its centroid: the Gaussians are as
        wide as the cells.
        """
        found = product_code(z, self.spec, torch.Generator().manual_seed(seed), rotated)
        self.projection.weight.copy_(found.rotation.t() @ self.projection.weight)
        self.projection.bias.copy_(found.rotation.t() @ self.projection.bias)
        self.centroids.copy_(found.centroids)
        self.log_beta.fill_(-math.log(2 * max(found.error, 1e-6)))
        return found.rotation

    def embed(self, features: Tensor) -> Tensor:
        """z, (N, hidden)."""
        z: Tensor = self.projection(signed_power(features, self.power))
        return F.normalize(z.float(), dim=1) * math.sqrt(z.shape[1]) if self.normalized else z

    def forward(self, features: Tensor) -> Tensor:
        return self.logits(self.embed(features))

    def logits(self, z: Tensor) -> Tensor:
        """The logits of embeddings z, (N, d, k), in float32 under mixed precision too: distances are differences."""
        with torch.autocast(z.device.type, enabled=False):
            parts = z.float().view(len(z), self.spec.d, -1).transpose(0, 1)
            products = torch.bmm(parts, self.centroids.transpose(1, 2))
            norms = parts.square().sum(2)[:, :, None] + self.centroids.square().sum(2)[:, None, :]
            return self.log_beta.exp() * (2 * products - norms).transpose(0, 1)

    def decode(self, symbols: Tensor) -> Tensor:
        """The centroids of codes (N, d) side by side, (N, hidden): what a stored code tells about z."""
        chosen: Tensor = self.centroids[torch.arange(self.spec.d, device=symbols.device), symbols.long()]
        return chosen.flatten(1)
