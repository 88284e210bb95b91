"""Codewords for classes: a tree over the classes, so that those that look alike share symbols."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.spec import CodeSpec


def class_codewords(means: NDArray[np.floating], spec: CodeSpec, rng: np.random.Generator) -> NDArray[np.int64]:
    """A codeword for each class, (classes, d).

    The classes are cut into k groups of equal size along the direction in which their means differ most,
    each group again, and so on; the path to a class is its codeword. A tree ends when every class is
    alone, and the positions left hold further trees, each over its own random view of the means. Classes
    share a codeword only if there are more of them than codewords, and then with their like.

    Parameters
    ----------
    means : ndarray of shape (classes, features)
        What describes each class, such as its mean class scores: classes that are confused lie near.
    spec : CodeSpec
    rng : numpy.random.Generator
        Orders the symbols, and draws the views of the later trees.
    """
    if means.ndim != 2 or means.size == 0 or not np.isfinite(means).all():
        raise InputError(f"expected finite class means of shape (classes, features); got shape {means.shape}")
    means = means.astype(np.float64)
    depth = _depth(len(means), spec.k)
    words = np.empty((len(means), spec.d), dtype=np.int64)
    view = means - means.mean(0)
    for start in range(0, spec.d, depth):
        positions = min(depth, spec.d - start)
        words[:, start : start + positions] = _paths(view, spec.k, positions, rng)
        view = means @ rng.normal(size=(means.shape[1], means.shape[1]))
    return words


def _depth(classes: int, k: int) -> int:
    """How many symbols tell all classes apart."""
    depth = 1
    while k**depth < classes:
        depth += 1
    return depth


def _paths(view: NDArray[np.floating], k: int, positions: int, rng: np.random.Generator) -> NDArray[np.int64]:
    paths = np.zeros((len(view), positions), dtype=np.int64)
    groups = [np.arange(len(view))]
    for position in range(positions):
        parts: list[NDArray[np.int64]] = []
        for group in groups:
            symbols = rng.permutation(k)
            for symbol, part in zip(symbols, np.array_split(_along_main_axis(view, group), k), strict=True):
                paths[part, position] = symbol
                if len(part):
                    parts.append(part)
        groups = parts
    return paths


def _along_main_axis(view: NDArray[np.floating], group: NDArray[np.int64]) -> NDArray[np.int64]:
    """The group's classes in order of their first principal component."""
    if len(group) < 3:
        return group
    centred = view[group] - view[group].mean(0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    axis *= np.sign(axis[np.abs(axis).argmax()])
    return group[np.argsort(centred @ axis, kind="stable")]
