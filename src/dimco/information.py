"""Information measures of probabilistic codes: pure functions, in nats, differentiable.

Probabilities `p` have shape (N, d, k): for each of N items, d distributions over k symbols.
Labels have shape (N,) and are integers; any integers will do, only their equality matters.
Every function is finite, with finite gradients, for one-hot probabilities.
Functions that take `ranks` measure the whole batch of which each rank passes its part.

Notes
-----
Equation numbers are those of arXiv 1905.11656v2. The paper's entropy formula lacks the minus sign;
here H(p) = -sum p log p.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from dimco.errors import InputError
from dimco.ranks import ALONE, Ranks

Direction = Literal["joint", "product", "both"]

_SMALLEST_JOINT = 1e-9
MAX_CODEWORDS = 1 << 20


def safe_log(p: Tensor) -> Tensor:
    """log p with log 0 replaced by the log of the smallest normal number, and gradient 0 there."""
    return p.clamp_min(torch.finfo(p.dtype).tiny).log()


def entropy(p: Tensor, dim: int = -1) -> Tensor:
    """H(p) = -sum p log p along `dim`."""
    return -(p * safe_log(p)).sum(dim)


def label_entropy(labels: Tensor) -> Tensor:
    """H(Y) of the labels' own frequencies."""
    counts = torch.unique(labels, return_counts=True)[1]
    return entropy(counts.to(torch.get_default_dtype()) / len(labels))


def class_means(p: Tensor, labels: Tensor, ranks: Ranks = ALONE) -> tuple[Tensor, Tensor]:
    """Mean probabilities of each class that occurs, (C, d, k), and the classes' frequencies, (C,)."""
    _check(p, labels)
    values = ranks.classes(labels)
    one_hot = torch.nn.functional.one_hot(torch.searchsorted(values, labels), len(values)).to(p.dtype)
    counts = ranks.sum(one_hot.sum(0))
    sums = ranks.sum((one_hot.t() @ p.reshape(len(p), -1)).reshape(len(values), *p.shape[1:]))
    return sums / counts[:, None, None], counts / counts.sum()


def code_entropy(p: Tensor, ranks: Ranks = ALONE) -> Tensor:
    """H(X_i) of each position, (d,): the entropy of the batch's mean probabilities (eq. 4, 5)."""
    _check(p)
    return entropy(ranks.mean(p.mean(0), len(p)))


def conditional_entropy(p: Tensor, labels: Tensor, ranks: Ranks = ALONE) -> Tensor:
    """H(X_i | Y) of each position, (d,): the classes' entropies weighted by their frequency (eq. 6)."""
    means, weights = class_means(p, labels, ranks)
    return _weighted_mean(entropy(means), weights)


def mutual_information(p: Tensor, labels: Tensor) -> Tensor:
    """I(X; Y) as the paper estimates it (eq. 7): the sum over positions of H(X_i) - H(X_i | Y).

    Notes
    -----
    The sum of per-position informations is neither an upper nor a lower bound on the information in
    the whole codeword: two copies of one position count twice (the sum can exceed H(Y)), and two
    positions that only together tell the label count as nothing. `joint_information` gives the
    information in the whole codeword where k**d can be enumerated.
    """
    return (code_entropy(p) - conditional_entropy(p, labels)).sum()


def information_of_means(means: Tensor, weights: Tensor) -> Tensor:
    """`mutual_information` (eq. 7) from what `class_means` gives, for data too large to hold at once."""
    return (entropy(_weighted_mean(means, weights)) - _weighted_mean(entropy(means), weights)).sum()


def joint_information(p: Tensor, labels: Tensor, max_codewords: int = MAX_CODEWORDS) -> Tensor:
    """I(X; Y) of the whole codeword, exactly, by enumerating all k**d codewords.

    Given the item, positions are independent: p(codeword | x) = prod_i p_i[codeword_i](x).
    """
    _check(p, labels)
    _, d, k = p.shape
    if k**d > max_codewords:
        raise InputError(f"expected k**d of at most {max_codewords} codewords to enumerate; got {k}**{d}")
    return mutual_information(joint_symbols(p, torch.arange(d, device=p.device)[None]), labels)


def joint_symbols(p: Tensor, groups: Tensor) -> Tensor:
    """Groups of positions as single positions: (N, d, k) -> (N, number of groups, k**size).

    Given the item, positions are independent, so a group's joint symbols have the products of its positions'
    probabilities.

    Parameters
    ----------
    p : Tensor of shape (N, d, k)
    groups : Tensor of shape (number of groups, size), integer
        The positions of each group; the first one varies slowest in the joint symbol.
    """
    joint = p[:, groups[:, 0]]
    for members in groups.t()[1:]:
        joint = (joint[..., None] * p[:, members][..., None, :]).flatten(2)
    return joint


def pairwise_dependence(
    p: Tensor,
    pairs: int | None = None,
    direction: Direction = "joint",
    generator: torch.Generator | None = None,
    ranks: Ranks = ALONE,
) -> Tensor:
    """KL between the joint of two positions and the product of their marginals (eq. 11), one value a pair.

    Parameters
    ----------
    p : Tensor of shape (N, d, k)
    pairs : int, optional
        How many unordered pairs of positions to draw, without repetition; None takes all
        d (d - 1) / 2 in one matrix product.
    direction : {"joint", "product", "both"}
        "joint" is KL(joint || product), the mutual information of the pair; "product" is
        KL(product || joint); "both" is their mean.
    generator : torch.Generator, optional
        Draws the pairs; on several ranks, the same on each.
    ranks : Ranks, optional

    Returns
    -------
    Tensor of shape (pairs,)
    """
    _check(p)
    if pairs is not None and pairs < 1:
        raise InputError(f"expected at least 1 pair of positions; got {pairs}")
    n, d, k = p.shape
    first, second = torch.triu_indices(d, d, 1, device=p.device)
    if pairs is not None and pairs < len(first):
        device = p.device if generator is None else generator.device
        drawn = torch.randperm(len(first), generator=generator, device=device)[:pairs].to(p.device)
        first, second = first[drawn], second[drawn]
        joint = torch.einsum("npa,npb->pab", p[:, first], p[:, second]) / n
    else:
        flat = p.reshape(n, d * k)
        joint = (flat.t() @ flat / n).view(d, k, d, k)[first, :, second, :]
    joint, marginal = ranks.mean(joint, n), ranks.mean(p.mean(0), n)
    product = marginal[first, :, None] * marginal[second, None, :]
    if direction == "joint":
        return _divergence(joint, product)
    if direction == "product":
        return _divergence(product, joint)
    if direction == "both":
        return (_divergence(joint, product) + _divergence(product, joint)) / 2
    raise InputError(f'expected direction "joint", "product" or "both"; got {direction!r}')


def _weighted_mean(values: Tensor, weights: Tensor) -> Tensor:
    """The mean over the first dimension."""
    return (weights @ values.flatten(1)).reshape(values.shape[1:])


def _divergence(p: Tensor, q: Tensor) -> Tensor:
    """KL(p || q) over the last two dimensions; q is floored so that the gradient p / q stays finite."""
    return (p * (safe_log(p) - q.clamp_min(_SMALLEST_JOINT).log())).sum((-2, -1))


def _check(p: Tensor, labels: Tensor | None = None) -> None:
    if p.ndim != 3 or len(p) == 0:
        raise InputError(f"expected probabilities of shape (N, d, k) with N at least 1; got {tuple(p.shape)}")
    if labels is not None and labels.shape != (len(p),):
        raise InputError(f"expected {len(p)} labels, one an item; got shape {tuple(labels.shape)}")
