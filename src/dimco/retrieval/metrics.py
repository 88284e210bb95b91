"""Metrics of retrieval: Recall@K, MAP@R and NMI, with ties counted by expectation.

Codes tie massively. Every metric of a ranked list is its expectation when items of equal score stand in random
order, computed exactly, so that the order in which items are stored decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from dimco.errors import InputError
from dimco.information import entropy
from dimco.kmeans import kmeans, nearest
from dimco.randomness import seeded
from dimco.retrieval.ties import tie_groups

RANKS = (1, 2, 4, 8)
_QUERIES_AT_ONCE = 256


class RetrievalMetrics(NamedTuple):
    """Means over queries, from 0 to 1: `recall` by rank, and `map_at_r`."""

    recall: dict[int, float]
    map_at_r: float


def retrieval_metrics(
    scores: Tensor | Iterable[Tensor],
    query_labels: ArrayLike,
    stored_labels: ArrayLike,
    ranks: Sequence[int] = RANKS,
    own: ArrayLike | None = None,
) -> RetrievalMetrics:
    """`recall_at` and `mean_average_precision_at_r` in one pass over the scores, on whatever device they are.

    Parameters
    ----------
    scores : Tensor of shape (Q, N), or an iterable of blocks of its rows in order
        Higher is nearer. Blocks let the scores of a large collection be computed a few queries at a time.
    query_labels : array of shape (Q,), integer
    stored_labels : array of shape (N,), integer
    ranks : sequence of int
    own : array of shape (Q,), optional
        The stored item that is the query itself: it is left out of the query's list, by its index, wherever it
        ranks. (With duplicates, leaving out the first of the list would be wrong.)

    Notes
    -----
    Queries whose label no other stored item has are left out: nothing could answer them.
    """
    if not ranks or min(ranks) < 1:
        raise InputError(f"expected ranks of at least 1; got {tuple(ranks)}")
    asked, stored = torch.as_tensor(query_labels).long(), torch.as_tensor(stored_labels).long()
    left_out = None if own is None else torch.as_tensor(own).long()
    if left_out is not None and left_out.shape != asked.shape:
        raise InputError(f"expected the own index of each of {len(asked)} queries; got shape {tuple(left_out.shape)}")
    recalls = torch.zeros(len(ranks), dtype=torch.float64)
    precision, counted, start = 0.0, 0, 0
    for block in _blocks(scores):
        rows = slice(start, start + len(block))
        if block.ndim != 2 or block.shape[1] != len(stored) or rows.stop > len(asked):
            raise InputError(
                f"expected scores of {len(asked)} queries by {len(stored)} items; got a block of "
                f"{tuple(block.shape)} after {start} queries"
            )
        mine = None if left_out is None else left_out[rows].to(block.device)
        found, precisions = _of_block(block, asked[rows], stored, ranks, mine)
        recalls += found.sum(1).cpu()
        precision += float(precisions.sum())
        counted += len(precisions)
        start = rows.stop
    if start != len(asked):
        raise InputError(f"expected scores of {len(asked)} queries; got {start}")
    if not counted:
        raise InputError("expected at least one query with another stored item of its label; got none")
    return RetrievalMetrics(dict(zip(ranks, (recalls / counted).tolist(), strict=True)), precision / counted)


def recall_at(
    scores: Tensor | Iterable[Tensor],
    query_labels: ArrayLike,
    stored_labels: ArrayLike,
    ranks: Sequence[int] = RANKS,
    own: ArrayLike | None = None,
) -> dict[int, float]:
    """Recall@K: the share of queries with an item of their label among the first K; see `retrieval_metrics`.

    Examples
    --------
    >>> scores = torch.tensor([[0.9, 0.5, 0.5]])
    >>> recall_at(scores, [0], [1, 0, 1], ranks=(1, 2, 3))
    {1: 0.0, 2: 0.5, 3: 1.0}
    """
    return retrieval_metrics(scores, query_labels, stored_labels, ranks, own).recall


def mean_average_precision_at_r(
    scores: Tensor | Iterable[Tensor], query_labels: ArrayLike, stored_labels: ArrayLike, own: ArrayLike | None = None
) -> float:
    """MAP@R: with R items to find, the mean over the first R places of the precision at each right one.

    References
    ----------
    Musgrave, Belongie, Lim, "A metric learning reality check", ECCV 2020 (arXiv 2003.08505).
    """
    return retrieval_metrics(scores, query_labels, stored_labels, (1,), own).map_at_r


def normalized_mutual_information(
    items: Tensor, labels: ArrayLike, clusters: int | None = None, seed: int = 0, restarts: int = 3
) -> float:
    """NMI of k-means clusters and labels: their mutual information over the mean of their entropies.

    Parameters
    ----------
    items : Tensor of shape (N, width)
        Embeddings, or what stands for codes: log probabilities side by side, decoded vectors.
    labels : array of shape (N,), integer
    clusters : int, optional
        As many as labels by default.
    seed : int, default=0
    restarts : int, default=3
        k-means from so many starts; the one with the least error counts.
    """
    truth = torch.as_tensor(labels).long().cpu()
    if items.ndim != 2 or truth.shape != (len(items),):
        raise InputError(f"expected items (N, width) and N labels; got {tuple(items.shape)} and {tuple(truth.shape)}")
    wanted = len(truth.unique()) if clusters is None else clusters
    best: tuple[float, Tensor] | None = None
    for start in range(restarts):
        with seeded(seed, "clusters", start) as drawn:
            centroids = kmeans(items.float(), wanted, drawn).centroids
        members = nearest(items.float(), centroids)
        error = float((items.float() - centroids[members]).square().sum())
        if best is None or error < best[0]:
            best = error, members
    if best is None:
        raise InputError(f"expected at least 1 start of k-means; got {restarts}")
    return shared_information(best[1].cpu(), truth)


def shared_information(left: Tensor, right: Tensor) -> float:
    """Mutual information of two partitions (N,) over the mean of their entropies; 1 if both are a single group."""
    _, a = left.unique(return_inverse=True)
    _, b = right.unique(return_inverse=True)
    table = torch.zeros(int(a.max()) + 1, int(b.max()) + 1, dtype=torch.float64)
    table.index_put_((a, b), torch.ones(len(a), dtype=torch.float64), accumulate=True)
    joint = table / len(a)
    of_left, of_right = entropy(joint.sum(1)), entropy(joint.sum(0))
    information = of_left + of_right - entropy(joint.flatten())
    total = float(of_left + of_right)
    return float(2 * information) / total if total > 0 else 1.0


def _of_block(
    scores: Tensor, asked: Tensor, stored: Tensor, ranks: Sequence[int], own: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Recall (ranks, queries) and average precision (queries,) of the queries that have something to find."""
    device = scores.device
    right = asked.to(device)[:, None] == stored.to(device)[None, :]
    scores = scores if scores.is_floating_point() else scores.double()
    scores = scores.clamp(min=torch.finfo(scores.dtype).min)
    if own is not None:
        scores[torch.arange(len(scores), device=device), own] = -torch.inf
        right[torch.arange(len(scores), device=device), own] = False
    wanted = right.sum(1)
    scores, right, wanted = (values[wanted > 0] for values in (scores, right, wanted))
    if not len(scores):
        return scores.new_zeros(len(ranks), 0), scores.new_zeros(0)
    places = min(max(*ranks, int(wanted.max())), scores.shape[1])
    groups = tie_groups(scores, right, places)
    recalls = torch.stack([groups.hit_by(rank) for rank in ranks])
    within = torch.arange(places, device=device) < wanted[:, None]
    return recalls, (groups.precision_when_right() * within).sum(1) / wanted


def _blocks(scores: Any) -> Iterator[Tensor]:
    if isinstance(scores, Tensor):
        yield from scores.split(_QUERIES_AT_ONCE)
    elif hasattr(scores, "__array__"):
        yield from torch.as_tensor(scores).split(_QUERIES_AT_ONCE)
    else:
        yield from scores
