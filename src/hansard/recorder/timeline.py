"""The timeline of a session: its entries, newest first, each operation with its outcome."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import orjson

from hansard.kernel.effect import OPEN_INTENTS, Outcome, intent_key
from hansard.kernel.engine import Position, ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.kernel.page import from_cursor, to_cursor
from hansard.kernel.problem import InvalidInput
from hansard.recorder import contract, limits, problems
from hansard.recorder.answers import Timeline, TimelineItem
from hansard.recorder.events import (
    EVENTS,
    Action,
    Audited,
    ExternalChangeSeen,
    FileEvent,
    FileFound,
    FileOpIntended,
    FileOpRefused,
    FileReported,
    PlanStepRecorded,
    SessionTitled,
    StepBegun,
    is_irreversible,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.standing import taken_back_by
from hansard.recorder.tables import OUTCOMES, file_id
from hansard.sessions.contract import SessionNotFound

FILE_KINDS = frozenset(f"file_{action}" for action in get_args(Action))
PAGE = 200
"""Entries read at a time."""


def get_timeline(gateway: Gateway, request: contract.GetTimeline, context: Context) -> Timeline:
    """List what happened in a session, newest first."""
    session = required_session(context)
    kinds = _chosen_kinds(context, request.kinds)
    path = _plain_path(gateway, request.path) if request.path is not None else None
    position = from_cursor(request.cursor)
    before = position.value if position and isinstance(position.value, int) else None

    def work(tx: ReadTx) -> Timeline:
        items: list[TimelineItem] = []
        reached: int | None = None
        for looked, entry in enumerate(_entries(tx, session, kinds, before)):
            if len(items) == request.limit or looked == limits.TIMELINE_LOOKED_MAX:
                return _told(session, items, reached, request.budget_tokens)
            reached = entry.seq
            item = _item(tx, context, entry, path)
            if item and _is_wanted(item, request):
                items.append(item)
        return _told(session, items, None, request.budget_tokens)

    return context.read(work)


def required_session(context: Context) -> str:
    """Give the session that is asked about."""
    if context.session is None:
        raise SessionNotFound("Name the session; list_sessions shows them")
    return context.session


def kind_names(event: type[Event]) -> frozenset[str]:
    """Say what an event may be called on the timeline; nothing if it is not on it.

    An outcome is told with its intent, and a file that is only found is told by what follows.
    """
    if issubclass(event, FileOpIntended | FileReported):
        return FILE_KINDS
    if event is FileOpRefused:
        return frozenset({"file_refused"})
    is_told = event.activity or event in EVENTS
    if not is_told or event is FileFound or issubclass(event, Outcome):
        return frozenset()
    return frozenset({event.activity or event.kind})


def _chosen_kinds(context: Context, wanted: Sequence[str] | None) -> list[str]:
    """List the kinds of entries to look at."""
    names = {event.kind: kind_names(event) for event in context.store.kinds}
    known = frozenset[str]().union(*names.values())
    if strange := set(wanted or ()) - known:
        raise InvalidInput(
            f"kinds: {', '.join(sorted(strange))} is not among {', '.join(sorted(known))}",
            argument="kinds",
        )
    chosen = known if wanted is None else set(wanted)
    return [kind for kind, called in names.items() if called & chosen]


def _plain_path(gateway: Gateway, path: str) -> str:
    """Give a path as the timeline has it; of one that breaks the rule only refusals tell."""
    try:
        return str(gateway.plain(path))
    except (problems.PathInvalid, problems.PathOutsideWorkspace, problems.PathNotRegular):
        return problems.shown(path)


def _entries(tx: ReadTx, session: str, kinds: Sequence[str], before: int | None) -> Iterator[Entry]:
    """Go through a session's entries, newest first."""
    while page := tx.entries(
        before=before, limit=PAGE, descending=True, kinds=kinds, session=session
    ):
        yield from page
        before = page[-1].seq


def _item(tx: ReadTx, context: Context, entry: Entry, path: str | None) -> TimelineItem | None:
    """Tell an entry, if it is about the path that is asked for."""
    # Looking at the bytes spares reading what cannot match.
    if path is not None and orjson.dumps(path) not in (entry.payload or b""):
        return None
    event = context.store.kinds.decode(entry)
    if event is None:
        return None
    if path is not None and path not in _paths(event):
        return None
    kind = event.activity or event.kind
    if isinstance(event, FileOpIntended | FileReported):
        kind = f"file_{event.action}"
    elif isinstance(event, FileOpRefused):
        kind = "file_refused"
    return TimelineItem(
        seq=entry.seq,
        at=entry.at,
        kind=kind,
        actor=_author(entry, event),
        summary=event.summary(),
        **_details(tx, entry, event),
    )


def _author(entry: Entry, event: Event) -> str:
    """Say who did it; the entry only knows who noticed what came from outside."""
    if isinstance(event, ExternalChangeSeen):
        return "outside"
    return f"{entry.actor.kind}:{entry.actor.id}"


def _details(tx: ReadTx, entry: Entry, event: Event) -> dict[str, Any]:
    """Give what the timeline tells of an event of ours."""
    match event:
        case FileEvent():
            return _file_details(tx, entry, event)
        case PlanStepRecorded():
            return {"revision": event.revision, "index": event.index, "step": event.step}
        case StepBegun():
            return {"revision": event.revision, "index": event.index}
        case Audited():
            told = {"title": event.type, "content": event.description, "cites": event.cites or None}
            return told | {"revision": event.revision, "index": event.step}
        case SessionTitled():
            return {"title": event.title}
    return {}


def _file_details(tx: ReadTx, entry: Entry, event: FileEvent) -> dict[str, Any]:
    told: dict[str, Any] = {"path": event.path}
    if isinstance(event, FileOpRefused):
        return told | {"status": "refused", "code": event.code, "index": event.step}
    assert isinstance(event, FileOpIntended | FileReported | ExternalChangeSeen)
    told |= {
        "before": event.before.digest if event.before else None,
        "after": event.after.digest if event.after else None,
        "added": event.added,
        "removed": event.removed,
        "revision": event.revision,
        "index": event.step,
    }
    changed = (event.to if isinstance(event, FileOpIntended) else None) or event.path
    told["undone_by"] = taken_back_by(tx, file_id(event.workspace, changed), entry.seq)
    if isinstance(event, FileReported):
        unknown = {"before_unknown": True, "added": None, "removed": None}
        said = unknown if event.before_unknown else {}
        return told | said | {"reported": True, "cites": event.cites or None}
    if isinstance(event, FileOpIntended):
        told["irreversible"] = is_irreversible(event) or None
        outcome = tx.get(OUTCOMES, intent_key(entry.seq)) or {"status": "done"}
        if tx.get(OPEN_INTENTS, intent_key(entry.seq)) is not None:
            outcome = {"status": "open"}
        ended = {"status": outcome["status"], "code": outcome.get("code")}
        told |= ended | {"to": event.to, "cites": event.cites or None, "restore": event.restore}
    return told


def _paths(event: Event) -> list[str | None]:
    if not isinstance(event, FileEvent):
        return []
    return [event.path, event.to if isinstance(event, FileOpIntended) else None]


def _is_wanted(item: TimelineItem, request: contract.GetTimeline) -> bool:
    if request.kinds is not None and item.kind not in request.kinds:
        return False
    return request.actor is None or request.actor in (item.actor, item.actor.partition(":")[0])


def _told(
    session: str, items: Sequence[TimelineItem], reached: int | None, budget_tokens: int
) -> Timeline:
    """Put a page together, of as many items as the budget has room for, but at least one."""
    room = budget_tokens * limits.CHARS_PER_TOKEN
    shown: list[TimelineItem] = []
    for item in items:
        room -= len(item.model_dump_json(exclude_none=True))
        if room < 0 and shown:
            break
        shown.append(item)
    left_out = len(items) - len(shown)
    end = shown[-1].seq if left_out else reached
    return Timeline(
        session_id=session,
        timeline=shown,
        omitted=left_out or None,
        nextCursor=to_cursor(Position(end, "")) if end else None,
    )
