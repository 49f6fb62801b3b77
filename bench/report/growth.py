"""How the operations on records grow with the number of records."""

import itertools
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench import search
from bench.records import PROJECT, Bench, fill
from bench.report.figures import Call, Section, Subject, in_turn
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import local, model_wire, vectors
from hansard.embedders.meanings import FORM
from hansard.kernel.engine import WriteTx
from hansard.records.views import WORDS

SIZES = (100, 1_000, 10_000)
LARGE = (1_000, 10_000, 100_000)
"""Measured only if asked for: filling takes minutes."""

CALLS = 15
DIMENSIONS = 384
SHARED = 24
"""In so many directions vectors differ most."""


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
        "embedder. The search is for two words, one of them common; `hybrid` asks the same of an "
        "application with the local model, which is in this process, and of vectors made by rule: "
        "its processor time is all there is.",
    )
    with tempfile.TemporaryDirectory() as folder:
        app = start(Settings(store=str(Path(folder) / "store"), embedder="none"))
        bench = Bench(app, search.vocabulary())
        texts = search.corpus(bench.words)
        next(texts)
        bench.ask("get_project")
        for size in sizes:
            known = len(bench.ids)
            fill(bench, size - known, texts)
            with _hybrid(bench, folder, known) as hybrid:
                for what, call in {**_asked(bench, texts), **hybrid}.items():
                    subjects = {"Hansard": Subject(call)}
                    section.figures += in_turn(f"{what} at {size:,}", subjects, calls=CALLS)
            # What is active grows with what was asked here, not with the records.
            bench.ask("close_session")
        app.close()
    return section


def _find(bench: Bench) -> Call:
    chance, common = random.Random(len(bench.ids)), itertools.cycle(bench.words[:40])

    def find() -> None:
        query = f"{next(common)} {chance.choice(bench.words[200:2_000])}"
        bench.ask("search_records", query=query)

    return find


@contextmanager
def _hybrid(bench: Bench, folder: str, known: int) -> Iterator[dict[str, Call]]:
    """Give what searches by words and meaning, as a process that has just begun, if it can."""
    if not local.is_installed():
        yield {}
        return
    _give_vectors(bench, known)
    model_wire.can_be_met = lambda: False
    app = start(Settings(store=str(Path(folder) / "store"), embedder="local"))
    yield {"hybrid": _find(Bench(app, bench.words, bench.ids))}
    app.close()


def _give_vectors(bench: Bench, known: int) -> None:
    """Give records vectors that lie about each other as those of texts do, a thousand at a time.

    To embed 100,000 texts would take longer than all the rest.
    """
    import numpy as np

    def work(tx: WriteTx) -> None:
        made = vectors.begin(tx, f"{local.LocalEmbedder.id} {FORM}", "growth")
        vectors.save(tx, made, changes)

    shared = np.random.default_rng(0).normal(size=(SHARED + 1, DIMENSIONS))
    for first in range(known, len(bench.ids), vectors.ROWS_PAGE):
        ids = bench.ids[first : first + vectors.ROWS_PAGE]
        chance = np.random.default_rng(first)
        rows = chance.normal(size=(len(ids), SHARED)) @ shared[1:] / 5 + 0.35 * shared[0]
        rows += 0.8 * chance.normal(size=rows.shape)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        changes = [
            vectors.VectorChange(WORDS.name, one, "-", vectors.pack(row[None]), DIMENSIONS)
            for one, row in zip(ids, rows, strict=True)
        ]
        bench.app.store.engine.write(PROJECT, work)


def _asked(bench: Bench, texts: Iterator[tuple[str, str]]) -> dict[str, Call]:
    chance = random.Random(len(bench.ids))

    def write() -> None:
        title, body = next(texts)
        bench.ask("create_record", type="note", title=title, summary=body[:100], body=body)

    def activate() -> None:
        bench.ask("activate", id=chance.choice(bench.ids))

    overview = partial(bench.ask, "get_project_overview")
    return {"write": write, "overview": overview, "search": _find(bench), "activate": activate}
