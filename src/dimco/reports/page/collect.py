"""Everything that the report of a model says, measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dimco.codebook import Codebook
from dimco.evaluation import Evaluation, evaluate
from dimco.inputs import check_labels
from dimco.model import CodeModel
from dimco.reports.page.answers import Answers, answers


@dataclass(frozen=True)
class ModelReport:
    """What `report_page` shows.

    Attributes
    ----------
    title : str
    evaluation : Evaluation
    codebook : Codebook
        Of the queries.
    answers : Answers
    model : CodeModel
    query : Any
        Features of the queries.
    images : Any
        Images of the queries, or None.
    facts : dict
        Names of files under `support`, `query` and `model`, and `command`, `versions` and `machine` of the run.
    """

    title: str
    evaluation: Evaluation
    codebook: Codebook
    answers: Answers
    model: CodeModel
    query: Any
    images: Any
    facts: dict[str, Any]


def collect_report(
    model: CodeModel,
    support: tuple[Any, Any],
    query: tuple[Any, Any],
    *,
    title: str,
    neighbours: int = 200,
    images: Any | None = None,
    facts: dict[str, Any] | None = None,
) -> ModelReport:
    """Evaluate a model and look into its code on the queries.

    Parameters
    ----------
    model : CodeModel
    support, query : (features, labels)
    title : str
    neighbours : int, default=200
        Stored items that vote.
    images : anything indexed by query, optional
    facts : dict, optional
        What is known about the run, see `ModelReport`; what is missing is left out of the card.
    """
    evaluation = evaluate(model, support, query, neighbours)
    stored, asked = (check_labels(labels, len(x)) for x, labels in (support, query))
    found = answers(model, (support[0], stored), (query[0], asked), neighbours)
    codebook = Codebook(model, query[0], np.asarray(found.names)[found.truth])
    return ModelReport(title, evaluation, codebook, found, model, query[0], images, dict(facts or {}))
