"""What metrics cost: writing samples in batches, and summing them up by hour and one dimension.

`python -m bench.metrics` measures 200,000 samples, with `--full` a million.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.table import print_table
from hansard.sdk import Hansard
from hansard.sdk.metrics import Metrics

SAMPLES = 200_000
SAMPLES_FULL = 1_000_000
SAMPLES_PER_BATCH = 10_000
DAYS = 7
MODELS, TOOLS = 10, 20
START_MS = 1_767_225_600_000
QUERIES = 100


def main(count: int = SAMPLES) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="hansard-bench-") as folder:
        with Hansard(folder) as hansard:
            metrics = Metrics(hansard.call)
            batches_s = write(metrics, count)
            rows = [_asked(metrics, label, **asked) for label, asked in questions().items()]
        size = sum(one.stat().st_size for one in Path(folder).rglob("*") if one.is_file())
    total_s = sum(batches_s)
    print_table(
        f"{count:,} samples over {DAYS} days of {MODELS * TOOLS} series, "
        f"{SAMPLES_PER_BATCH:,} a batch: {count / total_s:,.0f} samples/s, "
        f"{size / count:,.0f} bytes a sample on disk",
        ["batch", "p50 ms", "p95 ms", "max ms"],
        [["written", *_figures(batches_s)]],
    )
    print_table("Questions", ["question", "groups", "p50 ms", "p95 ms", "max ms"], rows)


def questions() -> dict[str, dict[str, Any]]:
    """List what is asked."""
    day = {"since": START_MS + 3 * 86_400_000, "until": START_MS + 4 * 86_400_000}
    return {
        "by hour and one dimension, all": {"bucket": "hour", "by": ["model"]},
        "by hour and one dimension, one day": {"bucket": "hour", "by": ["model"], **day},
        "by hour and two dimensions, one day": {"bucket": "hour", "by": ["model", "tool"], **day},
        "by day and two dimensions, all": {"bucket": "day", "by": ["model", "tool"]},
        "by minute, one value, one day": {"bucket": "minute", "where": {"model": "m1"}, **day},
        "all at once": {},
    }


def write(metrics: Metrics, count: int) -> list[float]:
    """Write samples in the order of time; gives how long each batch took."""
    batches_s = []
    for batch in _batches(count):
        began = time.perf_counter()
        metrics.record_all(batch)
        batches_s.append(time.perf_counter() - began)
    return batches_s


def _batches(count: int) -> Iterator[list[dict[str, Any]]]:
    chance = random.Random(7)
    step_ms = DAYS * 86_400_000 / count
    for first in range(0, count, SAMPLES_PER_BATCH):
        yield [
            {
                "name": "latency_ms",
                "value": chance.lognormvariate(5, 1),
                "at": START_MS + int(number * step_ms),
                "dimensions": {
                    "model": f"m{chance.randrange(MODELS)}",
                    "tool": f"t{chance.randrange(TOOLS)}",
                },
            }
            for number in range(first, min(first + SAMPLES_PER_BATCH, count))
        ]


def _asked(metrics: Metrics, label: str, **asked: Any) -> list[str | float | int | None]:
    times_s, groups = [], 0
    for _ in range(QUERIES):
        began = time.perf_counter()
        groups = len(metrics.query("latency_ms", **asked))
        times_s.append(time.perf_counter() - began)
    return [label, groups, *_figures(times_s)]


def _figures(times_s: list[float]) -> list[float]:
    p95 = statistics.quantiles(times_s, n=20)[-1]
    return [1_000 * one for one in (statistics.median(times_s), p95, max(times_s))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="write a million samples")
    main(SAMPLES_FULL if parser.parse_args().full else SAMPLES)
