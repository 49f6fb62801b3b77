"""How well a search finds, beside plain FTS5 with Porter's stems, on several collections.

Cranfield (see `bench.cranfield`), and two that are made by rule from a seed: names of code, asked
for whole and in parts, and what people said in turn, asked for in their words. Words alone are
measured without the model; `--meaning` embeds everything first, which takes minutes. Questions are
told apart into two halves: what is tuned is tuned on the first.
"""

import os
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from bench.cranfield import AGENT, DEPTH, FILES, VARIABLE, abstracts, create, embed, ndcg, questions
from bench.cranfield import judgements as judged_in
from bench.table import Cell, print_table
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import Choice

SEEDS = (1, 2, 3)
NAMES = 400
TURNS = 600

Found = Sequence[str]


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts by key, and questions with the keys of what answers them."""

    name: str
    texts: Mapping[str, tuple[str, str]]
    questions: Sequence[tuple[str, set[str]]]


@dataclass(frozen=True, slots=True)
class Measured:
    """What each question found, and the processor's milliseconds that it took."""

    found: Sequence[Found]
    milliseconds: float


def main(*, with_meaning: bool = False) -> None:
    """Measure every collection that is there."""
    collections = [*_cranfield(), *map(_code, SEEDS[:1]), *map(_talk, SEEDS[:1])]
    lines: list[list[Cell]] = []
    for one in collections:
        lines += _lines(one, "FTS5, Porter", _plain(one))
        lines += _lines(one, "words", _ours(one, "none"))
        if with_meaning:
            lines += _lines(one, "words and meaning", _ours(one, "auto"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print_table(
        f"Quality (first half, second half of the questions); {memory:.0f} MiB at most",
        ["collection", "by", "nDCG@10", "R@10", "cpu ms"],
        lines,
    )


def _lines(one: Collection, by: str, measured: Measured) -> Iterator[list[Cell]]:
    pairs = list(zip(measured.found, one.questions, strict=True))
    halves = [pairs[::2], pairs[1::2]]
    ranked = [_mean([ndcg(found, right) for found, (_, right) in half]) for half in halves]
    recalled = [
        _mean([len(right & {*found[:DEPTH]}) / len(right) for found, (_, right) in half])
        for half in halves
    ]
    yield [
        *(one.name, by, " ".join(f"{value:.3f}" for value in ranked)),
        *(" ".join(f"{value:.3f}" for value in recalled), measured.milliseconds),
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _ours(one: Collection, embedder: Choice) -> Measured:
    """Ask through the application, as a client does."""
    with tempfile.TemporaryDirectory() as store:
        app = start(Settings(store=store, embedder=embedder))
        keys = {create(app, title, text): key for key, (title, text) in one.texts.items()}
        if embedder != "none":
            embed(app)
        begun, found = time.process_time(), []
        for question, _ in one.questions:
            asked = {"query": question, "limit": DEPTH}
            results = app.call("search_records", asked, AGENT).model_dump()["results"]
            found.append([keys[each["id"]] for each in results])
        spent = (time.process_time() - begun) * 1_000 / len(found)
        app.close()
    return Measured(found, spent)


def _plain(one: Collection) -> Measured:
    """Ask FTS5 as it comes: any of the words, ranked by its own BM25."""
    database = apsw.Connection(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(key UNINDEXED, body, tokenize=porter)")
    rows = [(key, f"{title} {text}") for key, (title, text) in one.texts.items()]
    database.executemany("INSERT INTO t VALUES(?, ?)", rows)
    begun, found = time.process_time(), []
    for question, _ in one.questions:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.lower()))
        hits = database.execute(
            "SELECT key FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        )
        found.append([str(key) for (key,) in hits])
    return Measured(found, (time.process_time() - begun) * 1_000 / len(found))


def _cranfield() -> Iterator[Collection]:
    path = Path(os.environ.get(VARIABLE) or "cranfield")
    if not all((path / name).is_file() for name in FILES):
        print(f"\nCranfield is left out: {VARIABLE} names no folder with {', '.join(FILES)}.")
        return
    texts = {str(number): (title, text) for number, title, text in abstracts(path)}
    judged = judged_in(path, {int(key): key for key in texts})
    asked = [(text, judged[number]) for number, text in questions(path) if number in judged]
    yield Collection("Cranfield", texts, asked)


def _code(seed: int) -> Collection:
    """Make functions whose names have several words, asked for by name, path and error."""
    chance = random.Random(seed)
    verbs = "load save parse render retry merge split encode verify flush open close".split()
    nouns = "config user token index page cache record blob queue session header chunk".split()
    texts, asked = {}, []
    for number in range(NAMES):
        verb, noun, other = chance.choice(verbs), chance.choice(nouns), chance.choice(nouns)
        name = f"{verb}_{noun}_{other}_{number}"
        camel = "".join(part.capitalize() for part in name.split("_"))
        key, path = f"c{number}", f"src/{noun}/{verb}{number}.py"
        texts[key] = (path, f"def {name}(self): calls {camel}.run and raises E{4000 + number}")
        question = chance.choice([name, camel, f"who raises E{4000 + number}?", path])
        asked.append((question, {key}))
    return Collection(f"code, seed {seed}", texts, asked)


def _talk(seed: int) -> Collection:
    """Make turns of people who tell what they did, asked for by who, what and where."""
    chance = random.Random(seed)
    people = "Ana Boris Chen Dina Emil Farah Goran Hana".split()
    deeds = "painted repaired sold bought lost found planted baked borrowed photographed".split()
    things = "boat fence bicycle lamp piano garden cake camera sweater bookshelf kite".split()
    places = "Lisbon Oslo Quito Hanoi Dakar Perth Turin Cusco Riga Izmir".split()
    told = [(a, b, c, d) for a in people for b in deeds for c in things for d in places]
    texts, asked = {}, []
    for number, (who, did, what, where) in enumerate(chance.sample(told, TURNS)):
        key, day = f"t{number}", chance.randint(1, 28)
        texts[key] = (who, f"Well, on May {day} I {did} the {what} when I was in {where}, you know")
        asked.append((f"What did {who} say about the {what} that was {did} in {where}?", {key}))
    return Collection(f"turns, seed {seed}", texts, asked[::4])


if __name__ == "__main__":
    main(with_meaning="--meaning" in sys.argv)
