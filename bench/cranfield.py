"""How well a search finds: the Cranfield collection, by words alone and with meaning.

1,400 abstracts on aerodynamics, 225 questions, and for each question which abstracts people judged
to answer it. The collection is not part of this repository: `HANSARD_CRANFIELD` or `--data` names
the folder with `cran.all.1400`, `cran.qry` and `cranqrel`. Everything goes through the application,
as a client's calls do; the figure is nDCG@10, every judged abstract counting the same.
"""

import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.table import print_table
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.follow import catch_up
from hansard.kernel.operation import Caller, Seat

VARIABLE = "HANSARD_CRANFIELD"
FILES = ("cran.all.1400", "cran.qry", "cranqrel")
DEPTH = 10
AGENT = Caller(Actor("agent", "bench", "agent"), seat=Seat())

Judged = Mapping[int, set[str]]
"""By question, the abstracts that answer it."""


def main(folder: str | None = None) -> None:
    """Measure, where the collection is."""
    path = Path(folder or os.environ.get(VARIABLE) or "cranfield")
    if not all((path / name).is_file() for name in FILES):
        print(f"\nCranfield is skipped: {VARIABLE} names no folder with {', '.join(FILES)}.")
        return
    with tempfile.TemporaryDirectory() as store:
        measure(path, store)


def measure(path: Path, store: str) -> None:
    """Fill a store with the collection and ask it all questions, in both ways."""
    app = start(Settings(store=store))
    ids = {number: create(app, title, text) for number, title, text in abstracts(path)}
    seconds = embed(app)
    judged = judgements(path, ids)
    hybrid, hybrid_ms = ask(app, path, judged)
    name = app.call("search_records", {"query": "x"}, AGENT).model_dump()["index"]
    app.close()
    plain = start(Settings(store=store, embedder="none"))
    words, words_ms = ask(plain, path, judged)
    plain.close()
    print_table(
        f"Cranfield: {len(ids):,} abstracts, embedded in {seconds:.0f} s, {len(judged)} questions",
        ["", "nDCG@10", "ms a question"],
        [["words", f"{words:.3f}", words_ms], [f"words and {name}", f"{hybrid:.3f}", hybrid_ms]],
    )


def create(app: Application, title: str, text: str) -> str:
    """Make a record of an abstract; returns its id."""
    fields = {"type": "abstract", "title": title[:500] or "-", "summary": "", "body": text}
    created: str = app.call("create_record", fields, AGENT).model_dump()["record"]["id"]
    return created


def embed(app: Application) -> float:
    """Let every follower catch up; returns the seconds it took."""
    begun = time.perf_counter()
    for follower in app.followers:
        while catch_up(app.store, follower, app.default_project):
            pass
    return time.perf_counter() - begun


def ask(app: Application, path: Path, judged: Judged) -> tuple[float, float]:
    """Ask every question that was judged; returns the mean nDCG and the milliseconds of each."""
    scores, begun = [], time.perf_counter()
    for number, question in questions(path):
        if number in judged:
            asked = {"query": question, "limit": DEPTH}
            found = app.call("search_records", asked, AGENT).model_dump()["results"]
            scores.append(ndcg([one["id"] for one in found], judged[number]))
    milliseconds = (time.perf_counter() - begun) * 1_000 / len(scores)
    return sum(scores) / len(scores), milliseconds


def ndcg(found: Sequence[str], right: set[str]) -> float:
    """Score a ranking: 1 if all places that could be right are."""
    gains = [1 / math.log2(place + 2) for place in range(DEPTH)]
    got = sum(gain for gain, one in zip(gains, found, strict=False) if one in right)
    return got / sum(gains[: len(right)])


def abstracts(path: Path) -> Iterator[tuple[int, str, str]]:
    """Read number, title and text of each abstract."""
    for number, fields in _items(path / "cran.all.1400"):
        yield number, fields.get("T", ""), fields.get("W", "")


def questions(path: Path) -> Iterator[tuple[int, str]]:
    """Read the questions; judgements count them from 1, whatever their own numbers are."""
    for number, (_, fields) in enumerate(_items(path / "cran.qry"), start=1):
        yield number, fields["W"]


def judgements(path: Path, ids: Mapping[int, str]) -> dict[int, set[str]]:
    """Read which abstracts answer a question."""
    judged: dict[int, set[str]] = {}
    for line in (path / "cranqrel").read_text().splitlines():
        question, abstract, *_ = line.split()
        if int(abstract) in ids:
            judged.setdefault(int(question), set()).add(ids[int(abstract)])
    return judged


def _items(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    for item in re.split(r"^\.I ", path.read_text(), flags=re.MULTILINE)[1:]:
        number, *parts = re.split(r"^\.([A-Z])\n", item, flags=re.MULTILINE)
        fields = dict(zip(parts[::2], parts[1::2], strict=True))
        yield int(number), {name: " ".join(text.split()) for name, text in fields.items()}


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if word != "--data"]
    main(named[0] if named else None)
