"""The files of the demo: results, report, pictures, the kept model, its codes, and the data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.atomic import atomic_path, write_text
from dimco.codes_file import write_codes
from dimco.errors import FileError
from dimco.experiments.demo_methods import CLASSES, NEIGHBOURS, Coded, Digits
from dimco.experiments.provenance import provenance
from dimco.reports.accuracy_plot import accuracy_figure
from dimco.reports.demo_report import demo_report
from dimco.reports.figure import save_figure
from dimco.reports.symbol_plot import symbol_figure
from dimco.search.index import CodeIndex


def make_folder(folder: str | Path) -> Path:
    """The folder, made if it is not there."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {path}: {error.strerror}") from error
    return path


def write_demo(
    folder: Path,
    rows: Sequence[dict[str, Any]],
    search: Sequence[dict[str, Any]],
    learned: Sequence[Coded],
    digits: Digits,
    seed: int,
) -> list[str]:
    """Write everything, each file atomically, and give the names.

    Parameters
    ----------
    folder : Path
    rows, search : sequence of records
    learned : sequence of Coded
        dimco's methods at the kept size, the best first: that one's model and codes are saved.
    digits : Digits
    seed : int
    """
    best = learned[0]
    _write_model(folder, best, digits, seed)
    _write_data(folder / "train.npz", digits.x, digits.y)
    _write_data(folder / "test.npz", digits.query_x, digits.query_y)
    content = {**provenance(f"dimco demo --seed {seed}", seed), "rows": list(rows)}
    write_text(folder / "results.json", json.dumps(content, indent=2) + "\n")
    pictures = _draw(folder, rows, learned, digits)
    facts = {
        "stored": len(digits.y),
        "queries": len(digits.query_y),
        "features": digits.x.shape[1],
        "neighbours": NEIGHBOURS,
        "seed": seed,
        "kept": best.method,
        "bits": best.codes.spec.bits,
        "code": str(best.codes.spec),
    }
    write_text(folder / "report.md", demo_report(rows, search, facts, pictures))
    models = ["model.safetensors", "codes.safetensors", "digits.index"]
    data = [*models, "train.npz", "test.npz", "results.json", "report.md"]
    return data + [f"{stem}.{kind}" for stem in pictures for kind in ("png", "svg")]


def _write_model(folder: Path, best: Coded, digits: Digits, seed: int) -> None:
    if best.model is not None:
        best.model.save(folder / "model.safetensors")
    source = {"model": "model.safetensors", "data": "train.npz", "seed": seed}
    write_codes(folder / "codes.safetensors", best.codes, digits.y, source)
    index = CodeIndex(best.codes.spec)
    index.add(best.codes, labels=digits.y)
    index.save(folder / "digits.index")


def _write_data(path: Path, x: NDArray[np.float32], y: NDArray[np.int64]) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez(file, x=x, y=y)


def _draw(folder: Path, rows: Sequence[dict[str, Any]], learned: Sequence[Coded], digits: Digits) -> dict[str, str]:
    """Draw the pictures; give their names without suffix, with what they show."""
    title = "Digits: labels told from the nearest codes"
    save_figure(accuracy_figure(rows, title=title), folder / "accuracy")
    shown = {"accuracy": "Accuracy against bits an item"}
    images = digits.query_x.reshape(-1, 8, 8)
    for place, coded in enumerate(learned):
        name = "symbols" if place == 0 else f"symbols-{coded.method}"
        title = f"What the symbols of {coded.method} mean ({coded.codes.spec}, {len(images)} test digits)"
        figure = symbol_figure(coded.tables.numpy(), digits.query_y, range(CLASSES), images, title=title)
        save_figure(figure, folder / name)
        shown[name] = f"What the symbols of {coded.method} mean"
    return shown
