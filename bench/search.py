"""How long a search takes and what its index costs, by how common the words are.

`python -m bench.search [documents [engine ...]]`; the engines are sqlite, postgresql and memory.
"""

import itertools
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from bench.table import Cell, print_table
from hansard.engines.memory import MemoryEngine
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Engine, Hit, ReadTx, Schema, Table, Topic, Where, WriteTx

Opened = tuple[Engine, Callable[[], int]]
"""An engine, and what tells how many bytes its store has."""

Span = tuple[int, int]

ENGINES = ("sqlite", "postgresql")
DOCUMENTS = 100_000
WORDS_MEDIAN = 95
VOCABULARY = 60_000
DECK_WORDS = 3_000_000
BATCH = 250
LIMIT = 1_000
"""What callers ask for, who also say how many were found."""

ROUNDS = 60
"""Queries of each kind, every one of other words."""

PROJECT = "bench"
NOTES = Table("notes", {"state": "text", "owner": "text"}, indexes=(("state",), ("owner",)))
TEXTS = Topic("texts", NOTES, {"title": 5.0, "body": 1.0})
SCHEMA = Schema((NOTES,), (TEXTS,))
STATES = ("open", "open", "open", "settled", "settled", "dropped")
OWNERS = 200

COMMON = (
    "the of and to a in is that for it as was with be by on not he this are or his from at which"
    " but have an had they you were their one all we can her has there been if more when will would"
    " who so no said what up its about than into them only other time new some could these two may"
    " first then do any like my now over such our man me even most made after also did many before"
    " must well back through years much where your way down should because long each just state"
    " those people too how little good world make very year still see own work men day get here old"
    " life both between under last never know us another while might great go come since against"
    " right came take used himself few house use during without again place around however home"
    " small found thought went say part once high general upon school every does got united left"
    " number course until always away something fact water though less public put think almost hand"
    " enough far took head yet system better set told nothing night end why called find going look"
    " asked later point knew next city business".split()
)
"""Real words of English, commonest first. The words after them are made up."""

STOP, COMMONEST, MIDDLING, RARE = (0, 40), (40, 120), (400, 2_000), (6_000, 40_000)
"""By rank: in nearly all documents, in a tenth or more, in one of a hundred, in a few."""

KINDS: dict[str, Sequence[Span]] = {
    "rare": [RARE],
    "common": [COMMONEST],
    "rare rare": [RARE, RARE],
    "rare common": [RARE, COMMONEST],
    "middling middling": [MIDDLING, MIDDLING],
    "common common": [COMMONEST, COMMONEST],
    "rare middling common": [RARE, MIDDLING, COMMONEST],
    "common common common": [COMMONEST, COMMONEST, COMMONEST],
    "stop stop": [STOP, STOP],
    "stop stop stop": [STOP, STOP, STOP],
    "stop common rare": [STOP, COMMONEST, RARE],
    "rare, missing": [RARE],
    "ten words": [MIDDLING] * 5 + [COMMONEST] * 5,
}
FILTERS: dict[str, Where | None] = {
    "all": None,
    "half": {"state": "open"},
    "sixth": {"state": "dropped"},
    "0.5%": {"owner": "owner-7"},
}


def main(documents: int = DOCUMENTS, engines: Sequence[str] = ENGINES) -> None:
    """Measure and print."""
    words = vocabulary()
    for name in engines:
        with OPENERS[name]() as (engine, size_bytes):
            seconds = build(engine, words, documents)
            title = (
                f"Search, {name}: {documents:,} documents written in {seconds:.1f} s, "
                f"{documents / seconds:,.0f}/s, {size_bytes() / documents:,.0f} bytes on disk each"
            )
            head = ["ms", *(f"{name} {part}" for name in FILTERS for part in ("p50", "p95"))]
            print_table(title, head, [_line(engine, words, kind) for kind in KINDS])


def _line(engine: Engine, words: Sequence[str], kind: str) -> list[Cell]:
    """Give the median and the 95th percentile of a kind of query, by filter."""
    line: list[Cell] = [kind]
    for where in FILTERS.values():
        times = sorted(measure(engine, list(queries(words, kind)), where))
        line += [statistics.median(times), times[int(len(times) * 0.95)]]
    return line


def measure(engine: Engine, asked: Sequence[str], where: Where | None) -> Iterator[float]:
    """Time queries, in milliseconds."""
    for query in asked:
        start = time.perf_counter()
        engine.read(PROJECT, partial(_search, query=query, where=where))
        yield (time.perf_counter() - start) * 1_000


def queries(words: Sequence[str], kind: str) -> Iterator[str]:
    """Make queries of a kind, the same ones every time."""
    chance = random.Random(kind)
    for _ in range(ROUNDS):
        missing = ["zzyzx"] if "missing" in kind else []
        yield " ".join([*(words[chance.randrange(*span)] for span in KINDS[kind]), *missing])


def build(engine: Engine, words: Sequence[str], documents: int) -> float:
    """Fill a store and give the seconds that writing took."""
    texts = corpus(words)
    seconds = 0.0
    for first in range(0, documents, BATCH):
        batch = list(itertools.islice(texts, min(BATCH, documents - first)))
        start = time.perf_counter()
        engine.write(PROJECT, partial(_write, first=first, batch=batch))
        seconds += time.perf_counter() - start
    return seconds


def corpus(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Make titles and bodies without end, of words as often as a text of English has them."""
    chance = random.Random(2)
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    # Drawing each word anew takes longer than indexing it, so documents share a shuffled deck.
    deck = chance.choices(words, weights, k=DECK_WORDS)
    while True:
        length = max(8, round(WORDS_MEDIAN * chance.lognormvariate(0, 0.7)))
        stride = chance.randrange(1, DECK_WORDS // (length + 1))
        start = chance.randrange(DECK_WORDS - length * stride)
        body = deck[start : start + length * stride : stride]
        yield " ".join([words[chance.randrange(*MIDDLING)], *body[:6]]), " ".join(body)


def vocabulary() -> list[str]:
    """Make words by rank: real ones first, then syllables."""
    chance = random.Random(1)
    starts, ends = "b br c d dr f g gr h j k l m n p pl r s st t tr v w z".split(), "aeiou"
    made = dict.fromkeys(COMMON)
    while len(made) < VOCABULARY:
        syllables = chance.choices((1, 2, 3, 4), (1, 4, 4, 1))[0]
        made["".join(chance.choice(starts) + chance.choice(ends) for _ in range(syllables))] = None
    return list(made)


@contextmanager
def _sqlite() -> Iterator[Opened]:
    with tempfile.TemporaryDirectory() as folder:
        engine = SqliteEngine(Path(folder), SCHEMA)
        yield engine, lambda: sum(path.stat().st_size for path in Path(folder).rglob("*.db*"))
        engine.close()


@contextmanager
def _memory() -> Iterator[Opened]:
    yield MemoryEngine(SCHEMA), lambda: 0


@contextmanager
def _postgresql() -> Iterator[Opened]:
    import psycopg

    from hansard.engines.postgres import PostgresEngine
    from tests.postgres_server import postgres_server

    with postgres_server() as url:
        engine = PostgresEngine(url, SCHEMA)

        def size_bytes() -> int:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")
                found = connection.execute("SELECT pg_database_size(current_database())")
                [size] = found.fetchone() or [0]
                return int(size)

        yield engine, size_bytes
        engine.close()


OPENERS: dict[str, Callable[[], AbstractContextManager[Opened]]] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
    "memory": _memory,
}


def _search(tx: ReadTx, query: str, where: Where | None) -> list[Hit]:
    return tx.search(TEXTS, query, where=where, limit=LIMIT)


def _write(tx: WriteTx, first: int, batch: Sequence[tuple[str, str]]) -> None:
    for number, (title, body) in enumerate(batch, start=first):
        row = {
            "title": title,
            "state": STATES[number % len(STATES)],
            "owner": f"owner-{number % OWNERS}",
        }
        tx.put(NOTES, f"N-{number}", row, seq=1)
        tx.index(TEXTS, f"N-{number}", {"title": title, "body": body})


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else DOCUMENTS, sys.argv[2:] or ENGINES)
