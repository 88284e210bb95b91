"""The views that documents may ask for, and the command that renders them all: `python -m dimco.experiments.docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from dimco.atomic import write_text
from dimco.experiments.bound import render as bound
from dimco.experiments.codes import render as codes
from dimco.experiments.compression import render as compression
from dimco.experiments.correlation import render as correlation
from dimco.experiments.fewshot import render as fewshot
from dimco.experiments.retrieval import goals as retrieval_goals
from dimco.experiments.retrieval import render as retrieval
from dimco.experiments.scale import coarse_render as coarse
from dimco.experiments.scale import databases
from dimco.experiments.scale import render as scale
from dimco.experiments.search_bench import render as search
from dimco.experiments.small_train import render as small_train
from dimco.reports.docs import View, documents, plain_view, rendered

VIEWS: dict[str, View] = {
    "plain": plain_view,
    "compression-grid": compression.grid_view,
    "compression-others": compression.others_view,
    "compression-paper": compression.paper_view,
    "compression-weighted": compression.weighted_view,
    "compression-headline": compression.headline_view,
    "codes-positions": codes.positions_view,
    "codes-combinations": codes.combinations_view,
    "codes-symbols": codes.symbols_view,
    "codes-correlation": codes.correlation_view,
    "bound-codes": bound.codes_view,
    "bound-sizes": bound.sizes_view,
    "correlation": correlation.correlation_view,
    "correlation-last": correlation.last_view,
    "small-train": small_train.small_train_view,
    "fewshot-goals": fewshot.goals_view,
    "fewshot-miniimagenet-conv4": fewshot.cells_view("miniimagenet", "conv4"),
    "fewshot-miniimagenet-resnet12": fewshot.cells_view("miniimagenet", "resnet12"),
    "fewshot-cifar-fs-conv4": fewshot.cells_view("cifar-fs", "conv4"),
    "fewshot-cifar-fs-resnet12": fewshot.cells_view("cifar-fs", "resnet12"),
    "fewshot-rules": fewshot.rules_view,
    "fewshot-pilot": fewshot.pilot_view,
    "fewshot-speed": fewshot.speed_view,
    "fewshot-steps": fewshot.steps_view,
    "databases": databases.databases_view,
    "databases-limits": databases.limits_view,
    "scale-measured": scale.measured_view,
    "scale-paper": scale.paper_view,
    "scale-simulated": scale.simulated_view,
    "coarse-exact": coarse.exact_view,
    "coarse-limited": coarse.limited_view,
    "coarse-break-even": coarse.break_even_view,
    "retrieval-goals": retrieval_goals.goals_view,
    "retrieval-cub": retrieval.table_view("cub"),
    "retrieval-cub-bits": retrieval.bits_view("cub"),
    "retrieval-cars": retrieval.table_view("cars"),
    "retrieval-cars-bits": retrieval.bits_view("cars"),
    "retrieval-cub-frozen": retrieval.table_view("cub", "resnet50 frozen"),
    "retrieval-cub-frozen-bits": retrieval.bits_view("cub", "resnet50 frozen"),
    "retrieval-time": retrieval.time_view,
    "search-goals": search.goals_view,
    "search-single": search.single_view,
    "search-batch": search.batch_view,
    "search-ratio": search.ratio_view,
    "search-size": search.size_view,
    "search-exactness": search.exactness_view,
    "search-scaling": search.scaling_view,
    "search-gpu": search.gpu_view,
}


def main() -> None:
    """Render the tables of all documents of the project in the current folder."""
    root = Path()
    for document in documents(root):
        before = document.read_text(encoding="utf-8")
        after = rendered(before, root, VIEWS)
        if after != before:
            write_text(document, after)
            sys.stdout.write(f"rendered {document}\n")


if __name__ == "__main__":
    main()
