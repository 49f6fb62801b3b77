"""What finding by meaning costs among many documents, whose vectors are made up.

The texts are those of `bench.search`. Vectors lie in clusters around those of real queries, so that
choosing by signs has something to tell apart; each query is embedded by the real model.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.search import NOTES, PROJECT, SCHEMA, TEXTS, build, queries, vocabulary
from bench.table import Cell, print_table
from hansard.embedders import vectors
from hansard.embedders.local import LocalEmbedder
from hansard.embedders.meanings import FORM, VectorMeanings
from hansard.embedders.vector_index import VectorIndex
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Hit, ReadTx, Schema, WriteTx
from hansard.kernel.event import Kinds
from hansard.kernel.rank_fusion import fuse
from hansard.kernel.store import Store

DOCUMENTS = 100_000
BATCH = 1_000
CLUSTERS = 200
SPREAD = 0.06
"""How far vectors lie from their cluster's centre, in each direction."""

LIMIT = 200
WORDS_LIMIT = 500
FLOOR = -1.0
KIND = "rare middling common"

Matrix = NDArray[np.float32]


def main(documents: int = DOCUMENTS) -> None:
    """Measure queries among so many documents, part by part."""
    words, embedder = vocabulary(), LocalEmbedder()
    asked = list(queries(words, KIND))
    embedded = np.concatenate([embedder.embed_query(query) for query in asked])
    made = synthetic(embedded, documents)
    with tempfile.TemporaryDirectory() as folder:
        schema = Schema((*SCHEMA.tables, vectors.VECTORS), SCHEMA.topics)
        engine = SqliteEngine(Path(folder), schema)
        build(engine, words, documents)
        for first in range(0, documents, BATCH):
            engine.write(PROJECT, partial(_write, first=first, made=made[first : first + BATCH]))
        meanings = VectorMeanings(embedder)
        meanings.capability([]).followers(Store(engine, Kinds([]), []))  # type: ignore[misc]
        begun = time.perf_counter()
        meanings.nearest(PROJECT, TEXTS.name, asked[0], limit=LIMIT)
        loading = time.perf_counter() - begun
        lines = [
            _line("embedding the query", asked, embedder.embed_query),
            _line("nearest, query included", asked, partial(_nearest, meanings)),
            _line("words", asked, partial(_words, engine)),
            _line("all: nearest, words, fused", asked, partial(_search, engine, meanings)),
        ]
        engine.close()
    print_table(
        f"Meaning: {documents:,} documents; the first query read their vectors in {loading:.1f} s",
        ["ms", "p50", "p95", "cpu p50", "cpu p95"],
        lines,
    )
    print(f"  of the nearest ten, {recall(made, embedded):.1%} are found by signs")


def synthetic(queries: Matrix, count: int) -> Matrix:
    """Make vectors around real ones, and around some that nobody asks for."""
    chance = np.random.default_rng(1)
    strangers = chance.normal(size=(CLUSTERS, queries.shape[1]))
    strangers /= np.linalg.norm(strangers, axis=1, keepdims=True)
    centres = np.concatenate([queries, strangers])
    near = centres[chance.integers(len(centres), size=count)]
    return _normal(near + SPREAD * chance.normal(size=near.shape))


def recall(made: Matrix, embedded: Matrix) -> float:
    """Say which part of the nearest ten by numbers are among the nearest ten by signs first."""
    shelf = VectorIndex(made.shape[1])
    shelf.update([_change(number, vector) for number, vector in enumerate(made)])
    exact = np.argsort(-(made.astype(np.float16).astype(np.float32) @ embedded.T), axis=0)[:10].T
    kept = [
        len({hit.key for hit in shelf.nearest(query[None], limit=10, floor=FLOOR)} & _keys(best))
        for query, best in zip(embedded, exact, strict=True)
    ]
    return sum(kept) / (10 * len(kept))


def _line(name: str, asked: Sequence[str], ask: Callable[[str], object]) -> list[Cell]:
    """Give the median and the 95th percentile, by the clock and by what the processor did."""
    line: list[Cell] = [name]
    for clock in (time.perf_counter, time.thread_time):
        times = sorted(_times(asked, ask, clock))
        line += [statistics.median(times), times[int(len(times) * 0.95)]]
    return line


def _times(
    asked: Sequence[str], ask: Callable[[str], object], clock: Callable[[], float]
) -> Iterator[float]:
    for query in asked:
        begun = clock()
        ask(query)
        yield (clock() - begun) * 1_000


def _nearest(meanings: VectorMeanings, query: str) -> list[Hit]:
    return meanings.nearest(PROJECT, TEXTS.name, query, limit=LIMIT)


def _words(engine: SqliteEngine, query: str) -> list[Hit]:
    def work(tx: ReadTx) -> list[Hit]:
        return tx.search(TEXTS, query, limit=WORDS_LIMIT)

    return engine.read(PROJECT, work)


def _search(engine: SqliteEngine, meanings: VectorMeanings, query: str) -> list[Hit]:
    near = _nearest(meanings, query)

    def work(tx: ReadTx) -> list[Hit]:
        found = tx.search(TEXTS, query, limit=WORDS_LIMIT)
        return fuse(found, [hit for hit in near if tx.get(NOTES, hit.key)])

    return engine.read(PROJECT, work)


def _write(tx: WriteTx, first: int, made: Matrix) -> None:
    current = vectors.begin(tx, f"{LocalEmbedder.id} {FORM}", "bench")
    changes = [_change(number, vector) for number, vector in enumerate(made, start=first)]
    vectors.save(tx, current, changes)


def _change(number: int, vector: Matrix) -> vectors.VectorChange:
    packed = vectors.pack(vector)
    return vectors.VectorChange(TEXTS.name, f"N-{number}", "digest", packed, vector.size)


def _keys(numbers: NDArray[np.intp]) -> set[str]:
    return {f"N-{number}" for number in numbers}


def _normal(made: NDArray[np.float64]) -> Matrix:
    normal: Matrix = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return normal


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else DOCUMENTS)
