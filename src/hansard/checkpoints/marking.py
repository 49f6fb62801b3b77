"""Marks keys of a context as critical, and removes marks."""

from hansard.checkpoints import answers, contract, events, limits
from hansard.checkpoints.reading import context_of, looked_at, state_of
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.kernel.suggestion import did_you_mean


class _NotFoundError(Exception):
    """There is no such key: nothing is written, and this is the answer."""

    def __init__(self, answer: answers.CheckpointMarkedAnswer) -> None:
        super().__init__()
        self.answer = answer


def mark_critical(
    request: contract.MarkCritical, context: Context
) -> answers.CheckpointMarkedAnswer:
    """Mark a key of the session's context, so that no view ever shortens or drops it."""
    session, key = context.session, request.context_key
    assert session is not None, "a mark belongs to a session"

    def work(tx: WriteTx) -> answers.CheckpointMarkedAnswer:
        if not request.critical:
            return _unmark(tx, context, session, key)
        seen = looked_at(tx, session)
        if seen and key not in (keys := context_of(tx, seen)):
            raise _not_found(tx, session, f"The context of {seen['id']}", key, sorted(keys))
        _require_room(tx, session, key)
        context.record(tx, events.KeyMarked(session=session, key=key))
        message = f"“{key}” is critical from now on."
        if not seen:
            message += " The session has saved nothing yet: the mark waits for a context."
        return _marked(tx, session, message)

    try:
        return context.write(work)
    except _NotFoundError as not_found:
        return not_found.answer


def _unmark(
    tx: WriteTx, context: Context, session: str, key: str
) -> answers.CheckpointMarkedAnswer:
    marks = sorted(state_of(tx, session)["marks"])
    if key not in marks:
        raise _not_found(tx, session, f"The session {session}", key, marks, what="marked key")
    context.record(tx, events.KeyUnmarked(session=session, key=key))
    return _marked(tx, session, f"“{key}” is no longer critical.")


def _marked(tx: ReadTx, session: str, message: str) -> answers.CheckpointMarkedAnswer:
    marks = sorted(state_of(tx, session)["marks"])
    return answers.CheckpointMarkedAnswer(
        status="SUCCESS", message=message, sessionId=session, critical=marks
    )


def _not_found(
    tx: ReadTx, session: str, where: str, key: str, keys: list[str], *, what: str = "key"
) -> _NotFoundError:
    shown = keys[: limits.KEYS_SHOWN_MAX]
    rest = f" and {len(keys) - len(shown)} more" if len(keys) > len(shown) else ""
    there = f"It has: {', '.join(shown)}{rest}." if keys else "It has none."
    return _NotFoundError(
        answers.CheckpointMarkedAnswer(
            status="KEY_NOT_FOUND",
            message=" ".join(
                filter(None, [f"{where} has no {what} “{key}”.", did_you_mean(key, keys), there])
            ),
            sessionId=session,
            critical=sorted(state_of(tx, session)["marks"]),
            keys=shown,
        )
    )


def _require_room(tx: ReadTx, session: str, key: str) -> None:
    marks = state_of(tx, session)["marks"]
    if key not in marks and len(marks) >= limits.MARKS_MAX:
        raise InvalidInput(f"A session has at most {limits.MARKS_MAX} marked keys")
