"""What a restore was, in words of what was asked: which files went back, and to what moment."""

import re

from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.recorder.events import StepBegun, step_name
from hansard.recorder.tables import STORY, chapter_number, story_key, story_place

_SCOPE = re.compile(r"(?P<what>session|step|entry|path) (?P<which>.+)", re.DOTALL)


def restore_words(tx: ReadTx, context: Context, scope: str, point: int) -> str:
    """Say what a restore brought back, and to what moment."""
    return f"Restored {_scope(scope, context.session)} to {moment(tx, context, point)}"


def moment(tx: ReadTx, context: Context, point: int) -> str:
    """Name the moment right after an entry by what happened then."""
    entry, event = _entry(tx, context, point + 1)
    if entry and isinstance(event, StepBegun):
        return f"before {step_name(event.index)}{_title(tx, entry, event)}"
    entry, event = _entry(tx, context, point)
    if entry is None:
        return "the beginning"
    return f"after s:{point} ({event.summary() if event else entry.kind})"


def _scope(scope: str, session: str | None) -> str:
    found = _SCOPE.fullmatch(scope)
    if found is None:
        return scope
    which = found["which"]
    match found["what"]:
        case "session":
            return "the session" if which == session else f"session {which}"
        case "step":
            index, _, _ = which.partition(" ")
            return step_name(int(index)) if index.isdecimal() else scope
        case "entry":
            return f"what {which} changed"
        case _:
            return f"`{which}`"


def _title(tx: ReadTx, entry: Entry, begun: StepBegun) -> str:
    place = story_place(chapter_number(begun.revision, begun.index))
    head = tx.get(STORY, story_key(entry.session or "", place))
    return f" ({head['title']})" if head else ""


def _entry(tx: ReadTx, context: Context, seq: int) -> tuple[Entry | None, Event | None]:
    found = tx.entries(after=seq - 1, limit=1) if seq else []
    return (found[0], context.store.kinds.decode(found[0])) if found else (None, None)
