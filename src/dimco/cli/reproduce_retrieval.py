"""dimco reproduce retrieval: table 4."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.cli.training_jobs import named
from dimco.errors import MissingExtraError, MissingFileError, TrainingError

if TYPE_CHECKING:
    from dimco.experiments.retrieval.train import RetrievalRun

_WEIGHTS = Path("weights") / "resnet50_imagenet_v1.safetensors"


def retrieval(
    dataset: Annotated[
        str, typer.Option(help="cub or cars; or a folder of images, NAME.npy, or with --frozen a file of features.")
    ] = "cub",
    frozen: Annotated[bool, typer.Option("--frozen", help="On features of a fixed network: minutes on a CPU.")] = False,
    methods: Annotated[
        str | None, typer.Option(help="Method names with commas between; dimco-infomax, triplet and so on.")
    ] = None,
    codes: Annotated[
        str | None, typer.Option(help="Codes such as 64x64, with commas between; with --frozen up to 128x128.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from --seed on.")] = 1,
    epochs: Annotated[int | None, typer.Option(min=1, help="Of each training; by default the study's.")] = None,
    time_only: Annotated[bool, typer.Option("--time-only", help="Measure the time of queries alone.")] = False,
    data: Annotated[
        Path | None, typer.Option(help="Folder with NAME.npy, an official tree or embeddings/; else the data folder.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Of the ResNet-50; else weights/ of the data folder.")] = None,
    models: Annotated[Path | None, typer.Option(help="Folder for the models of the codes, for dimco search.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The results file.")] = Path("results/retrieval.json"),
    time_limit: Annotated[
        float | None, typer.Option(min=1, help="Seconds; what would not end within them is left out.")
    ] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Table 4: recall among classes unseen in training, codes beside embeddings; made for a GPU but for --frozen.

    Settings and epochs are chosen on held-out training classes. Goes on where it stopped: jobs that the results file
    already holds are not run again.

    Example: dimco reproduce retrieval --dataset cub --frozen
    """
    from dimco.experiments.demo_files import make_folder
    from dimco.experiments.retrieval.job import CODES, METHODS
    from dimco.experiments.retrieval.learned_codes import LearnedCodes
    from dimco.experiments.retrieval.models import save_models
    from dimco.experiments.retrieval.plan import FROZEN_CODES, retrieval_jobs
    from dimco.experiments.retrieval.plan import METHODS as PLANNED
    from dimco.experiments.retrieval.query_time import ITEMS, measure_times
    from dimco.experiments.retrieval.queue import Workplace, run_jobs
    from dimco.experiments.retrieval.sources import load_set, set_name
    from dimco.experiments.retrieval.store import RetrievalFile
    from dimco.spec import CodeSpec
    from dimco.training.loop import pick_device

    def say(line: str) -> None:
        note(line, quiet)

    def kept(run: RetrievalRun) -> None:
        learned.take(run)
        for path in save_models(run, models) if models is not None else []:
            say(f"wrote {path}")

    specs = [CodeSpec.parse(code) for code in (codes or (FROZEN_CODES if frozen else CODES)).split(",")]
    wanted = named(methods, METHODS, "methods") if methods else PLANNED
    file = RetrievalFile(make_folder(output.parent) / output.name, shlex.join(["dimco", *sys.argv[1:]]))
    learned, items, failures = LearnedCodes(), ITEMS.get(dataset), []
    if not time_only or items is None:
        start = None if time_only else _weights(weights, data, frozen)
        loaded = load_set(dataset, frozen, data, output.parent / "arrays", say)
        items = len(loaded.split("final")[1])
        if not time_only:
            end = time.monotonic() + (time_limit or float("inf"))
            where = pick_device(device)
            place = Workplace(lambda _: loaded, where, start, end, keep=kept)
            names = ",".join(map(str, specs))
            jobs = retrieval_jobs(loaded.name, wanted, names, range(seed, seed + seeds), epochs, frozen)
            failures = run_jobs(jobs, place, file, say)
    name = set_name(dataset, frozen=False)
    try:
        say(f"time of queries over {items:,} items")
        file.merge([], measure_times(name, items, specs, learned.of, seed=seed))
    except MissingExtraError as error:
        note(str(error), quiet)
    if failures:
        raise TrainingError(f"{len(failures)} jobs failed: {failures[0]}")
    show({"results": str(output), "jobs": len(file.records)} | _recalls(file.content(), name, frozen), json)


def _weights(given: Path | None, data: Path | None, frozen: bool) -> Path | None:
    """The weights to start from; none for features."""
    from dimco.datasets import data_folder

    if frozen:
        return None
    file = given or (data or data_folder()) / _WEIGHTS
    if not file.exists():
        raise MissingFileError(f"no such file: {file}; name the ResNet-50's weights with --weights")
    return file


def _recalls(content: dict[str, Any], dataset: str, frozen: bool) -> dict[str, Any]:
    """Recall@1 and milliseconds, as people read them."""
    from dimco.experiments.retrieval.figures import Figures, code_of
    from dimco.experiments.search_bench.plan import SINGLE

    figures = Figures(content, dataset, "resnet50 frozen" if frozen else "resnet50")
    recall = {
        f"{row['method']} {code_of(row) or row['part']}, {row['bits']:,} bits": row["value"]
        for row in (*figures.floats(), *figures.ours())
    }
    times = {f"{row['method']} {code_of(row)}".strip(): row["value"] for row in figures.times if row["mode"] == SINGLE}
    return {"recall@1": recall, "ms_per_query": times}
