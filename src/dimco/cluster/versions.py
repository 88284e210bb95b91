"""One version of dimco on every machine: another one may give other codes and scores."""

from __future__ import annotations

from typing import Any

from dimco._version import __version__
from dimco.errors import ClusterError
from dimco.extras import require

_SECONDS = 120.0


def refuse_other_versions(ray: Any, seconds: float = _SECONDS) -> None:
    """Raise `ClusterError` unless every machine of the cluster has this version of dimco."""
    strategies = require("ray.util.scheduling_strategies")

    def version() -> str | None:
        try:
            from dimco._version import __version__ as found
        except ImportError:
            return None
        return str(found)

    asked = ray.remote(num_cpus=0, max_retries=0)(version)
    nodes = {node["NodeID"]: node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    answers = {
        asked.options(scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node, soft=False)).remote(): address
        for node, address in nodes.items()
    }
    done, _ = ray.wait(list(answers), num_returns=len(answers), timeout=seconds)
    for answer, address in answers.items():
        if answer not in done:
            raise ClusterError(f"expected an answer from {address} within {seconds:g} seconds; got none")
        try:
            found = ray.get(answer)
        except ray.exceptions.RayError as error:
            reason = str(error).splitlines()[0]
            raise ClusterError(f"expected the version of dimco on {address}; got {reason}") from error
        if found != __version__:
            raise ClusterError(
                f"expected dimco {__version__} on {address}, as here; it has {'none' if found is None else found}"
            )
