"""From measured figures to the cost of collections, and simulations of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dimco.atomic import write_text
from dimco.experiments.provenance import provenance
from dimco.experiments.scale.cluster import Cluster, Traffic, refused_share, simulate
from dimco.experiments.scale.machine import MachineFigures
from dimco.experiments.scale.paper import Assumed, Sizing, by_memory, by_time, down_share
from dimco.experiments.scale.stragglers import Stragglers
from dimco.randomness import generator
from dimco.spec import CodeSpec

CODES = (CodeSpec(16, 16), CodeSpec(64, 64))
ITEMS = (10**9, 10**11)
SCAN_SECONDS = 0.1
WAYS = ((1, False), (2, False), (2, True))


@dataclass(frozen=True)
class Plan:
    """What is simulated; smaller for tests.

    Parameters
    ----------
    codes : tuple of CodeSpec
    items : tuple of int
    epochs, queries : int
        Of every simulation, see `Traffic`.
    """

    codes: tuple[CodeSpec, ...] = CODES
    items: tuple[int, ...] = ITEMS
    epochs: int = 200
    queries: int = 100


def run_scale(
    figures: MachineFigures,
    plan: Plan,
    output: Path,
    command: str,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Size every collection, simulate it, and write the results."""
    assumed, stragglers = Assumed(), Stragglers()
    rows = []
    for items, spec, cut, sizing in _sizings(plan, figures, assumed):
        for replicas, hedged in WAYS:
            row = _row(items, spec, cut, sizing, replicas, hedged)
            row |= _simulated(row, sizing, figures, assumed, stragglers, plan, seed)
            rows.append(row)
            say(
                f"{items:,} of {spec}, {row['machines']:,} machines{', hedged' if hedged else ''}: "
                f"p50 {row['p50']:.3g} s, p99.9 {row['p99.9']:.3g} s, refused {row['refused']:.2g}"
            )
    results = {
        "experiment": "scale",
        **provenance(command, seed),
        "assumed": asdict(assumed),
        "stragglers": asdict(stragglers),
        "simulated": {"epochs": plan.epochs, "queries": plan.queries},
        "measured": asdict(figures),
        "rows": rows,
    }
    write_text(output, json.dumps(results, indent=1) + "\n")
    return results


def _sizings(plan: Plan, figures: MachineFigures, assumed: Assumed) -> Iterator[tuple[int, CodeSpec, str, Sizing]]:
    for items in plan.items:
        for spec in plan.codes:
            yield items, spec, "memory", by_memory(spec, items, figures, assumed)
            yield items, spec, "time", by_time(spec, items, figures, assumed, SCAN_SECONDS)


def _row(items: int, spec: CodeSpec, cut: str, sizing: Sizing, replicas: int, hedged: bool) -> dict[str, Any]:
    return {
        "dataset": "simulated",
        "method": "dimco",
        "k": spec.k,
        "d": spec.d,
        "bits": spec.bits,
        "items": items,
        "cut": cut,
        "bytes": sizing.nbytes,
        "shards": sizing.shards,
        "replicas": replicas,
        "hedged": hedged,
        "machines": sizing.shards * replicas,
        "scan_seconds": sizing.seconds,
        "recall": 1.0,
    }


def _simulated(
    row: dict[str, Any],
    sizing: Sizing,
    figures: MachineFigures,
    assumed: Assumed,
    stragglers: Stragglers,
    plan: Plan,
    seed: int,
) -> dict[str, Any]:
    """Percentiles of the latency in seconds, the share refused, and the queries a second of it."""
    cluster = Cluster(
        shards=row["shards"],
        replicas=row["replicas"],
        seconds=sizing.seconds,
        hedge_after=assumed.hedge_at * sizing.seconds if row["hedged"] else None,
        down_share=down_share(sizing, figures, assumed),
        overhead=assumed.overhead,
    )
    rate = assumed.busy * cluster.replicas / (cluster.seconds * stragglers.mean)
    purpose = f"scale {row['items']} {row['k']}x{row['d']} {row['cut']} {row['replicas']} {row['hedged']}"
    found = simulate(cluster, Traffic(rate, plan.epochs, plan.queries), stragglers.factors, generator(seed, purpose))
    return {
        "queries_per_second": rate,
        **{f"p{percent:g}": found.percentile(percent) for percent in (50, 99, 99.9)},
        "refused": refused_share(cluster),
        "refused_simulated": found.refused,
        "away_seconds": assumed.noticed + sizing.nbytes / sizing.shards / figures.file_bytes_a_second,
    }
