"""The accuracy of a method over episodes: its mean with a 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from dimco.errors import InputError
from dimco.fewshot.episodes import Episodes
from dimco.fewshot.rules import Rule

ScoreEpisodes = Callable[[Tensor, Tensor, Tensor, int], Tensor]

_Z95 = 1.959964
_NUMBERS_AT_ONCE = 1 << 25


@dataclass(frozen=True)
class FewShotAccuracy:
    """Accuracy in percent over episodes.

    Attributes
    ----------
    mean : float
    interval : float
        Half the width of the 95 % confidence interval of the mean.
    episodes : int
    """

    mean: float
    interval: float
    episodes: int

    @classmethod
    def of(cls, accuracies: Tensor) -> FewShotAccuracy:
        """From the accuracy of each episode, 0 to 1."""
        percent = 100 * accuracies.double()
        deviation = float(percent.std()) if len(percent) > 1 else math.nan
        return cls(float(percent.mean()), _Z95 * deviation / math.sqrt(len(percent)), len(percent))


def shared_credit(scores: Tensor, truth: Tensor) -> Tensor:
    """1 where the true class alone scores highest, 1/n where n classes tie with it, else 0.

    Parameters
    ----------
    scores : Tensor of shape (..., Q, ways)
    truth : Tensor of shape (Q,), int64

    Returns
    -------
    Tensor of shape (..., Q)
    """
    best = scores == scores.amax(-1, keepdim=True)
    index = truth.expand(scores.shape[:-1]).unsqueeze(-1)
    return best.gather(-1, index).squeeze(-1) / best.sum(-1)


def episode_accuracies(stored: Tensor, asked: Tensor, score: ScoreEpisodes, episodes: Episodes) -> Tensor:
    """The accuracy of each episode, 0 to 1, (E,), on the CPU.

    Parameters
    ----------
    stored, asked : Tensor of shape (N, ...)
        Every item as support and as query; may be one tensor.
    score : callable
        `score(support (E, S, ...), labels (S,), query (E, Q, ...), ways)` -> (E, Q, ways), such as `Rule.scores`.
    episodes : Episodes
    """
    if len(stored) != len(asked) or int(max(episodes.support.max(), episodes.query.max())) >= len(stored):
        raise InputError(f"expected every item the episodes draw; got {len(stored)} stored and {len(asked)} asked")
    device = asked.device
    support, query = (torch.from_numpy(rows).to(device) for rows in (episodes.support, episodes.query))
    labels, truth = (torch.from_numpy(ways).to(device) for ways in (episodes.support_ways, episodes.query_ways))
    numbers = (support.shape[1] + query.shape[1]) * asked[0].numel()
    at_once = max(1, _NUMBERS_AT_ONCE // numbers)
    accuracies = []
    with torch.inference_mode():
        for rows, others in zip(support.split(at_once), query.split(at_once), strict=True):
            found = score(stored[rows], labels, asked[others], episodes.ways)
            accuracies.append(shared_credit(found, truth).mean(-1).cpu())
    return torch.cat(accuracies)


def rule_accuracy(log_probs: Tensor, episodes: Episodes, rule: Rule) -> FewShotAccuracy:
    """The accuracy of a rule on the log probabilities (N, d, k) of all items; on whatever device they are."""
    accuracies = episode_accuracies(rule.stored(log_probs), rule.asked(log_probs), rule.scores, episodes)
    return FewShotAccuracy.of(accuracies)
