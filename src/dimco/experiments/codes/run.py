"""Learn a code, look at its symbols on the test set, and write the numbers and the pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dimco.atomic import write_text
from dimco.codebook import Codebook
from dimco.datasets import data_folder
from dimco.datasets.pictures import load_pictures
from dimco.errors import InputError
from dimco.experiments.compression.data import load_embeddings
from dimco.experiments.provenance import provenance
from dimco.fitting import FitSettings, fit_code
from dimco.reports.gallery import write_gallery

WITH_IMAGES = {"cifar100": "CIFAR-100"}


def run_codes(
    name: str,
    settings: FitSettings,
    output: Path,
    pictures: Path,
    command: str,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """The whole experiment on a data set that stands beside the project.

    Parameters
    ----------
    name : str
    settings : FitSettings
        The code, and how it is learned from the training embeddings.
    output : Path
        The results file.
    pictures : Path
        Folder of the pictures; their names start with codes-NAME.
    command : str
        Written into the results.
    say : callable, optional
        Called with a line after each step.
    """
    if name not in WITH_IMAGES:
        raise InputError(f"expected a data set with images at hand, of {', '.join(WITH_IMAGES)}; got {name!r}")
    data = load_embeddings(name)
    file = data_folder() / "images" / f"{name}_test.npz"
    images = load_pictures(file, len(data.query))
    with np.load(file, allow_pickle=False) as archive:
        classes = [str(label) for label in archive["classes"]]
    model = fit_code(data.x, data.y, data.classes, settings).model
    say(f"learned {settings.spec} from {len(data.x):,} embeddings")
    codebook = Codebook(model, data.query, data.truth, classes)
    gallery = write_gallery(
        codebook,
        pictures,
        images,
        noun="test images",
        name=WITH_IMAGES[name],
        stem=f"codes-{name}-",
        on_file=lambda p: say(f"wrote {p}"),
    )
    results = {
        "experiment": "codes",
        "dataset": name,
        **provenance(command, settings.seed),
        **measured(codebook, gallery.pairs),
        "training": _correlation(Codebook(model, data.x)),
    }
    write_text(output, json.dumps(results, indent=1) + "\n")
    return results


def measured(codebook: Codebook, pairs: list[dict[int, int]]) -> dict[str, Any]:
    """The numbers behind the pictures: `rows`, a record a symbol; `positions`; `combinations`; `test`."""
    information, shared = codebook.position_information(), codebook.pairwise_information()
    dead = (codebook.usage == 0).sum(1)
    positions = [
        {
            "position": i,
            "used": int(codebook.spec.k - dead[i]),
            "entropy_bits": round(float(shared[i, i]), 4),
            "information_bits": round(float(information[i]), 4),
        }
        for i in range(codebook.spec.d)
    ]
    combinations = []
    for pair in pairs:
        both = codebook.combine(pair)
        pages = [codebook.symbol(position, symbol) for position, symbol in pair.items()]
        main = next(iter(both.histogram))
        combinations.append(
            {
                "symbols": {str(position): symbol for position, symbol in pair.items()},
                "class": main,
                "alone": [round(page.histogram.get(main, 0) / page.given, 4) for page in pages],
                "together": round(both.purity, 4),
                "items": both.matches,
            }
        )
    return {
        "k": codebook.spec.k,
        "d": codebook.spec.d,
        "positions": positions,
        "pairwise_bits": shared.round(4).tolist(),
        "combinations": combinations,
        "test": _correlation(codebook),
        "rows": codebook.summary(),
    }


def _correlation(codebook: Codebook) -> dict[str, Any]:
    found = codebook.total_correlation()._asdict()
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in found.items()}
