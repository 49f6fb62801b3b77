"""Who else works on a record."""

from hansard.kernel.engine import ReadTx
from hansard.records import limits
from hansard.records.answers import ActiveElsewhere, WorkingElsewhere
from hansard.records.shapes import Warned
from hansard.sessions.directory import last_activity, session_row
from hansard.sessions.views import ACTIVE


def active_elsewhere(
    tx: ReadTx, session: str, identifier: str, *, acknowledged: int
) -> ActiveElsewhere | None:
    """Name the other sessions that have a record active, the one that did something last first.

    Those that had it when the session said that it goes on all the same are `acknowledged`.
    """
    found = tx.scan(
        ACTIVE,
        {"record": identifier},
        order="since",
        descending=True,
        limit=limits.OTHER_SESSIONS_MAX + 1,
    )
    others = [
        WorkingElsewhere(
            session_id=one.row["session"],
            last_activity=last_activity(tx, session_row(tx, one.row["session"])),
        )
        for one in found
        if one.row["session"] != session and one.row["since"] > acknowledged
    ]
    if not others:
        return None
    others.sort(key=lambda one: (one.last_activity, one.session_id), reverse=True)
    latest = others[0]
    return ActiveElsewhere(
        session_id=latest.session_id,
        last_activity=latest.last_activity,
        message=_message(identifier, others),
        sessions=others,
    )


def conflict_warnings(elsewhere: ActiveElsewhere | None) -> list[Warned]:
    """Give the same as a warning of the bundle."""
    if elsewhere is None:
        return []
    details = elsewhere.model_dump(exclude={"message"})
    return [Warned(type="conflict", message=elsewhere.message, details=details)]


def _message(identifier: str, others: list[WorkingElsewhere]) -> str:
    named = ", ".join(f"{one.session_id} (last active {one.last_activity})" for one in others)
    sessions = "session" if len(others) == 1 else "sessions"
    return (
        f"{identifier} is also active in {sessions} {named}. Ask the user before you go on, then "
        "activate with override: true."
    )
