"""How well a search finds, beside plain FTS5 with Porter's stems and bm25s, on several collections.

Cranfield (see `bench.cranfield`) where it is there, and those of `bench.sets`: talks of two people
turn by turn and session by session, also where nobody says who speaks, notes on software that are
asked for by its names, functions of the standard library, notes hidden among others,
and chains of decisions. `--meaning` embeds everything, which takes minutes the first time: vectors
are kept in the folder that `HANSARD_BENCH_CACHE` names, or in that of temporary files.
`--ablations` leaves out one idea after another, `--perturbed` changes Cranfield by rule instead,
into what other collections may be like. Of the talks, those with an odd seed are for tuning; of
all others, every second question. The second of two figures is the one to report.
"""

import hashlib
import os
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import apsw
import numpy as np

from bench.cranfield import AGENT, DEPTH, FILES, VARIABLE, abstracts, embed, ndcg, questions
from bench.cranfield import judgements as judged_in
from bench.sets import (
    Chain,
    Collection,
    Text,
    addressing,
    chains,
    code,
    joined,
    needles,
    perturbed,
    sessions,
    talk,
    technical,
)
from bench.table import Cell, print_table
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import Choice, local, meanings, model_wire
from hansard.kernel import query_meaning, rank_fusion, similarity, surroundings
from hansard.kernel.engine import Hit
from hansard.records import search

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

CACHE = "HANSARD_BENCH_CACHE"
TALKS = (1, 2, 3, 4)
OTHERS = 3_000
CHAINS = 300

Found = Sequence[str]

Fill = Callable[[Application, Mapping[str, Text]], dict[str, str]]
"""Writes texts into a project; gives their keys by the ids that they have there."""

ABLATIONS: dict[str, Sequence[tuple[ModuleType, str, object]]] = {
    "without what stands beside": [(surroundings, "BESIDE", 0.0), (surroundings, "FURTHER", 0.0)],
    "without the whole": [(surroundings, "OF_WHOLE", 0.0)],
    "without who": [(surroundings, "SAID_BY", 0.0)],
    "without when": [(surroundings, "SAID_THEN", 0.0)],
    "with common names embedded": [(query_meaning, "COMMON_SHARE", 2.0)],
    "without echoes": [(meanings, "ECHOES", 0)],
    "without places kept": [(rank_fusion, "KEPT", 0)],
    "without likeness": [(similarity, "SHARE", 0.0)],
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What each question found, and the processor's milliseconds that it took."""

    found: Sequence[Found]
    milliseconds: float


class Remembering(local.LocalEmbedder):
    """The local model, which embeds no text twice."""

    def embed(self, texts: Sequence[str]) -> "list[Vectors]":
        with _cache() as known:
            return [self._kept(known, text) for text in texts]

    def _kept(self, known: sqlite3.Connection, text: str) -> "Vectors":
        key = hashlib.sha256(f"{self.id}\n{text}".encode()).hexdigest()
        row = known.execute("SELECT vectors, width FROM texts WHERE key = ?", (key,)).fetchone()
        if row:
            return np.frombuffer(row[0], np.float32).reshape(-1, row[1])
        [made] = super().embed([text])
        values = (key, made.astype(np.float32).tobytes(), made.shape[1])
        known.execute("INSERT OR REPLACE INTO texts VALUES(?, ?, ?)", values)
        return made


@contextmanager
def _cache() -> Iterator[sqlite3.Connection]:
    folder = Path(os.environ.get(CACHE) or tempfile.gettempdir())
    connection = sqlite3.connect(folder / "hansard-bench-vectors.db")
    with connection:
        connection.execute("CREATE TABLE IF NOT EXISTS texts(key PRIMARY KEY, vectors, width)")
        yield connection
    connection.close()


def main(
    *, with_meaning: bool = False, with_ablations: bool = False, is_perturbed: bool = False
) -> None:
    """Measure every collection that is there."""
    local.LocalEmbedder = Remembering  # type: ignore[misc]
    model_wire.can_be_met = lambda: False
    if is_perturbed:
        _print(list(_perturbed()), with_meaning=with_meaning, with_ablations=False)
        return
    made = [talk(seed) for seed in TALKS]
    parts = [*_cranfield(), code(1), needles(OTHERS, 1)]
    groups = [_Group("talks, turns", made[::2], made[1::2])]
    groups += [
        _Group("talks, sessions", *([sessions(one) for one in half] for half in groups[0].halves))
    ]
    groups += [_Threads("talks, threads", *groups[0].halves)]
    groups += [_Untold("talks, nobody says who", *groups[0].halves)]
    named = [[addressing(one) for one in half] for half in groups[0].halves]
    groups += [_Untold("the same, some address the other", *named)]
    asked = technical()
    groups += [_Untold("technical names", [_half(asked, 0)], [_half(asked, 1)])]
    among = [[joined(_half(asked, n), half[0])] for n, half in enumerate(groups[0].halves)]
    groups += [_Untold("technical names in a talk", *among)]
    groups += [_Group(one.name, [_half(one, 0)], [_half(one, 1)]) for one in parts]
    _print(groups, with_meaning=with_meaning, with_ablations=with_ablations)
    if with_meaning:
        _decisions("to tune on", chains(CHAINS, 1))
        _decisions("kept back", chains(CHAINS, 1, "chains_kept.txt"))
        mixed = chains(CHAINS, 1, "chains_kept.txt", are_mixed=True)
        _decisions("kept back, half of them decided once (those on the left)", mixed)
        for once in (False, True):
            others = chains(CHAINS, 1, "chains_third.txt", parts="parts_third.txt", are_mixed=once)
            name = "of other parts, half of them decided once" if once else "of other parts"
            _decisions(name, others)


def _print(groups: Sequence["_Group"], *, with_meaning: bool, with_ablations: bool) -> None:
    lines = [
        line
        for group in groups
        for line in group.lines(with_meaning=with_meaning, with_ablations=with_ablations)
    ]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    head = ["collection", "by", "nDCG@10 tuned, not", "R@10 tuned, not", "cpu ms"]
    print_table(f"Quality; {memory:.0f} MiB at most", head, lines)


def _perturbed() -> Iterator["_Group"]:
    for one in _cranfield():
        for other in perturbed(one):
            yield _Group(other.name, [_half(other, 0)], [_half(other, 1)])


class _Group:
    """Collections to tune on, and others like them to report."""

    def __init__(self, name: str, *halves: Sequence[Collection]) -> None:
        self.name = name
        self.halves = halves

    def lines(self, *, with_meaning: bool, with_ablations: bool) -> Iterator[list[Cell]]:
        yield self._line("FTS5, Porter", [[_plain(one) for one in half] for half in self.halves])
        if (known := _bm25s()) is not None:
            yield self._line("bm25s", [[known(one) for one in half] for half in self.halves])
        yield self._ours("words", "none")
        if with_meaning:
            yield self._ours("words and meaning", "auto")
            with altered([(search, "_by_words", _nothing)]):
                yield self._ours("meaning", "auto")
        for name, changes in ABLATIONS.items() if with_ablations and with_meaning else ():
            with altered(changes):
                yield self._ours(f"  {name}", "auto")

    def _ours(self, by: str, embedder: Choice) -> list[Cell]:
        return self._line(
            by, [[self._asked(one, embedder) for one in half] for half in self.halves]
        )

    def _asked(self, one: Collection, embedder: Choice) -> Measured:
        return _ours(one, embedder, _filled, "search_records")

    def _line(self, by: str, measured: Sequence[Sequence[Measured]]) -> list[Cell]:
        ranked, recalled, spent = [], [], []
        for half, results in zip(self.halves, measured, strict=True):
            pairs = [
                (found, right)
                for one, result in zip(half, results, strict=True)
                for found, (_, right) in zip(result.found, one.questions, strict=True)
            ]
            ranked.append(_mean([ndcg(found, right) for found, right in pairs]))
            recalled.append(
                _mean([len(right & {*found[:DEPTH]}) / len(right) for found, right in pairs])
            )
            spent += [result.milliseconds for result in results]
        shown = [" ".join(f"{value:.3f}" for value in each) for each in (ranked, recalled)]
        return [self.name, by, *shown, _mean(spent)]


class _Threads(_Group):
    """Talks whose turns are messages of threads, one for each session."""

    def _asked(self, one: Collection, embedder: Choice) -> Measured:
        return _ours(one, embedder, _appended, "search")


class _Untold(_Group):
    """Texts that say nothing of who says them, and when, or of what they are part of."""

    def _asked(self, one: Collection, embedder: Choice) -> Measured:
        return _ours(one, embedder, _written, "search_records")


@contextmanager
def altered(changes: Sequence[tuple[ModuleType, str, object]]) -> Iterator[None]:
    """Set constants to other values for a while."""
    before = [(module, name, getattr(module, name)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    yield
    for module, name, value in before:
        setattr(module, name, value)


def _nothing(*_: object) -> list[Hit]:
    return []


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _half(one: Collection, first: int) -> Collection:
    return Collection(one.name, one.texts, one.questions[first::2])


def _ours(one: Collection, embedder: Choice, fill: Fill, operation: str) -> Measured:
    """Ask through the application, as a client does."""
    with tempfile.TemporaryDirectory() as store:
        app = start(Settings(store=store, embedder=embedder))
        keys = fill(app, one.texts)
        if embedder != "none":
            embed(app)
        begun, found = time.process_time(), []
        for asked, _ in one.questions:
            results = _call(app, operation, query=asked, limit=2 * DEPTH)["results"]
            found.append([keys[each["id"]] for each in results if each["id"] in keys][:DEPTH])
        spent = (time.process_time() - begun) * 1_000 / len(found)
        app.close()
    return Measured(found, spent)


def _filled(app: Application, texts: Mapping[str, Text]) -> dict[str, str]:
    """Make a record of each text, under one of its whole if it has one; gives keys by id."""
    wholes: dict[str, str] = {}
    keys = {}
    for key, text in texts.items():
        if text.whole and text.whole not in wholes:
            wholes[text.whole] = _create(app, title=text.whole, type="session")
        said = {"metadata": {"speaker": text.who}} if text.who else {}
        parent = wholes.get(text.whole) if text.whole else None
        keys[
            _create(app, title=text.title[:500] or "-", body=text.body, parent_id=parent, **said)
        ] = key
    return keys


def _written(app: Application, texts: Mapping[str, Text]) -> dict[str, str]:
    """Make a record of the body of each text; gives keys by id."""
    return {_create(app, title="-", body=text.body): key for key, text in texts.items()}


def _appended(app: Application, texts: Mapping[str, Text]) -> dict[str, str]:
    """Say each text in the thread of its whole; gives keys by id."""
    last: dict[str | None, str] = {}
    keys = {}
    for key, text in texts.items():
        if text.whole not in last:
            begun = _call(app, "entity_create", type="messageThread", data={})
            last[text.whole] = begun["entity"]["id"]
        partials = [{"type": "text", "payload": {"content": text.body}}]
        said = {"thread_id": last[text.whole], "sender": text.who, "partials": partials}
        last[text.whole] = _call(app, "thread_append", **said)["entity"]["id"]
        keys[last[text.whole]] = key
    return keys


def _create(app: Application, **fields: object) -> str:
    made: str = _call(app, "create_record", **{"type": "text", "body": "", "summary": ""} | fields)[
        "record"
    ]["id"]
    return made


def _call(app: Application, operation: str, **arguments: object) -> dict:  # type: ignore[type-arg]
    return app.call(operation, arguments, AGENT).model_dump()


def _decisions(name: str, made: Sequence[Chain]) -> None:
    """Ask for decisions that hold, in other words than they and those before them are in."""
    with tempfile.TemporaryDirectory() as store:
        app = start(Settings(store=store))
        heads = [_decided(app, chain) for chain in made]
        embed(app)
        places = [_place_of(app, *one) for one in zip(made, heads, strict=True)]
        app.close()
    halves = [places[::2], places[1::2]]
    rows: list[list[Cell]] = [
        [f"first {most}", *(f"{_mean([one < most for one in half]):.3f}" for half in halves)]
        for most in (1, 3, DEPTH)
    ]
    title = f"{len(made)} chains of decisions, {name}: the head is among the"
    print_table(title, ["", "even", "odd"], rows)


def _decided(app: Application, chain: Chain) -> str:
    """Record a chain; gives its head."""
    head = ""
    for title in chain.titles:
        fields = {"title": title, "target": chain.target, "rationale": chain.why}
        answer = (
            _call(app, "supersede_decision", old_decision_ids=[head], **fields)
            if head
            else _call(app, "record_decision", **fields)
        )
        head = answer["decision_id"]
    return head


def _place_of(app: Application, chain: Chain, head: str) -> int:
    results = _call(app, "search_decisions", query=chain.question, limit=DEPTH)["results"]
    ids = [each["id"] for each in results]
    return ids.index(head) if head in ids else DEPTH


def _plain(one: Collection) -> Measured:
    """Ask FTS5 as it comes: any of the words, ranked by its own BM25."""
    database = apsw.Connection(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(key UNINDEXED, body, tokenize=porter)")
    rows = [(key, f"{text.title} {text.body}") for key, text in one.texts.items()]
    database.executemany("INSERT INTO t VALUES(?, ?)", rows)
    begun, found = time.process_time(), []
    for asked, _ in one.questions:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", asked.lower()))
        hits = database.execute(
            "SELECT key FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        )
        found.append([str(key) for (key,) in hits])
    return Measured(found, (time.process_time() - begun) * 1_000 / len(found))


def _bm25s() -> Callable[[Collection], Measured] | None:
    """Give what asks bm25s with Snowball's stems, if it is installed."""
    try:
        import bm25s  # type: ignore[import-not-found]
        import Stemmer  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return None

    def ask(one: Collection) -> Measured:
        stemmer, keys = Stemmer.Stemmer("english"), list(one.texts)
        index = bm25s.BM25()
        texts = [f"{text.title} {text.body}" for text in one.texts.values()]
        index.index(
            bm25s.tokenize(texts, stemmer=stemmer, show_progress=False), show_progress=False
        )
        begun, found = time.process_time(), []
        for asked, _ in one.questions:
            words = bm25s.tokenize([asked], stemmer=stemmer, show_progress=False)
            hits, _ = index.retrieve(words, k=min(DEPTH, len(keys)), show_progress=False)
            found.append([keys[number] for number in hits[0]])
        return Measured(found, (time.process_time() - begun) * 1_000 / len(found))

    return ask


def _cranfield() -> Iterator[Collection]:
    path = Path(os.environ.get(VARIABLE) or "cranfield")
    if not all((path / name).is_file() for name in FILES):
        print(f"\nCranfield is left out: {VARIABLE} names no folder with {', '.join(FILES)}.")
        return
    texts = {str(number): Text(title, text) for number, title, text in abstracts(path)}
    judged = judged_in(path, {int(key): key for key in texts})
    asked = [(text, judged[number]) for number, text in questions(path) if number in judged]
    yield Collection("Cranfield", texts, asked)


if __name__ == "__main__":
    main(
        with_meaning="--meaning" in sys.argv,
        with_ablations="--ablations" in sys.argv,
        is_perturbed="--perturbed" in sys.argv,
    )
