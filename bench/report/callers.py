"""Many at once: writes of 8 callers to PostgreSQL and SQLite, beside bare inserts."""

import statistics
from functools import partial

from bench.report.figures import ROUNDS, Figure, Section
from bench.world import locations, note, opened
from bench.writes import callers_rate, floor_of

CALLERS = (1, 8)
MEASURE_S = 0.7


def sharing() -> Section:
    """Count the durable writes in a second, and give what one took."""
    section = Section(
        "callers",
        "Durable writes of many callers",
        "Milliseconds between two writes, whoever made them. `bare insert` is one row of 500 bytes "
        "inserted and committed, by one caller; the PostgreSQL is started for the run, and syncs.",
    )
    with locations() as places:
        for name, location in places.items():
            if name == "memory":
                continue
            with opened(location) as store, floor_of(name, location) as bare:
                rates: dict[tuple[str, int], list[float]] = {}
                for _ in range(ROUNDS):
                    if bare is not None:
                        rates.setdefault(("bare insert", 1), []).append(
                            callers_rate(1, bare, MEASURE_S)
                        )
                    for count in CALLERS:
                        rate = callers_rate(count, partial(note, store), MEASURE_S)
                        rates.setdefault(("Hansard", count), []).append(rate)
            for (who, count), measured in rates.items():
                wall_ms = 1000 / max(statistics.median(measured), 0.001)
                section.figures.append(Figure(f"{name}, {count} callers", who, wall_ms))
    return section
