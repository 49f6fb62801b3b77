"""Notes asked for in other words among many others: how often they are found, at what cost.

`HANSARD_BENCH_CACHE=… python -m bench.haystack [others]`. Notes are put where the view of records
puts them, a thousand at a time: to write 100,000 one by one would take longer than all the rest.
The first half of the questions is the one that was tuned on (`bench.quality`).
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bench.cranfield import AGENT, DEPTH
from bench.quality import Remembering
from bench.sets import Collection, Text, needles
from bench.table import Cell, print_table
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import local, model_wire, vectors
from hansard.embedders.meanings import FORM
from hansard.kernel.engine import Row, WriteTx
from hansard.records.places import PLACES
from hansard.records.views import RECORDS, WORDS, labels

OTHERS = 100_000
BATCH = 1_000


def main(others: int = OTHERS) -> None:
    """Measure among so many others."""
    local.LocalEmbedder = Remembering  # type: ignore[misc]
    model_wire.can_be_met = lambda: False
    made = needles(others, 1)
    with tempfile.TemporaryDirectory() as store:
        app = start(Settings(store=store))
        keys = filled(app, made)
        begun = time.process_time()
        _ask(app, "quite another question")
        first = time.process_time() - begun
        asked = list(_asked(app, made, keys))
        app.close()
    halves = [asked[::2], asked[1::2]]
    rows: list[list[Cell]] = [
        [f"among the first {most}", *(f"{_share(half, most):.3f}" for half in halves)]
        for most in (1, 3, DEPTH)
    ]
    spent = sorted(one for _, one in asked)
    title = (
        f"Needles among {others:,}: the first search took {first:.1f} s of processor time, "
        f"others {statistics.median(spent):.1f} ms, p95 {spent[int(len(spent) * 0.95)]:.1f} ms"
    )
    print_table(title, ["", "tuned", "not"], rows)


def filled(app: Application, made: Collection) -> dict[str, str]:
    """Put all notes into a project; gives keys by id."""
    fields = {"type": "note", "title": "Note", "summary": "", "body": "-"}
    template = app.call("create_record", fields, AGENT).model_dump()["record"]["id"]
    project = app.default_project
    row = app.store.read(project, lambda tx: tx.get(RECORDS, template))
    assert row is not None, "a record that was made is there"
    embedder = Remembering()
    keys: dict[str, str] = {}
    numbered = list(enumerate(made.texts.items()))
    for first in range(0, len(numbered), BATCH):
        batch = numbered[first : first + BATCH]
        notes = {f"N{number}": text for number, (_, text) in batch}
        keys |= {f"N{number}": key for number, (key, _) in batch}
        changes = list(_changes(embedder, notes))
        app.store.engine.write(project, partial(_put, template=row, notes=notes, changes=changes))
    return keys


def _put(
    tx: WriteTx, template: Row, notes: Mapping[str, Text], changes: Sequence[vectors.VectorChange]
) -> None:
    for identifier, text in notes.items():
        row = template | {"id": identifier, "title": text.title}
        tx.put(RECORDS, identifier, row, seq=tx.head().seq)
        place = {
            "id": identifier,
            "before": None,
            "after": None,
            "whole": None,
            "who": row["author"],
        }
        tx.put(PLACES, identifier, place | {"day": row["created"][:10]}, seq=tx.head().seq)
        texts = {"title": text.title, "summary": "", "labels": labels(row), "body": text.body}
        tx.index(WORDS, identifier, texts)
    vectors.save(tx, vectors.begin(tx, f"{Remembering.id} {FORM}", "haystack"), changes)


def _changes(embedder: Remembering, notes: Mapping[str, Text]) -> Iterator[vectors.VectorChange]:
    texts = [f"{text.title}\n{text.body}" for text in notes.values()]
    for identifier, made in zip(notes, embedder.embed(texts), strict=True):
        packed = vectors.pack(made)
        yield vectors.VectorChange(WORDS.name, identifier, "digest", packed, made.shape[1])


def _asked(
    app: Application, made: Collection, keys: Mapping[str, str]
) -> Iterator[tuple[int, float]]:
    """Give for each question the place of what it asks for, and the milliseconds it took."""
    for question, right in made.questions:
        begun = time.process_time()
        found = [keys.get(one) for one in _ask(app, question)]
        spent = (time.process_time() - begun) * 1_000
        yield next((place for place, key in enumerate(found) if key in right), DEPTH), spent


def _ask(app: Application, question: str) -> list[str]:
    asked = {"query": question, "limit": DEPTH}
    found = app.call("search_records", asked, AGENT).model_dump()["results"]
    return [one["id"] for one in found]


def _share(asked: Sequence[tuple[int, float]], most: int) -> float:
    return sum(place < most for place, _ in asked) / len(asked)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else OTHERS)
