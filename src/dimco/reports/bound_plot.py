"""How the generalization bound moves with k, d, m and n."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dimco.reports.figure import COLOURS, MARKERS, new_figure
from dimco.theory import Count, GeneralizationBound, generalization_bound

Setting = Mapping[str, int]

SWEEPS: dict[str, tuple[int, ...]] = {
    "k": (2, 4, 8, 16, 32, 64, 128, 256),
    "d": (1, 2, 4, 8, 16, 32, 64),
    "m": (10, 100, 1_000, 10_000, 100_000, 1_000_000),
    "n": (10, 100, 1_000, 10_000, 100_000, 1_000_000),
}
_NAMES = {
    "k": "symbols k",
    "d": "positions d",
    "m": "samples of a task m",
    "n": "tasks n",
}
_READINGS = {
    "codewords": "|X| = k**d, the lemma",
    "bits": "|X| read as d log2 k",
    "positions": "sum over positions, |X| = k at each",
}
_TERMS = ("tasks", "samples", "bias", "total")
_HIGHEST = 1e12


def sweep(setting: Setting, name: str, delta: float, count: Count) -> list[tuple[int, GeneralizationBound]]:
    """The bound for each value of one argument, the others as they are in `setting`."""
    return [
        (value, generalization_bound(**{**setting, name: value}, delta=delta, count=count)) for value in SWEEPS[name]
    ]


def bound_figure(setting: Setting, delta: float, count: Count) -> Any:
    """Four panels, one argument moving in each: the terms and their sum in bits, and the most there can be.

    Parameters
    ----------
    setting : mapping
        `n`, `m`, `k`, `d`, `classes` and `vc_dimension`.
    delta : float
    count : {"codewords", "bits", "positions"}
    """
    figure = new_figure(10, 7.4)
    spelled = ", ".join(f"{name} = {value:,}" for name, value in setting.items() if name != "vc_dimension")
    figure.text(0.06, 0.965, f"The bound on the gap, {_READINGS[count]}", fontsize=13, weight="bold")
    rest = f"VC dimension {setting['vc_dimension']:,}, delta = {delta:g}; what is above 10¹² bits is not drawn"
    figure.text(0.06, 0.932, f"{spelled}, {rest}", fontsize=10)
    for place, name in enumerate(SWEEPS):
        axes = figure.add_axes((0.08 + 0.49 * (place % 2), 0.50 - 0.43 * (place // 2), 0.41, 0.33))
        _panel(axes, sweep(setting, name, delta, count), name, setting[name])
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper left", bbox_to_anchor=(0.05, 0.925), ncols=5, frameon=False, fontsize=10)
    return figure


def _panel(axes: Any, points: Sequence[tuple[int, GeneralizationBound]], name: str, here: int) -> None:
    values = [value for value, _ in points]
    for place, term in enumerate(_TERMS):
        heights = [getattr(bound, term) / math.log(2) for _, bound in points]
        shown = [height if height < _HIGHEST else math.nan for height in heights]
        if term == "total":
            axes.plot(values, shown, color="#bbbbbb", linewidth=7, zorder=1, label=term)
        else:
            axes.plot(values, shown, color=COLOURS[place], marker=MARKERS[place], markersize=5, label=term)
    trivial = [bound.trivial / math.log(2) for _, bound in points]
    axes.plot(values, trivial, color="#888888", linestyle="--", linewidth=1.5, label="most there can be")
    axes.axvline(here, color="#cccccc", linewidth=1, zorder=0)
    axes.set_xscale("log", base=2 if name in ("k", "d") else 10)
    axes.set_yscale("log")
    if name in ("k", "d"):
        axes.set_xticks(values, [str(value) for value in values])
    axes.minorticks_off()
    axes.set_xlabel(_NAMES[name], fontsize=11)
    axes.set_ylabel("bits", fontsize=11)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
