"""How the operations on records grow with the number of records."""

import itertools
import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import search
from bench.records import Bench, fill
from bench.report.figures import Call, Section, Subject, in_turn
from hansard.app.settings import Settings
from hansard.app.start import start

SIZES = (100, 1_000, 10_000)
LARGE = (100_000,)
"""Also measured if HANSARD_BENCH_LARGE is set: filling takes minutes."""

CALLS = 15


def growing() -> Section:
    """Fill a store up to each size in turn, and ask."""
    section = Section(
        "growth",
        "Growth with the number of records",
        "In this process, without a protocol around it; `write` syncs and `activate` does. No "
        "embedder. The search is for two words, one of them common.",
    )
    sizes = (*SIZES, *(LARGE if os.environ.get("HANSARD_BENCH_LARGE") else ()))
    with tempfile.TemporaryDirectory() as folder:
        app = start(Settings(store=str(Path(folder) / "store"), embedder="none"))
        bench = Bench(app, search.vocabulary())
        texts = search.corpus(bench.words)
        next(texts)
        bench.ask("get_project")
        for size in sizes:
            fill(bench, size - len(bench.ids), texts)
            for name, call in _asked(bench, texts).items():
                subjects = {"Hansard": Subject(call)}
                section.figures += in_turn(f"{name} at {size:,}", subjects, calls=CALLS)
            # What is active grows with what was asked here, not with the records.
            bench.ask("close_session")
        app.close()
    return section


def _asked(bench: Bench, texts: Iterator[tuple[str, str]]) -> dict[str, Call]:
    chance, common = random.Random(len(bench.ids)), itertools.cycle(bench.words[:40])

    def write() -> None:
        title, body = next(texts)
        bench.ask("create_record", type="note", title=title, summary=body[:100], body=body)

    def activate() -> None:
        bench.ask("activate", id=chance.choice(bench.ids))

    def find() -> None:
        query = f"{next(common)} {chance.choice(bench.words[200:2_000])}"
        bench.ask("search_records", query=query)

    overview = partial(bench.ask, "get_project_overview")
    return {"write": write, "overview": overview, "search": find, "activate": activate}
