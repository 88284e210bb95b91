"""How people name jobs.

A selection is `KIND:DATASET:BACKBONE:METHOD:CODE`, where later parts may be left out or be `*`, with settings after
it, each behind a plus: `fewshot:miniimagenet:conv4:dimco-infomax:64x128+lr=0.05+steps=40000`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, get_type_hints

from dimco.errors import InputError
from dimco.experiments.correlation.plan import correlation_jobs
from dimco.experiments.fewshot.job import BACKBONES, DATASETS, FewShotJob
from dimco.experiments.fewshot.pilot import pilot_jobs
from dimco.experiments.fewshot.plan import fewshot_jobs, throughput_jobs
from dimco.experiments.small_train.plan import small_train_jobs

KINDS: dict[str, Callable[[str, str], Sequence[FewShotJob]]] = {
    "fewshot": fewshot_jobs,
    "pilot": pilot_jobs,
    "throughput": throughput_jobs,
    "correlation": correlation_jobs,
    "small-train": small_train_jobs,
}
_EVERY = "*"
_FIXED = ("experiment", "dataset", "backbone", "method")


def select(selection: str) -> list[FewShotJob]:
    """The jobs that a selection names.

    Left out, data set and backbone are all there are for `fewshot`, and miniImageNet with Conv4 for the others. A data
    set may be a folder of the user's own.
    """
    name, *settings = selection.split("+")
    kind, dataset, backbone, method, code = (name.split(":") + [_EVERY] * 4)[:5]
    if kind not in KINDS or name.count(":") > 4:
        raise InputError(f"expected jobs as KIND:DATASET:BACKBONE:METHOD:CODE, of {', '.join(KINDS)}; got {name!r}")
    several = len(DATASETS) if kind == "fewshot" else 1
    datasets = DATASETS[:several] if dataset == _EVERY else (dataset,)
    backbones = BACKBONES[:several] if backbone == _EVERY else (backbone,)
    if any(one not in BACKBONES for one in backbones):
        raise InputError(f"expected a backbone of {', '.join(BACKBONES)}; got {backbone!r}")
    jobs = [job for ds in datasets for net in backbones for job in KINDS[kind](ds, net)]
    wanted = [job for job in jobs if method in (_EVERY, job.method) and code in (_EVERY, job.code)]
    if not wanted:
        raise InputError(f"expected a method and a code that {kind} has; got {name!r}")
    return changed(wanted, dict(setting(text) for text in settings))


def changed(jobs: Sequence[FewShotJob], changes: dict[str, Any]) -> list[FewShotJob]:
    """The jobs with other settings, each job once; a code may be changed where there is one, and else is left out."""
    without_code = {name: value for name, value in changes.items() if name not in ("k", "d")}
    return list(dict.fromkeys(replace(job, **(changes if job.k else without_code)) for job in jobs))


def setting(text: str) -> tuple[str, Any]:
    """A setting of `FewShotJob` and its value, from `name=value`."""
    kinds = {name: kind for name, kind in get_type_hints(FewShotJob).items() if name not in _FIXED}
    name, found, value = text.partition("=")
    if not found or name not in kinds:
        raise InputError(f"expected a setting NAME=VALUE of {', '.join(kinds)}; got {text!r}")
    kind = kinds[name] if kinds[name] in (int, float) else str
    try:
        return name, kind(value)
    except ValueError:
        numbers = "a whole number" if kind is int else "a number"
        raise InputError(f"expected {numbers} for {name}; got {value!r}") from None
