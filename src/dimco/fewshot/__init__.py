"""Few-shot classification by codes: episodes, rules for the support of a class, and `DimcoFewShot`."""

from dimco.fewshot.accuracy import FewShotAccuracy, episode_accuracies, rule_accuracy
from dimco.fewshot.classifier import DimcoFewShot
from dimco.fewshot.episodes import Episodes, draw_episodes
from dimco.fewshot.rules import Rule

__all__ = [
    "DimcoFewShot",
    "Episodes",
    "FewShotAccuracy",
    "Rule",
    "draw_episodes",
    "episode_accuracies",
    "rule_accuracy",
]
