"""The timeline: what happened in a session or a project, from either end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import get_args

from hansard.kernel import paging
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.effect import Outcome
from hansard.kernel.engine import Position, ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.recorder import contract, limits, problems
from hansard.recorder.answers import TimelineAnswer, TimelineItem
from hansard.recorder.events import (
    EVENTS,
    Action,
    FileFound,
    FileOpIntended,
    FileOpRefused,
    FileReported,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.story.chapters import sitting_of
from hansard.recorder.story.timeline_items import Items, kind_name
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.events import SessionJoined, SessionLeft

COMING_AND_GOING = (SessionJoined, SessionLeft)
"""Shown here, though they are no activity of the project."""

FILE_KINDS = frozenset(f"file_{action}" for action in get_args(Action))
PAGE = 200
"""Entries read at a time."""

Told = tuple[int, TimelineItem | None]
"""An entry's seq, and what is shown of it, if anything."""


def get_timeline(
    gateway: Gateway, request: contract.GetTimeline, context: Context
) -> TimelineAnswer:
    """List what happened in a session, newest first unless asked; without one, in the project."""
    session = None if request.all_sessions else context.session
    path = _plain_path(gateway, request.path) if request.path is not None else None
    asked = _Asked(
        session=session,
        kinds=_chosen_kinds(context, request.kinds),
        reached=_reached(request),
        as_of=context.as_of,
        oldest_first=request.oldest_first,
    )

    def work(tx: ReadTx) -> TimelineAnswer:
        items = Items(tx, context, names_session=session is None)
        told = (
            (entry.seq, _wanted(items.tell(entry, path), request)) for entry in _entries(tx, asked)
        )
        room = request.budget_tokens * limits.CHARS_PER_TOKEN
        page = _Page(request.limit, room, folds=session is None)
        page.fill(told)
        return TimelineAnswer(
            session_id=session,
            timeline=page.items,
            sessions=_titles(tx, page.items),
            omitted=page.omitted or None,
            nextCursor=to_cursor(Position(page.cut_at, "")) if page.cut_at else None,
        )

    return context.read(work)


def required_session(context: Context) -> str:
    """Give the session that is asked about."""
    if context.session is None:
        raise SessionNotFound("Name the session; list_sessions shows them")
    return context.session


@dataclass(slots=True)
class _Page:
    """As many items as there is room for, at least one.

    If it folds, changes that a session makes to one file in a row are one item. Others may be at
    work at the same time: what they do does not end the row.
    """

    limit: int
    room: int
    folds: bool
    items: list[TimelineItem] = field(default_factory=list)
    omitted: int = 0
    cut_at: int | None = None
    """The last entry that is dealt with, if there are more."""
    _latest: dict[str | None, int] = field(default_factory=dict)
    """The place of the last item of each session."""

    def fill(self, told: Iterator[Told]) -> None:
        """Take items as long as there is room."""
        reached: int | None = None
        for looked, (seq, item) in enumerate(told):
            if looked == limits.TIMELINE_LOOKED_MAX:
                self.cut_at = reached
                return
            if item is not None and not self._take(item):
                self.cut_at = reached
                self._count_omitted(told)
                return
            reached = seq

    def _take(self, item: TimelineItem) -> bool:
        place = self._latest.get(item.session_id) if self.folds else None
        if place is not None and _goes_on(self.items[place], item):
            self.items[place] = _joined(self.items[place], item)
            return True
        self.room -= len(item.model_dump_json(exclude_none=True))
        if len(self.items) == self.limit or (self.room < 0 and self.items):
            return False
        self._latest[item.session_id] = len(self.items)
        self.items.append(item)
        return True

    def _count_omitted(self, told: Iterator[Told]) -> None:
        """Count what else the page would have held, had the budget left room."""
        if left := self.limit - len(self.items):
            more = (item for _, item in islice(told, limits.TIMELINE_LOOKED_MAX) if item)
            self.omitted = 1 + sum(1 for _ in islice(more, left - 1))


def _goes_on(item: TimelineItem, older: TimelineItem) -> bool:
    """Whether both are changes to one file that were made."""
    changes = (
        one.path is not None and one.to is None and one.status in (None, "done", "recovered")
        for one in (item, older)
    )
    who = (item.actor, item.reported, item.restore) == (older.actor, older.reported, older.restore)
    return all(changes) and who and item.path == older.path


def _joined(one: TimelineItem, other: TimelineItem) -> TimelineItem:
    """Make one item of changes to the same file, shown as of the newer."""
    older, item = sorted((one, other), key=lambda change: change.seq)
    count = (item.count or 1) + (older.count or 1)
    added, removed = ((getattr(item, one) or 0) + (getattr(older, one) or 0) for one in _LINES)
    lines = f" (+{added} -{removed})" if added or removed else ""
    return item.model_copy(
        update={
            "count": count,
            "first_seq": older.first_seq or older.seq,
            "before": older.before,
            "added": added,
            "removed": removed,
            "summary": f"{count} changes of {item.path}{lines}",
            "undone_by": item.undone_by if item.undone_by == older.undone_by else None,
        }
    )


_LINES = ("added", "removed")


def kind_names(event: type[Event]) -> frozenset[str]:
    """Give an event's name on the timeline; nothing if it is not on it.

    An outcome is shown with its intent, and a file that is only found by what follows.
    """
    if issubclass(event, FileOpIntended | FileReported):
        return FILE_KINDS
    if event is FileOpRefused:
        return frozenset({"file_refused"})
    is_told = event.activity or event in EVENTS or event in COMING_AND_GOING
    if not is_told or event is FileFound or issubclass(event, Outcome):
        return frozenset()
    return frozenset({kind_name(event)})


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
    """Give a path as the timeline has it; one that breaks the rule occurs only in refusals."""
    try:
        return str(gateway.plain(path))
    except (problems.PathInvalid, problems.PathOutsideWorkspace, problems.PathNotRegular):
        return problems.shown(path)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which entries are read, and from which end."""

    session: str | None
    kinds: Sequence[str]
    reached: int | None
    """The last entry that an earlier page dealt with."""
    as_of: int | None
    oldest_first: bool


def _reached(request: contract.GetTimeline) -> int | None:
    position = from_cursor(request.cursor)
    return position.value if position and isinstance(position.value, int) else None


def _entries(tx: ReadTx, asked: _Asked) -> Iterator[Entry]:
    """Go through a session's entries, or all of them."""
    after, before = 0, None if asked.as_of is None else asked.as_of + 1
    if asked.reached is not None and asked.oldest_first:
        after = asked.reached
    elif asked.reached is not None:
        before = asked.reached if before is None else min(before, asked.reached)
    return paging.entries(
        tx,
        after=after,
        before=before,
        kinds=asked.kinds,
        session=asked.session,
        descending=not asked.oldest_first,
        limit=PAGE,
    )


def _wanted(item: TimelineItem | None, request: contract.GetTimeline) -> TimelineItem | None:
    if item is None or (request.kinds is not None and item.kind not in request.kinds):
        return None
    if request.actor in (None, item.actor, item.actor.partition(":")[0]):
        return item
    return None


def _titles(tx: ReadTx, items: Sequence[TimelineItem]) -> dict[str, str] | None:
    """Give the titles of the sessions that items name."""
    named = dict.fromkeys(item.session_id for item in items if item.session_id)
    titles = {session: sitting_of(tx, session)["title"] for session in named}
    return {session: title for session, title in titles.items() if title} or None
