"""Counts requests as they are answered, in Prometheus format."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the classes that durations are counted in."""

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class RequestMetrics:
    """Counts requests, how long they took, and what is open."""

    def __init__(self) -> None:
        """Start at zero."""
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._classes: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self.open_requests = 0
        self.open_streams = 0

    def done(self, operation: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[operation, status] += 1
            self._seconds[operation] = self._seconds.get(operation, 0.0) + seconds
            classes = self._classes.setdefault(operation, [0] * (len(BOUNDS_S) + 1))
            classes[bisect_left(BOUNDS_S, seconds)] += 1

    def counted(self) -> dict[str, Any]:
        """Give what was counted, for another process to add."""
        with self._lock:
            return {
                "requests": [[*key, count] for key, count in self._requests.items()],
                "classes": {operation: [*counts] for operation, counts in self._classes.items()},
                "seconds": {**self._seconds},
            }

    def add(self, counted: Mapping[str, Any]) -> None:
        """Add what another process has counted."""
        with self._lock:
            for operation, status, count in counted["requests"]:
                self._requests[operation, status] += count
            for operation, counts in counted["classes"].items():
                before = self._classes.get(operation, [0] * len(counts))
                self._classes[operation] = [*map(sum, zip(before, counts, strict=True))]
            for operation, seconds in counted["seconds"].items():
                self._seconds[operation] = self._seconds.get(operation, 0.0) + seconds

    def text(
        self,
        entries: Mapping[str, int],
        behind: Mapping[str, int],
        failing: int,
        workers: tuple[int, int] | None = None,
    ) -> str:
        """Write all that was counted, how many entries each project's journal has, and who follows.

        `behind` is by follower how many entries it has yet to look at, where this server does its
        work; `failing` is how many of them fail. `workers` is, where several serve together,
        how many of them answer, and how many were ever started.
        """
        with self._lock:
            lines = [
                *_family("hansard_requests_total", "counter", "Requests answered.", (
                    ({"operation": operation, "status": str(status)}, "", count)
                    for (operation, status), count in sorted(self._requests.items())
                )),
                *_family("hansard_request_seconds", "histogram", "How long requests took.", (
                    row for operation in sorted(self._classes) for row in self._durations(operation)
                )),
            ]  # fmt: skip
        now = {
            "hansard_open_requests": ("Requests being answered.", self.open_requests),
            "hansard_open_streams": ("Event streams that are open.", self.open_streams),
            "hansard_followers_failing": ("Followers that fail in some project.", failing),
        }
        if workers:
            now["hansard_workers_answering"] = ("Workers of this server that answer.", workers[0])
            what = "Workers that were started, those in the place of another too."
            lines += _family("hansard_worker_starts_total", "counter", what, [({}, "", workers[1])])
        for name, (meaning, count) in now.items():
            lines += _family(name, "gauge", meaning, [({}, "", count)])
        grown = [({"project": one}, "", seq) for one, seq in sorted(entries.items())]
        lines += _family("hansard_entries", "gauge", "Entries of each journal.", grown)
        lags = [({"follower": one}, "", count) for one, count in sorted(behind.items())]
        what = "Entries that a follower whose work is done here has yet to look at."
        lines += _family("hansard_follower_behind_entries", "gauge", what, lags)
        return "\n".join(lines) + "\n"

    def _durations(self, operation: str) -> Iterable["_Row"]:
        totals = list(accumulate(self._classes[operation]))
        bounds = [*(f"{bound:g}" for bound in BOUNDS_S), "+Inf"]
        for bound, total in zip(bounds, totals, strict=True):
            yield {"operation": operation, "le": bound}, "_bucket", total
        yield {"operation": operation}, "_sum", self._seconds[operation]
        yield {"operation": operation}, "_count", totals[-1]


_Row = tuple[dict[str, str], str, float]
"""Labels, a suffix of the family's name, and the value."""


def _family(name: str, kind: str, meaning: str, rows: Iterable[_Row]) -> Iterable[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
    for labels, suffix, value in rows:
        inner = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{suffix}{{{inner}}} {value:.10g}" if inner else f"{name}{suffix} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
