"""Who cites what, across capabilities: any event with `cites` counts.

A citation names a record, a decision, a checkpoint, an entry (`s:340`) or a file (`path:src/a.py`).
It is kept under what it names, so what rests on a decision is found without looking at the rest.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from hansard.kernel.engine import ReadTx, Row, Table
from hansard.kernel.event import Event
from hansard.kernel.operation import Request, Written
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View

VERSION = 1

CITATIONS = Table(
    "citations",
    {"cited": "text", "session": "text", "seq": "integer"},
    (("cited", "seq"), ("session", "seq")),
    version=VERSION,
)
"""By a hash of both: that something cites something, with the last entry to say so and its
session."""

KINDS = {
    "records": "records",
    "recorder": "files",
    "checkpoints": "checkpoints",
    "decisions": "decisions",
    "entities": "entities",
}
"""By the first word of an event's kind: the kind of its subject."""

NOTES = "notes"
"""The kind of an event without a subject: a note on the timeline, named by its entry."""

SHOWN_MAX = 50
"""How many citations of one thing, or by one session, are read: the newest."""

_KEY_CHARS = 32
_DECISION = "D"


IsThere = Callable[[ReadTx, str], bool]
"""Whether something that is cited is there; known only above the capabilities."""


class CitingAnswer(Written):
    """The answer of an operation that takes `cites`: it says what of them matches nothing."""

    unmatched: list[str] | None = None
    """What was named and is not there: things cited, or files that a target is about."""

    def cautions(self) -> list[str]:
        """Also name what matches nothing."""
        missing = ", ".join(self.unmatched or ())
        told = [f"Matches nothing that is there now: {missing}"] if missing else []
        return [*super().cautions(), *told]


def missing_in(store: Store, project: str, request: Request, is_there: IsThere | None) -> list[str]:
    """Name what a request cites and is not there; asked before it writes or acts."""
    cited = list[str](dict.fromkeys(getattr(request, "cites", None) or ()))
    if cited and is_there:
        # That it cannot be said what matches nothing is no refusal.
        with suppress(StorageUnavailable):
            return store.read(project, lambda tx: [one for one in cited if not is_there(tx, one)])
    return []


def naming(missing: Sequence[str], answer: Written) -> Written:
    """Name in an answer what its request cites and is not there."""
    if not (missing and isinstance(answer, CitingAnswer)):
        return answer
    return answer.model_copy(update={"unmatched": [*(answer.unmatched or ()), *missing]})


def citing(tx: ReadTx, cited: str) -> list[Row]:
    """Give what cites something, the newest first: `by`, its `kind`, its `session` and `seq`."""
    return _newest(tx, {"cited": cited})


def decisions_cited_in(tx: ReadTx, session: str | None) -> list[str]:
    """Name the decisions that a session has cited, the one cited last first."""
    if session is None:
        return []
    cited = (row["cited"] for row in _newest(tx, {"session": session}))
    return list(dict.fromkeys(one for one in cited if _is_decision(one)))


def _newest(tx: ReadTx, where: dict[str, str]) -> list[Row]:
    found = tx.scan(CITATIONS, where, order="seq", descending=True, limit=SHOWN_MAX)
    return [one.row for one in found]


def _is_decision(identifier: str) -> bool:
    return identifier.startswith(_DECISION) and identifier[len(_DECISION) :].isdecimal()


def _cited(event: Event, derivation: Derivation) -> None:
    cites: Iterable[str] = getattr(event, "cites", None) or ()
    entry, subject = derivation.entry, event.subject()
    for cited in cites:
        by = subject or f"s:{entry.seq}"
        kind = KINDS.get(event.kind.partition(".")[0], NOTES) if subject else NOTES
        row = {"cited": cited, "by": by, "kind": kind, "session": entry.session, "seq": entry.seq}
        derivation.put(CITATIONS, _key(by, cited), row)


def _key(by: str, cited: str) -> str:
    return hashlib.sha256(f"{len(by)}:{by}{cited}".encode()).hexdigest()[:_KEY_CHARS]


def _may_cite(event: type[Event]) -> bool:
    return "cites" in event.model_fields


VIEW = View("citations", VERSION, (CITATIONS,), on_any=_cited, for_any=_may_cite)
