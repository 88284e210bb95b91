"""Few-shot accuracy of codes by every rule, and of embeddings; what is free in a rule is chosen on validation classes.

A rule's temperature and concentration, and which rule stands for "aggregated", are those that do best on episodes of
the validation classes. Test classes are looked at once, with what was chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.fewshot.accuracy import FewShotAccuracy, ScoreEpisodes, episode_accuracies, rule_accuracy
from dimco.fewshot.episodes import Episodes, draw_episodes
from dimco.fewshot.rules import Rule

WAYS, QUERIES = 5, 15
SHOTS = (1, 5)
PAPER_RULE = "nearest"
_TEMPERATURES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_CONCENTRATIONS = (0.25, 1.0, 4.0)
_QUICK_RULES = (Rule("nearest"), Rule("centroid"))


@dataclass(frozen=True)
class Protocol:
    """How many episodes are drawn of the validation classes, for every choice, and of the test classes."""

    validation: int = 300
    test: int = 1000


def few_shot_episodes(labels: NDArray[np.int64], episodes: int) -> dict[int, Episodes]:
    """The 5-way tasks of a data set, by shots: the same for every method."""
    return {shots: draw_episodes(labels, WAYS, shots, QUERIES, episodes) for shots in SHOTS}


def candidate_rules() -> list[Rule]:
    """Every rule with every setting that is tried; the paper's has none."""
    rules = [Rule("nearest"), Rule("centroid")]
    rules += [Rule("product", 1.0, temperature) for temperature in _TEMPERATURES]
    for name in ("counts", "mean", "match"):
        rules += [Rule(name, c, t) for t in _TEMPERATURES for c in _CONCENTRATIONS]
    return rules


def quick_code_accuracy(log_probs: Tensor, tasks: dict[int, Episodes]) -> float:
    """One number in percent to compare states of a training run by: two plain rules, one and five shots, averaged."""
    values = [rule_accuracy(log_probs, episodes, rule).mean for episodes in tasks.values() for rule in _QUICK_RULES]
    return sum(values) / len(values)


def quick_accuracy(embeddings: Tensor, score: ScoreEpisodes, tasks: dict[int, Episodes]) -> float:
    """The same for embeddings: one and five shots, averaged."""
    found = [embedding_accuracy(embeddings, score, episodes).mean for episodes in tasks.values()]
    return sum(found) / len(found)


def embedding_accuracy(embeddings: Tensor, score: ScoreEpisodes, episodes: Episodes) -> FewShotAccuracy:
    return FewShotAccuracy.of(episode_accuracies(embeddings, embeddings, score, episodes))


def chosen_rules(
    log_probs: Tensor, tasks: dict[int, Episodes], rules: Sequence[Rule] | None = None
) -> dict[int, list[dict[str, Any]]]:
    """For each number of shots, each rule with its best setting: records with the accuracy on these tasks, best first.

    `rules` are those of `candidate_rules` by default; of settings that do equally well, the first is taken.
    """
    chosen: dict[int, list[dict[str, Any]]] = {}
    for shots, episodes in tasks.items():
        best: dict[str, dict[str, Any]] = {}
        for rule in candidate_rules() if rules is None else rules:
            value = rule_accuracy(log_probs, episodes, rule).mean
            if rule.name not in best or value > best[rule.name]["value"]:
                best[rule.name] = {"rule": rule.as_record(), "value": value}
        chosen[shots] = sorted(best.values(), key=lambda record: -record["value"])
    return chosen


def code_records(
    log_probs: Tensor, tasks: dict[int, Episodes], chosen: dict[int, list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """The accuracy of each rule with its chosen setting; `aggregated` marks the best of those past the paper's."""
    records = []
    for shots, episodes in tasks.items():
        past_the_paper = [record["rule"]["name"] for record in chosen[shots] if record["rule"]["name"] != PAPER_RULE]
        for record in chosen[shots]:
            rule = Rule(**record["rule"])
            found = rule_accuracy(log_probs, episodes, rule)
            records.append(
                _record(shots, found)
                | {"rule": rule.name, "temperature": rule.temperature, "concentration": rule.concentration}
                | {"aggregated": rule.name in past_the_paper[:1], "validation": round(record["value"], 3)}
            )
    return records


def embedding_records(
    embeddings: Tensor, score: ScoreEpisodes, tasks: dict[int, Episodes], validation: dict[int, float]
) -> list[dict[str, Any]]:
    """The accuracy of a method of embeddings for each number of shots."""
    found = {shots: embedding_accuracy(embeddings, score, episodes) for shots, episodes in tasks.items()}
    return [_record(shots, one) | {"validation": round(validation[shots], 3)} for shots, one in found.items()]


def mean_validation(records: Iterable[dict[str, Any]]) -> float:
    """One number to compare runs of a method by: the best rule's accuracy on validation classes, mean over shots."""
    best: dict[int, float] = {}
    for record in records:
        best[record["shots"]] = max(best.get(record["shots"], 0.0), record["validation"])
    return sum(best.values()) / len(best)


def _record(shots: int, found: FewShotAccuracy) -> dict[str, Any]:
    return {
        "shots": shots,
        "value": round(found.mean, 3),
        "interval": round(found.interval, 3),
        "episodes": found.episodes,
    }
