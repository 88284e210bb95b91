"""Counts and durations of requests, as Prometheus reads them."""

from __future__ import annotations

import bisect
import threading
import time
from collections import defaultdict

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What has been asked so far.

    Parameters
    ----------
    items : int
        How many items are shown.
    """

    def __init__(self, items: int) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, str, int], int] = defaultdict(int)
        self._durations: dict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self._items, self._start, self._in_flight = items, time.time(), 0

    def begin(self) -> None:
        """A request came."""
        with self._lock:
            self._in_flight += 1

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        with self._lock:
            self._in_flight -= 1
            self._requests[method, route, status] += 1
            self._durations[route][bisect.bisect_left(_BOUNDS, seconds)] += 1
            self._seconds[route] += seconds

    def text(self) -> str:
        """All of it in Prometheus' text format."""
        with self._lock:
            lines = ["# TYPE dimco_requests_total counter"]
            for (method, route, status), count in sorted(self._requests.items()):
                labels = f'method="{method}",route="{route}",status="{status}"'
                lines.append(f"dimco_requests_total{{{labels}}} {count}")
            lines.append("# TYPE dimco_request_seconds histogram")
            for route, counts in sorted(self._durations.items()):
                lines += self._histogram(route, counts)
            for name, value in (
                ("dimco_requests_in_flight", self._in_flight),
                ("dimco_items", self._items),
                ("dimco_start_time_seconds", self._start),
            ):
                lines += [f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join(lines) + "\n"

    def _histogram(self, route: str, counts: list[int]) -> list[str]:
        lines, total = [], 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), counts, strict=True):
            total += count
            lines.append(f'dimco_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
        lines.append(f'dimco_request_seconds_sum{{route="{route}"}} {self._seconds[route]}')
        lines.append(f'dimco_request_seconds_count{{route="{route}"}} {total}')
        return lines


class Measured:
    """An application whose requests are counted; routes by their pattern, so that there are never many."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, start = 500, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.begin()
        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in {"GET", "POST", "HEAD"} else "OTHER"
            self._metrics.end(method, route, status, time.perf_counter() - start)
