"""Rules: from the support of each class and a query's distributions to a score for each class.

A rule says what is stored of a support item (its hard code, or its distributions) and how the stored items
of a class become one score. All are sums over positions, so a class is one table lookup a position away.

Notes
-----
p_i[s] is the query's probability of symbol s at position i, c a stored code, and m_i[s] the class's
distribution of symbols: the mean of its stored items, drawn towards a base measure b as if
`concentration` items more had been seen, m = (sum of the items + concentration * b) / (items +
concentration), the posterior mean under a Dirichlet prior. b is how often a symbol occurs over all of the
support, with one uniform item more; it is the same for every class, so a symbol that no class has shown
speaks for none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError
from dimco.information import safe_log

RuleName = Literal["nearest", "product", "counts", "mean", "match", "centroid"]


@dataclass(frozen=True)
class Rule:
    """How the support of a class decides on a query.

    Parameters
    ----------
    name : {"nearest", "product", "counts", "mean", "match", "centroid"}
        "nearest", the paper's: the class of the stored code with the highest sum_i log p_i[c_i].
        "product": that sum, averaged over the stored codes of the class; the product of the symbols' posteriors.
        "counts": sum_i sum_s p_i[s] log m_i[s], the expected log-likelihood of the query's symbols under the
        class's distribution, with m from the symbols' counts in the stored codes.
        "mean": the same with m from the mean of the items' distributions.
        "match": sum_i log sum_s p_i[s] m_i[s], the probability that a draw from the query is a draw from the
        class, with m as in "mean".
        "centroid": "product", and half of how much less the stored items of the class score by each other's codes
        than by their own, on average. Of a distance head, eq. 8 is minus a squared distance, and this minus the
        squared distance to the mean of what the codes stand for: a class that is spread out loses nothing by it.
    concentration : float, default=1.0
        Weight of the Dirichlet prior, in items; "nearest" and "product" have none.
    temperature : float, default=1.0
        Divides the log probabilities before anything else: above 1 the distributions become flatter.
    """

    name: RuleName = "nearest"
    concentration: float = 1.0
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if self.name not in get_args(RuleName):
            raise InputError(f"expected a rule of {', '.join(get_args(RuleName))}; got {self.name!r}")
        for name in ("concentration", "temperature"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(f"expected a {name} above 0; got {getattr(self, name)}")

    @property
    def stores_codes(self) -> bool:
        """Whether hard codes are all that is stored of the support."""
        return self.name in ("nearest", "product", "counts")

    def stored(self, log_probs: Tensor) -> Tensor:
        """What is stored of support items: codes (N, d) (eq. 3), or distributions or their logarithms (N, d, k)."""
        if self.stores_codes:
            return log_probs.argmax(-1)
        flattened = self._flattened(log_probs)
        return flattened if self.name == "centroid" else flattened.exp()

    def asked(self, log_probs: Tensor) -> Tensor:
        """What is known of queries, (N, d, k): log p for the rules that look it up, p for the others."""
        flattened = self._flattened(log_probs)
        return flattened if self.name in ("nearest", "product", "centroid") else flattened.exp()

    def scores(self, stored: Tensor, labels: Tensor, asked: Tensor, ways: int) -> Tensor:
        """The score of each class for each query, (..., Q, ways).

        Parameters
        ----------
        stored : Tensor of shape (..., S, d) or (..., S, d, k)
            As `stored` gives it; any dimensions before, such as episodes.
        labels : Tensor of shape (S,), int64
            The class of each stored item, 0 to ways - 1, each at least once.
        asked : Tensor of shape (..., Q, d, k)
            As `asked` gives it.
        ways : int
        """
        return _SCORES[self.name](stored, labels, asked, ways, self)

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    def _flattened(self, log_probs: Tensor) -> Tensor:
        return log_probs if self.temperature == 1 else (log_probs / self.temperature).log_softmax(-1)


def similarities(codes: Tensor, log_probs: Tensor) -> Tensor:
    """sum_i log p_i[c_i] of every query and stored code (eq. 8), (..., Q, S); equal codes score exactly equal."""
    *batch, queries, d, k = log_probs.shape
    tables = log_probs.flatten(-2).transpose(-1, -2).reshape(-1, queries)
    rows = codes.reshape(-1, codes.shape[-2], d) + torch.arange(d, device=codes.device) * k
    rows = rows + (torch.arange(len(rows), device=codes.device) * d * k)[:, None, None]
    sums = F.embedding_bag(rows.flatten(0, 1), tables, mode="sum")
    return sums.view(*batch, codes.shape[-2], queries).transpose(-1, -2)


def class_distributions(items: Tensor, labels: Tensor, ways: int, concentration: float) -> Tensor:
    """m, (..., ways, d, k): each class's distribution of symbols under the Dirichlet prior.

    `items` (..., S, d, k) are the support's distributions; those of a code are one-hot.
    """
    *batch, _, d, k = items.shape
    members = F.one_hot(labels, ways).to(items.dtype)
    sums = (members.t() @ items.flatten(-2)).view(*batch, ways, d, k)
    base = (sums.sum(-3, keepdim=True) + 1 / k) / (len(labels) + 1)
    counts = members.sum(0)[:, None, None]
    return (sums + concentration * base) / (counts + concentration)


def _nearest(codes: Tensor, labels: Tensor, log_probs: Tensor, ways: int, rule: Rule) -> Tensor:
    each = similarities(codes, log_probs)
    return torch.stack([each[..., labels == way].amax(-1) for way in range(ways)], -1)


def _product(codes: Tensor, labels: Tensor, log_probs: Tensor, ways: int, rule: Rule) -> Tensor:
    members = F.one_hot(labels, ways).to(log_probs.dtype)
    return similarities(codes, log_probs) @ (members / members.sum(0))


def _likelihood(stored: Tensor, labels: Tensor, p: Tensor, ways: int, rule: Rule) -> Tensor:
    items = F.one_hot(stored, p.shape[-1]).to(p.dtype) if rule.stores_codes else stored
    means = class_distributions(items, labels, ways, rule.concentration)
    return p.flatten(-2) @ safe_log(means).flatten(-2).transpose(-1, -2)


def _match(stored: Tensor, labels: Tensor, p: Tensor, ways: int, rule: Rule) -> Tensor:
    means = class_distributions(stored, labels, ways, rule.concentration)
    agreement = p.transpose(-3, -2) @ means.movedim(-3, -1)
    return safe_log(agreement).sum(-3)


def _centroid(stored: Tensor, labels: Tensor, log_probs: Tensor, ways: int, rule: Rule) -> Tensor:
    codes = stored.argmax(-1)
    to_each_other = similarities(codes, stored)
    lost = to_each_other.diagonal(dim1=-2, dim2=-1)[..., None] - to_each_other
    members = F.one_hot(labels, ways).to(log_probs.dtype)
    members = members / members.sum(0)
    spread = ((members.t() @ lost) * members.t()).sum(-1)
    return similarities(codes, log_probs) @ members + spread[..., None, :] / 2


_SCORES: dict[RuleName, Callable[[Tensor, Tensor, Tensor, int, Rule], Tensor]] = {
    "nearest": _nearest,
    "product": _product,
    "counts": _likelihood,
    "mean": _likelihood,
    "match": _match,
    "centroid": _centroid,
}
