"""Entries of the journal as the timeline shows them: each operation once, with its outcome."""

from typing import Any

import orjson

from hansard.kernel.content import content
from hansard.kernel.effect import OPEN_INTENTS, intent_key
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.kernel.origin import happened
from hansard.kernel.problem import BlobRedacted
from hansard.recorder import limits
from hansard.recorder.answers import TimelineItem
from hansard.recorder.events import (
    Audited,
    ExternalChangeSeen,
    FileEvent,
    FileOpIntended,
    FileOpRefused,
    FileReported,
    PlanStepRecorded,
    RestoreBegun,
    SessionTitled,
    StepBegun,
    StepEnded,
    is_irreversible,
)
from hansard.recorder.story.restore_words import restore_words
from hansard.recorder.story.reverted_work import undone_by
from hansard.recorder.tables import OUTCOMES, REVISIONS, file_id

Changing = FileOpIntended | FileReported | ExternalChangeSeen


class Items:
    """Tells entries of one moment's journal."""

    def __init__(self, tx: ReadTx, context: Context, *, names_session: bool) -> None:
        """Of many sessions' entries, each names its own."""
        self._tx = tx
        self._context = context
        self._names_session = names_session

    def tell(self, entry: Entry, path: str | None) -> TimelineItem | None:
        """Show an entry, if it is about the requested path."""
        # Checking the bytes first saves decoding what cannot match.
        if path is not None and orjson.dumps(path) not in (entry.payload or b""):
            return None
        event = self._context.store.kinds.decode(entry)
        if event is None or (path is not None and path not in _paths(event)):
            return None
        return TimelineItem(
            seq=entry.seq,
            at=entry.at,
            happened=happened(self._tx, entry.seq),
            kind=_kind(event),
            actor=_author(entry, event),
            summary=self._summary(event),
            subject=None if isinstance(event, FileEvent) else event.subject(),
            session_id=entry.session if self._names_session else None,
            **self._details(entry, event),
        )

    def _summary(self, event: Event) -> str:
        if isinstance(event, RestoreBegun):
            asked = (event.scope, event.point)
            return restore_words(self._tx, self._context, *asked, is_undo=event.is_undo)
        return event.summary()

    def _details(self, entry: Entry, event: Event) -> dict[str, Any]:
        """Give what the timeline shows of one of our events."""
        match event:
            case FileEvent():
                return self._file(entry, event)
            case PlanStepRecorded() | StepBegun() | StepEnded():
                told = {
                    "step": getattr(event, "step", None),
                    "title": getattr(event, "status", None),
                }
                return told | _step(event.revision, event.index)
            case Audited():
                note = {"title": event.type, "content": event.description}
                cited = {"cites": event.cites or None}
                return note | cited | _step(event.revision, event.step)
            case SessionTitled():
                return {"title": event.title, "content": self._message(event)}
        return {}

    def _message(self, event: SessionTitled) -> str | None:
        if event.user_message is None:
            return None
        return message_shown(self._tx, event.user_message, limits.MESSAGE_TIMELINE_CHARS)

    def _file(self, entry: Entry, event: FileEvent) -> dict[str, Any]:
        told: dict[str, Any] = {"path": event.path}
        if isinstance(event, FileOpRefused):
            told |= {"status": "refused", "code": event.code}
            return told | _step(event.revision, event.step)
        assert isinstance(event, Changing)
        told |= _step(event.revision, event.step) | self._revision(entry, event)
        told |= {
            "before": event.before.digest if event.before else None,
            "after": event.after.digest if event.after else None,
            "added": event.added,
            "removed": event.removed,
        }
        match event:
            case FileReported():
                unknown = {"before_unknown": True, "added": None, "removed": None}
                told |= unknown if event.before_unknown else {}
                return told | {"reported": True, "cites": event.cites or None, "to": event.to}
            case FileOpIntended():
                told |= {"cites": event.cites or None, "restore": event.restore, "to": event.to}
                told |= {"irreversible": is_irreversible(event) or None}
                return told | self._ended(entry.seq)
            case _:
                return told

    def _ended(self, seq: int) -> dict[str, Any]:
        """Say how an operation ended, or that it has not."""
        if self._tx.get(OPEN_INTENTS, intent_key(seq)) is not None:
            return {"status": "open"}
        outcome = self._tx.get(OUTCOMES, intent_key(seq)) or {"status": "done"}
        return {"status": outcome["status"], "code": outcome.get("code")}

    def _revision(self, entry: Entry, event: Changing) -> dict[str, Any]:
        """Say which revision of the file a change made, and what has taken it back since."""
        path = getattr(event, "to", None) or event.path
        file = file_id(event.workspace, path)
        for found in self._tx.scan(REVISIONS, {"file": file, "seq": entry.seq}, limit=1):
            taken = undone_by(self._tx, file, entry.seq)
            return {"revision": found.row["revision"] or None, "undone_by": taken}
        return {}


def message_shown(tx: ReadTx, digest: Any, chars_max: int) -> str:
    """Give the beginning of a user's message."""
    try:
        text = content(tx, digest).decode()
    except BlobRedacted:
        return "(redacted)"
    return text if len(text) <= chars_max else f"{text[:chars_max]}…"


def _kind(event: Event) -> str:
    if isinstance(event, FileOpIntended | FileReported):
        return f"file_{event.action}"
    return "file_refused" if isinstance(event, FileOpRefused) else kind_name(type(event))


def kind_name(event: type[Event]) -> str:
    """Name what happened as the timeline does: without the capability and the version."""
    return event.activity or event.kind.split(".")[-2]


def _author(entry: Entry, event: Event) -> str:
    """Say who did it; the entry only knows who noticed what came from outside."""
    if isinstance(event, ExternalChangeSeen):
        return "outside"
    return str(entry.actor)


def _step(plan_revision: int | None, index: int | None) -> dict[str, Any]:
    return {"plan_revision": plan_revision, "index": index}


def _paths(event: Event) -> list[str | None]:
    if not isinstance(event, FileEvent):
        return []
    moved = ("to", "moved_from", "moved_to")
    return [event.path, *(getattr(event, name, None) for name in moved)]
