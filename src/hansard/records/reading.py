"""Reads records: rows by id, whole records with bodies, references with counts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.operation import Context
from hansard.records.contract import NotActivated
from hansard.records.shapes import Record, RecordHead, RecordRef
from hansard.records.update_answers import RecordWritten
from hansard.records.views import ALL, BENEATH, RECORDS, children_in
from hansard.sessions.contract import RecordNotFound, SessionClosed, SessionNotFound
from hansard.sessions.directory import session_row
from hansard.sessions.views import BASES, active_key

Counts = dict[str, int]


def require(tx: ReadTx, identifier: str, *, as_of: int | None = None) -> Row:
    """Read a record's row, or refuse."""
    row = tx.get(RECORDS, identifier, as_of=as_of)
    if row is None:
        when = "" if as_of is None else " at that point"
        raise RecordNotFound(f"There is no record {identifier[:100]}{when}", id=identifier[:100])
    return row


def require_all(tx: ReadTx, identifiers: Iterable[str]) -> None:
    """Refuse ids that no record has."""
    for identifier in identifiers:
        require(tx, identifier)


def require_base(tx: ReadTx, context: Context, identifier: str) -> int:
    """Give the version of an active record that this call's session knows, or refuse."""
    session = context.session
    if session is None and context.caller.seat is None:
        raise SessionNotFound("This needs a session, and none was named")
    if session and session_row(tx, session)["status"] == "closed":
        raise SessionClosed(f"The session {session} has been closed", session_id=session)
    base = base_of(tx, session, identifier)
    if base is None:
        raise NotActivated(f"{identifier} is not active in this session", id=identifier)
    return base


def base_of(tx: ReadTx, session: str | None, identifier: str) -> int | None:
    """Give the version of a record that a session knows; `None` if it is not active there."""
    row = tx.get(BASES, active_key(session, identifier)) if session else None
    return row["base"] if row else None


def version(tx: ReadTx, identifier: str, tick: int) -> Row | None:
    """Read a version of a record; `None` if it has none of that tick."""
    row = tx.get(RECORDS, identifier, as_of=tx.seek(tick=tick))
    return row if row and row["tick"] == tick else None


def known_row(tx: ReadTx, identifier: str, known: Row) -> Row:
    """Read a record as a session knows it: its text by its version, its place as of an entry."""
    row = version(tx, identifier, known["base"])
    assert row is not None, f"a session knows a version of {identifier} that never was"
    return row | {"parent_id": require(tx, identifier, as_of=known["placed"])["parent_id"]}


def body(tx: ReadTx, row: Row) -> str:
    """Read the body of a row."""
    return content(tx, Digest(row["body"])).decode()


def texts_of(tx: ReadTx, identifiers: Sequence[str]) -> Iterator[str]:
    """Read the texts of records, as far as they exist; their contents are fetched together."""
    tx.prefetch(*(partial(_text, tx, one) for one in identifiers))
    return (_text(tx, one) for one in identifiers)


def _text(tx: ReadTx, identifier: str) -> str:
    row = tx.get(RECORDS, identifier)
    return "\n".join([row["title"], row["summary"], body(tx, row)]) if row else ""


def body_bytes(tx: ReadTx, row: Row) -> int:
    """Give the length of a row's body, without reading it."""
    blob = tx.blob(Digest(row["body"]))
    return blob.size if blob else 0


def whole(tx: ReadTx, row: Row) -> Record:
    """Read a record in full."""
    return with_body(row, body(tx, row))


def with_body(row: Row, text: str) -> Record:
    """Build a record from its row and a body."""
    return Record(**head_fields(row), body=text)


def head(row: Row) -> RecordHead:
    """Build a record without its body."""
    return RecordHead(**head_fields(row))


def written(row: Row, text: str | None = None) -> RecordWritten:
    """Build the answer to a write, with the body if the caller does not have it."""
    return RecordWritten(**head_fields(row), body=text)


def head_fields(row: Row) -> dict[str, Any]:
    """Give what a record shows of its row, by name."""
    alike = ("id", "type", "title", "summary", "state", "parent_id", "created", "modified")
    return {
        **{name: row[name] for name in alike},
        "version": row["tick"],
        "author": row["author"],
        "reason": row["reason"],
        "resolved_by": row["resolved_by"],
        "related": row["related"] or None,
        "metadata": row["metadata"] or None,
        "cites": row["cites"] or None,
    }


def counts(tx: ReadTx, identifier: str, *, as_of: int | None = None) -> Counts:
    """Count a record's children by state: at once for now, one by one for the past."""
    if as_of is None:
        return tx.get(BENEATH, identifier) or {}
    tally = tx.tally(RECORDS, {"parent_id": identifier}, by="state", as_of=as_of)
    return {str(state): count for state, count in tally.items()}


def ref(tx: ReadTx, row: Row, *, as_of: int | None = None) -> RecordRef:
    """Build a reference to a record."""
    return RecordRef(**ref_fields(tx, row, as_of=as_of))


def ref_fields(tx: ReadTx, row: Row, *, as_of: int | None = None) -> dict[str, Any]:
    """Give what a reference to a record shows, by name."""
    beneath = counts(tx, row["id"], as_of=as_of)
    return {
        **{name: row[name] for name in ("id", "type", "title", "summary", "state", "parent_id")},
        "children_count": children_in(beneath),
        "open_children_count": beneath.get("OPEN", 0),
    }


def refs(tx: ReadTx, rows: Iterable[Row], *, as_of: int | None = None) -> list[RecordRef]:
    """Build references to records."""
    return [ref(tx, row, as_of=as_of) for row in rows]


def count_open(tx: ReadTx) -> int:
    """Count a project's OPEN records."""
    return counts(tx, ALL).get("OPEN", 0)
