"""How the operations on records grow with the number of records."""

import itertools
import random
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench import search
from bench.records import Bench, fill
from bench.report.figures import Call, Section, Subject, in_turn
from hansard.app.settings import Settings
from hansard.app.start import start

SIZES = (100, 1_000, 10_000)
LARGE = (1_000, 10_000, 100_000)
"""Measured only if asked for: filling takes minutes."""

CALLS = 15


def growing() -> Section:
    """Fill a store up to each size in turn, and ask."""
    return _grown("growth", "Growth with the number of records", SIZES)


def growing_large() -> Section:
    """Do so up to 100,000."""
    return _grown("growth_large", "Growth up to 100,000 records", LARGE)


def _grown(name: str, title: str, sizes: Sequence[int]) -> Section:
    section = Section(
        name,
        title,
        "In this process, without a protocol around it; `write` syncs and `activate` does. No "
        "embedder. The search is for two words, one of them common.",
    )
    with tempfile.TemporaryDirectory() as folder:
        app = start(Settings(store=str(Path(folder) / "store"), embedder="none"))
        bench = Bench(app, search.vocabulary())
        texts = search.corpus(bench.words)
        next(texts)
        bench.ask("get_project")
        for size in sizes:
            fill(bench, size - len(bench.ids), texts)
            for what, call in _asked(bench, texts).items():
                subjects = {"Hansard": Subject(call)}
                section.figures += in_turn(f"{what} at {size:,}", subjects, calls=CALLS)
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
