"""The measures that are compared: one-shot accuracy in three sizes, Recall@1 and I(X; Y), each a mean over batches."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.fewshot.accuracy import ScoreEpisodes, episode_accuracies
from dimco.fewshot.episodes import Episodes, draw_episodes
from dimco.information import entropy

WAYS = (5, 10, 20)
QUERIES = 15
BATCH_CLASSES, BATCH_ITEMS = 5, 16
_BATCHES_AT_ONCE = 16
MEASURES = (*(f"{ways}way1shot" for ways in WAYS), "recall@1", "information_bits")


def one_shot_tasks(labels: NDArray[np.int64], batches: int) -> dict[int, Episodes]:
    """1-shot tasks by ways, of as many ways as there are classes for."""
    classes = len(np.unique(labels))
    return {ways: draw_episodes(labels, ways, 1, QUERIES, batches) for ways in WAYS if ways <= classes}


def balanced_rows(labels: NDArray[np.int64], batches: int) -> NDArray[np.int64]:
    """Rows of batches of 16 images from each of 5 classes, (batches, 80), class by class."""
    tasks = draw_episodes(labels, BATCH_CLASSES, 1, BATCH_ITEMS - 1, batches, seed=1)
    query = tasks.query.reshape(batches, BATCH_CLASSES, BATCH_ITEMS - 1)
    return np.concatenate([tasks.support[..., None], query], axis=2).reshape(batches, -1)


def measured(
    stored: Tensor, asked: Tensor, p: Tensor, score: ScoreEpisodes, tasks: dict[int, Episodes], rows: NDArray[np.int64]
) -> dict[str, float]:
    """Every measure of one state of a network; accuracies in percent, information in bits.

    Parameters
    ----------
    stored, asked : Tensor of shape (N, ...)
        Every item as support and as query, as `score` takes them.
    p : Tensor of shape (N, d, k)
        The probabilities of the code.
    score : callable
        See `dimco.fewshot.accuracy.episode_accuracies`.
    tasks : dict of int to Episodes
        By ways.
    rows : ndarray of shape (batches, 80)
    """
    found = {
        f"{ways}way1shot": 100 * float(episode_accuracies(stored, asked, score, episodes).mean())
        for ways, episodes in tasks.items()
    }
    found["recall@1"] = 100 * batch_recall(stored, asked, score, rows)
    found["information_bits"] = batch_information(p, rows)
    return {name: round(value, 4) for name, value in found.items()}


def batch_recall(stored: Tensor, asked: Tensor, score: ScoreEpisodes, rows: NDArray[np.int64]) -> float:
    """Recall@1 within each batch, by the method's own similarity; of items that tie as nearest, each counts alike."""
    items = rows.shape[1]
    everyone = torch.arange(items, device=asked.device)
    same = (everyone[:, None] // BATCH_ITEMS) == (everyone // BATCH_ITEMS)
    shares = []
    with torch.inference_mode():
        for batch in torch.from_numpy(rows).to(asked.device).split(_BATCHES_AT_ONCE):
            scores = score(stored[batch], everyone, asked[batch], items)
            scores = scores.masked_fill(torch.eye(items, dtype=torch.bool, device=scores.device), -math.inf)
            nearest = scores == scores.amax(-1, keepdim=True)
            shares.append(((nearest & same).sum(-1) / nearest.sum(-1)).mean(-1))
    return float(torch.cat(shares).mean())


def batch_information(p: Tensor, rows: NDArray[np.int64]) -> float:
    """I(X; Y) in bits as the paper estimates it (eq. 7), mean over batches of equally many items a class."""
    found = []
    with torch.inference_mode():
        for batches in torch.from_numpy(rows).to(p.device).split(_BATCHES_AT_ONCE):
            of_classes = p[batches].unflatten(1, (-1, BATCH_ITEMS)).mean(2)
            found.append((entropy(of_classes.mean(1)) - entropy(of_classes).mean(1)).sum(-1))
    return float(torch.cat(found).mean()) / math.log(2)
