"""Describes a restore in words: which files went back, and to when."""

import re

from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.recorder.events import StepBegun, step_name
from hansard.recorder.tables import STORY, chapter_number, story_key, story_place

_SCOPE = re.compile(r"(?P<what>session|step|path) (?P<which>.+)", re.DOTALL)


def restore_words(
    tx: ReadTx, context: Context, scope: str, point: int, *, is_undo: bool = False
) -> str:
    """Say what a restore brought back and to what moment, or what an undo took back."""
    if is_undo:
        return f"Undid {scope_words(scope, context.session)}"
    # What goes back to before a step is all that the session touched.
    whole = scope.partition(" of ")[2] if scope.startswith("step ") else scope
    whole = whole if whole.startswith("session ") else scope
    return f"Restored {scope_words(whole, context.session)} to {moment(tx, context, point)}"


def moment(tx: ReadTx, context: Context, point: int) -> str:
    """Name the moment right after an entry by what happened then."""
    entry, event = _entry(tx, context, point + 1)
    if entry and isinstance(event, StepBegun):
        return f"before {step_name(event.index)}{_title(tx, entry, event)}"
    entry, event = _entry(tx, context, point)
    if entry is None:
        return "the beginning"
    return f"after s:{point} ({event.summary() if event else entry.kind})"


def scope_words(scope: str, session: str | None) -> str:
    """Say what a scope is as people would; entries, batches and restores have names already."""
    found = _SCOPE.fullmatch(scope)
    if found is None:
        return (
            f"what {entry} changed" if (entry := scope.removeprefix("entry ")) != scope else scope
        )
    which = found["which"]
    match found["what"]:
        case "session":
            return "the session" if which == session else f"session {which}"
        case "step":
            index, _, _ = which.partition(" ")
            return step_name(int(index)) if index.isdecimal() else scope
        case _:
            return f"`{which}`"


def _title(tx: ReadTx, entry: Entry, begun: StepBegun) -> str:
    place = story_place(chapter_number(begun.revision, begun.index))
    head = tx.get(STORY, story_key(entry.session or "", place))
    return f" ({head['title']})" if head else ""


def _entry(tx: ReadTx, context: Context, seq: int) -> tuple[Entry | None, Event | None]:
    found = tx.entries(after=seq - 1, limit=1) if seq else []
    return (found[0], context.store.kinds.decode(found[0])) if found else (None, None)
