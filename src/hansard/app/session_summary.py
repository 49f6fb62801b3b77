"""What a session did, in five lines at most. Pure: sentences from its events."""

from collections.abc import Callable, Sequence

from hansard.decisions.events import DecisionMade, ProposalMade
from hansard.kernel.event import Event
from hansard.kernel.text import counted, one_line
from hansard.kernel.truncation import cut
from hansard.recorder.events import (
    Audited,
    ExternalChangeSeen,
    FileEvent,
    FileFound,
    FileOpAborted,
    FileOpRefused,
    PlanStepRecorded,
    StepBegun,
    StepEnded,
)
from hansard.records.events import RecordCreated
from hansard.sessions.events import RecordChange

LINE_CHARS = 160
NAMED_MAX = 3
"""How many files, records or decisions are named; the others are counted."""

NO_WORK = (ExternalChangeSeen, FileFound, FileOpRefused)
"""Events about files that are not the session's own work."""

OF_HOSTS = ("shell", "subagent", "compaction")
"""Notes that a host's hooks make by themselves, which nobody wrote."""

Placed = tuple[int, Event]
"""An event with the seq of its entry."""


def lines(happened: Sequence[Placed]) -> list[str]:
    """Summarize what happened, oldest first, in a line for each kind of work."""
    events = [event for _, event in happened]
    ways: tuple[Callable[[], str | None], ...] = (
        lambda: _plan(events),
        lambda: _files(happened),
        lambda: _records(events),
        lambda: _decisions(events),
        lambda: _note(events),
    )
    told = (way() for way in ways)
    return [cut(one_line(line), LINE_CHARS) for line in told if line]


def _plan(events: Sequence[Event]) -> str | None:
    """Say how far the plan was."""
    steps = [event for event in events if isinstance(event, PlanStepRecorded)]
    if not steps:
        return None
    plan = {one.index: one.step for one in steps if one.revision == steps[-1].revision}
    moves = [
        event
        for event in events
        if isinstance(event, StepBegun | StepEnded)
        and event.revision == steps[-1].revision
        and event.index in plan
    ]
    if not moves:
        return f"Planned {counted(len(plan), 'step')}, the first: {plan[min(plan)]}"
    last = moves[-1]
    word = last.status if isinstance(last, StepEnded) else "begun"
    return f"Step {last.index + 1} of {max(plan) + 1} {word}: {plan[last.index]}"


def _files(happened: Sequence[Placed]) -> str | None:
    """Name the files that were changed, the latest first."""
    failed = {event.intent for _, event in happened if isinstance(event, FileOpAborted)}
    changed = [
        getattr(event, "to", None) or event.path
        for seq, event in happened
        if isinstance(event, FileEvent) and not isinstance(event, NO_WORK) and seq not in failed
    ]
    files = list(dict.fromkeys(reversed(changed)))
    if not files:
        return None
    return f"Changed {_named(files)} ({counted(len(changed), 'edit')})"


def _records(events: Sequence[Event]) -> str | None:
    """Name the records that were written, and those that were changed."""
    made = {event.id: event for event in events if isinstance(event, RecordCreated)}
    touched = dict.fromkeys(event.subject() for event in events if isinstance(event, RecordChange))
    changed = [one for one in touched if one and one not in made]
    parts = []
    if made:
        parts.append(f"Wrote {_named([f'{one.id} {one.title}' for one in made.values()])}")
    if changed:
        parts.append(f"{'changed' if made else 'Changed'} {_named(changed)}")
    return "; ".join(parts) or None


def _decisions(events: Sequence[Event]) -> str | None:
    decided = [f"{event.id} {event.title}" for event in events if isinstance(event, DecisionMade)]
    asked = [f"{event.id} {event.title}" for event in events if isinstance(event, ProposalMade)]
    parts = [f"Decided {_named(decided)}"] if decided else []
    if asked:
        parts.append(f"{'proposed' if decided else 'Proposed'} {_named(asked)}")
    return "; ".join(parts) or None


def _note(events: Sequence[Event]) -> str | None:
    """Give what was noted last."""
    audited = [event for event in events if isinstance(event, Audited)]
    noted = [event for event in audited if event.type not in OF_HOSTS]
    return f"Noted ({noted[-1].type}): {noted[-1].description}" if noted else None


def _named(things: Sequence[str]) -> str:
    more = len(things) - NAMED_MAX
    return ", ".join(things[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")
