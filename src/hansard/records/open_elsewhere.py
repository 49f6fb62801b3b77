"""Warns that others have a record open, as strongly as they are really present."""

from collections.abc import Sequence
from dataclasses import dataclass

from hansard.kernel.engine import Found, ReadTx, Row
from hansard.records import answers, limits
from hansard.records.shapes import Warned
from hansard.sessions.directory import last_activity, session_row
from hansard.sessions.presence import PresenceLook
from hansard.sessions.rules import SessionStatus
from hansard.sessions.views import ACTIVE
from hansard.sessions.wording import span, whose


@dataclass(frozen=True, slots=True)
class Other:
    """Another session that has the record open."""

    session: Row
    status: SessionStatus
    at: str
    """When it last did something."""

    @property
    def is_at_it(self) -> bool:
        """Whether somebody present works on the record: continuing then needs a person's word.

        A branch that nobody has joined works on nothing.
        """
        return self.status == "active" and bool(self.session["is_joined"])


def others_at(tx: ReadTx, session: str | None, record: str) -> list[Found]:
    """Find what other sessions have a record open, the latest first."""
    found = tx.scan(
        ACTIVE,
        {"record": record},
        order="since",
        descending=True,
        limit=limits.OTHER_SESSIONS_MAX + 1,
    )
    return [one for one in found if one.row["session"] != session]


def sessions_at(tx: ReadTx, record: str) -> list[Row]:
    """Give the sessions that have a record open, to find out who is in them."""
    return [session_row(tx, one.row["session"]) for one in others_at(tx, None, record)]


def graded(
    tx: ReadTx, look: PresenceLook, found: Sequence[Found], *, acknowledged: int = 0
) -> list[Other]:
    """Say who has the record open, the latest active first; not those that are known already."""
    others = [
        _other(tx, look, session_row(tx, one.row["session"]))
        for one in found
        if one.row["since"] > acknowledged
    ]
    return sorted(others, key=lambda other: (other.is_at_it, other.at), reverse=True)


def conflict(
    record: str, others: Sequence[Other], look: PresenceLook
) -> answers.ActiveElsewhere | None:
    """Flag the one who works on the record right now, if there is one."""
    at_it = [other for other in others if other.is_at_it]
    if not at_it:
        return None
    first, more = at_it[0], len(at_it) - 1
    also = "".join(f" and in {whose(other.session)}" for other in at_it[1:])
    return answers.ActiveElsewhere(
        session_id=first.session["id"],
        last_activity=first.at,
        status=first.status,
        by=first.session["by"],
        title=first.session["title"],
        others=more or None,
        sessions=list(map(_working, at_it)),
        message=f"{record} is also open in {whose(first.session)}{also}, active "
        f"{span(first.at, look.now)} ago. Ask the user before you go on, then activate with "
        "override: true.",
    )


def note(record: str, others: Sequence[Other], look: PresenceLook) -> list[Warned]:
    """Mention who had the record open last, if nobody works on it right now."""
    if not others or others[0].is_at_it:
        return []
    last = others[0]
    quiet = span(last.at, look.now)
    if last.status == "away":
        said = f"was last open in {whose(last.session)}, away since {quiet}"
    elif last.status == "idle":
        said = f"is open in {whose(last.session)}, idle for {quiet}"
    else:
        said = f"is open in {whose(last.session)}, a branch that nobody has come into yet"
    details = {"session_id": last.session["id"], "status": last.status, "last_activity": last.at}
    return [Warned(type="note", message=f"{record} {said}.", details=details)]


def _working(other: Other) -> answers.WorkingElsewhere:
    return answers.WorkingElsewhere(
        session_id=other.session["id"],
        last_activity=other.at,
        status=other.status,
        by=other.session["by"],
        title=other.session["title"],
    )


def _other(tx: ReadTx, look: PresenceLook, session: Row) -> Other:
    return Other(session, look.status(tx, session), last_activity(tx, session))
