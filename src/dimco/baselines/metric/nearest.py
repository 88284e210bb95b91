"""Few-shot classification by embeddings: the nearest class mean, or the nearest item of the support.

Both have the signature that `dimco.fewshot.accuracy.episode_accuracies` takes.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from dimco.baselines.metric.distances import Similarity, checked_similarity, cosines, squared_distances


def nearest_centroid_scores(
    support: Tensor, labels: Tensor, query: Tensor, ways: int, similarity: Similarity = "cosine"
) -> Tensor:
    """The similarity of each query to the mean of each class's support, (E, Q, ways).

    Parameters
    ----------
    support : Tensor of shape (E, S, F)
        Embeddings of the support of E tasks.
    labels : Tensor of shape (S,), int64
        The class of each item of the support, 0 to ways - 1, each at least once.
    query : Tensor of shape (E, Q, F)
    ways : int
    similarity : {"cosine", "euclidean"}, default="cosine"
        "cosine": items are scaled to length one before the mean is taken. "euclidean": minus the squared distance.
    """
    members = _members(labels, ways).to(support)
    if similarity == "cosine":
        support = torch.nn.functional.normalize(support, dim=-1)
    means = (members / members.sum(0)).t() @ support
    return _similarities(query, means, similarity)


def nearest_item_scores(
    support: Tensor, labels: Tensor, query: Tensor, ways: int, similarity: Similarity = "cosine"
) -> Tensor:
    """The similarity of each query to the nearest item of each class's support, (E, Q, ways).

    Arguments are those of `nearest_centroid_scores`.
    """
    each = _similarities(query, support, similarity)
    others = ~_members(labels, ways).t()
    return each[..., None, :].masked_fill(others, -math.inf).amax(-1)


def _members(labels: Tensor, ways: int) -> Tensor:
    return labels[:, None] == torch.arange(ways, device=labels.device)


def _similarities(query: Tensor, stored: Tensor, similarity: Similarity) -> Tensor:
    checked_similarity(similarity)
    return cosines(query, stored) if similarity == "cosine" else -squared_distances(query, stored)
