"""The demo: scikit-learn's digits coded by dimco, PQ and SQ at equal bits, searched, drawn and written down."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dimco.errors import InputError
from dimco.experiments.demo_files import make_folder, write_demo
from dimco.experiments.demo_methods import (
    NEIGHBOURS,
    Coded,
    Digits,
    compare,
    float_knn,
    load_digits_split,
    search_example,
)
from dimco.extras import require
from dimco.reports.demo_report import label_counts
from dimco.spec import CodeSpec

DEMO_SPECS = tuple(CodeSpec(16, d) for d in (1, 2, 4, 8, 16))
_KEPT_BITS = 16


@dataclass(frozen=True)
class DemoResult:
    """What `run_demo` found and wrote.

    Attributes
    ----------
    folder : str
    rows : list of dict
        One flat record for each method and number of bits, as in results.json.
    search : list of dict
        Queries with their nearest stored items.
    kept : str
        Method of the model that is saved.
    files : list of str
        Names of the files in the folder.
    seconds : float
    """

    folder: str
    rows: list[dict[str, Any]]
    search: list[dict[str, Any]]
    kept: str
    files: list[str]
    seconds: float

    def as_record(self) -> dict[str, Any]:
        """Accuracy in percent by bits and method, and where the report is; short enough to print."""
        accuracies: dict[str, Any] = {}
        for row in self.rows:
            accuracies.setdefault(f"top1_at_{row['bits']}_bits", {})[row["method"]] = row["value"]
        return {**accuracies, "report": str(Path(self.folder) / "report.md"), "seconds": self.seconds}


def run_demo(
    folder: str | Path,
    seed: int = 0,
    on_step: Callable[[str], None] | None = None,
    specs: Sequence[CodeSpec] = DEMO_SPECS,
) -> DemoResult:
    """Compare, search, draw, and write everything into `folder`.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.
    seed : int, default=0
        The same seed gives the same files on the same machine, but for the random names within digits.index.
    on_step : callable, optional
        Called with a line after each step.
    specs : sequence of CodeSpec
        The codes to compare; the better dimco model of the one nearest to 16 bits is saved.
    """
    start = time.perf_counter()
    if not specs:
        raise InputError("expected at least one code to compare; got none")
    for module in ("sklearn", "faiss", "matplotlib"):
        require(module)
    target = make_folder(folder)
    say = on_step or (lambda message: None)
    digits = load_digits_split(seed)
    say(f"{len(digits.y):,} digits stored, {len(digits.query_y):,} asked for, {NEIGHBOURS} neighbours vote")
    reference = float_knn(digits)
    rows = [_row("float-knn", None, digits, reference, seed)]
    say(f"float-knn on {digits.x.shape[1]} numbers: {reference:.1f} %")
    kept_spec = min(specs, key=lambda spec: abs(spec.bits - _KEPT_BITS))
    learned: list[Coded] = []
    for spec in specs:
        with _one_thread():
            compared = list(compare(spec, digits, seed))
        rows += [_row(coded.method, spec, digits, coded.top1, seed) for coded in compared]
        say(f"{spec.bits} bits ({spec}): " + ", ".join(f"{coded.method} {coded.top1:.1f} %" for coded in compared))
        if spec == kept_spec:
            learned = [coded for coded in compared if coded.model is not None]
    learned.sort(key=lambda coded: -coded.top1)
    search = search_example(learned[0], digits)
    for query in search:
        best = query["nearest"][0]
        say(
            f"nearest to test digit {query['query']}, label {query['label']}: stored digits of code {best['code']}, "
            f"score {best['score']:.2f}: {label_counts(best['labels'])}"
        )
    files = write_demo(target, rows, search, learned, digits, seed)
    say(f"report: {target / 'report.md'}")
    served = " ".join(str(target / name) for name in ("model.safetensors", "digits.index"))
    say(f"to see what each symbol means: dimco serve {served} --data {target / 'train.npz'} --pixels 8x8")
    return DemoResult(str(target), rows, search, learned[0].method, files, time.perf_counter() - start)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: such small models gain nothing from more and lose much on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _row(method: str, spec: CodeSpec | None, digits: Digits, top1: float, seed: int) -> dict[str, Any]:
    """A flat record; without a code the bits are those of the features as float32."""
    features = digits.x.shape[1]
    return {
        "dataset": "digits",
        "backbone": "pixels",
        "method": method,
        "k": spec.k if spec else None,
        "d": spec.d if spec else None,
        "bits": spec.bits if spec else 32 * features,
        "ratio": spec.ratio(features) if spec else 1.0,
        "metric": "top1",
        "value": top1,
        "spread": None,
        "seeds": [seed],
        "paper": None,
    }
