"""dimco fewshot: new classes from a few examples each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.errors import InputError
from dimco.fewshot import DimcoFewShot, Rule
from dimco.fewshot.rules import RuleName
from dimco.fewshot.sources import Items, load_items
from dimco.metrics import accuracy
from dimco.model import CodeModel
from dimco.training.loop import pick_device

_SHOWN = 20


def fewshot(
    model: options.ModelFile,
    support: Annotated[Path, typer.Option(help="Examples: a folder with a sub-folder for each class, or features.")],
    query: Annotated[Path, typer.Option(help="What to classify: pictures, sub-folders by class, or features.")],
    rule: Annotated[
        RuleName, typer.Option(help="How the examples of a class decide; nearest is the paper's.")
    ] = "mean",
    temperature: Annotated[float, typer.Option(help="Above 1, distributions of symbols count as flatter.")] = 1.0,
    concentration: Annotated[float, typer.Option(help="Weight of the prior over symbols, in examples.")] = 1.0,
    support_labels: Annotated[str | None, typer.Option(help="As --labels of fit, for features.")] = None,
    query_labels: Annotated[str | None, typer.Option(help="As --labels of fit, for features.")] = None,
    device: options.Device = "auto",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Classify queries by a few examples of each class, classes that the model never saw.

    Nothing is trained. With queries sorted by class, or with labels, the accuracy is shown as well.

    Example: dimco fewshot model.safetensors --support examples --query new
    """
    loaded = CodeModel.load(model).to(pick_device(device))
    decided = Rule(rule, concentration, temperature)
    examples = load_items(support, loaded, support_labels)
    classes = examples.known_labels(support)
    asked = load_items(query, loaded, query_labels)
    _check_classes(asked, set(classes.tolist()), query)
    note(f"{len(asked.names):,} queries, {len(classes):,} examples of {len(set(classes.tolist())):,} classes", quiet)
    found = DimcoFewShot(loaded, decided).fit(examples.x, classes).predict(asked.x)
    result: dict[str, Any] = {
        "model": str(model),
        "code": str(loaded.spec),
        "rule": rule,
        "examples": dict(sorted(Counter(classes.tolist()).items())),
        "queries": len(found),
    }
    if asked.labels is not None:
        result["accuracy"] = 100 * accuracy(found, asked.labels)
    answers = dict(zip(asked.names, found.tolist(), strict=True))
    if json:
        result["predictions"] = answers
    else:
        result |= {name: str(found) for name, found in list(answers.items())[:_SHOWN]}
        if len(answers) > _SHOWN:
            result["not shown"] = len(answers) - _SHOWN
    show(result, json)


def _check_classes(asked: Items, known: set[str], query: Path) -> None:
    """Raise `InputError` where queries are of a class without an example: none could be told right."""
    foreign = [] if asked.labels is None else sorted(set(np.unique(asked.labels).tolist()) - known)
    if foreign:
        raise InputError(
            f"expected queries of the {len(known)} classes with examples; {query} has {foreign[0]} as well"
        )
