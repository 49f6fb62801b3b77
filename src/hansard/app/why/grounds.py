"""The grounds of an entry: its session and step, the prompt before it, and what it cites."""

from collections.abc import Iterator
from typing import Any

from hansard.app.why.answers import Cited, Prompt
from hansard.decisions.tables import DECISIONS
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.recorder.events import Audited, SessionTitled
from hansard.recorder.gateway import Gateway
from hansard.recorder.story.chapters import sitting_of
from hansard.recorder.story.timeline_items import message_shown
from hansard.recorder.tables import STORY, chapter_number, story_key, story_place
from hansard.records.views import RECORDS
from hansard.sessions.citations import decisions_cited_in
from hansard.sessions.events import Activated, Deactivated, RecordChange, SessionWasClosed

PROMPTS = frozenset({"user_message", "prompt"})
"""The types of notes that say what a person asked for."""

PROMPT_SHOWN_CHARS = 500
LOOKED_MAX = 2_000
"""How many entries of a session are read for what was asked, and what was active."""


def grounds_of(tx: ReadTx, context: Context, entry: Entry, gateway: Gateway) -> dict[str, Any]:
    """Say who made an entry, where, at whose word and on what grounds."""
    event = context.store.kinds.decode(entry)
    cites: list[str] = list(getattr(event, "cites", None) or ())
    records = {one: "cited" for one in cites if tx.get(RECORDS, one)}
    decisions = {one: "cited" for one in cites if tx.get(DECISIONS, one)}
    for one in _active(tx, context, entry):
        records.setdefault(one, "active")
    path = getattr(event, "to", None) or getattr(event, "path", None)
    for governing in gateway.governed(tx, path) if path else ():
        decisions.setdefault(governing.id, "governs")
    for one in decisions_cited_in(tx, entry.session):
        decisions.setdefault(one, "cited in the session")
    named = [_record(tx, *one) for one in records.items()]
    stated = [_decision(tx, *one) for one in decisions.items()]
    return {
        "actor": str(entry.actor),
        "prompt": _prompt(tx, context, entry),
        "records": [one for one in named if one] or None,
        "decisions": [one for one in stated if one] or None,
        "cites": [one for one in cites if one not in {*records, *decisions}] or None,
        **_place(tx, entry, event),
    }


def _place(tx: ReadTx, entry: Entry, event: Event | None) -> dict[str, Any]:
    """Name the session and the step."""
    if entry.session is None:
        return {}
    told = {"session_id": entry.session, "session_title": sitting_of(tx, entry.session)["title"]}
    plan, index = getattr(event, "revision", None), getattr(event, "step", None)
    if index is None:
        return told
    place = story_place(chapter_number(plan, index))
    head = tx.get(STORY, story_key(entry.session, place))
    return told | {"plan_revision": plan, "index": index, "step": head["title"] if head else None}


def _prompt(tx: ReadTx, context: Context, entry: Entry) -> Prompt | None:
    """Find what a person had last asked for in the session."""
    for earlier, event in _before(tx, context, entry, (Audited, SessionTitled)):
        if isinstance(event, Audited) and event.type in PROMPTS:
            return Prompt(seq=earlier.seq, text=event.description[:PROMPT_SHOWN_CHARS])
        if isinstance(event, SessionTitled) and event.user_message:
            text = message_shown(tx, event.user_message, PROMPT_SHOWN_CHARS)
            return Prompt(seq=earlier.seq, text=text)
    return None


def _active(tx: ReadTx, context: Context, entry: Entry) -> list[str]:
    """Name the records that were active in the session as an entry was made, the last first."""
    over: set[str] = set()
    active: dict[str, None] = {}
    kinds = (Activated, Deactivated, SessionWasClosed, RecordChange)
    for _, event in _before(tx, context, entry, kinds):
        if isinstance(event, SessionWasClosed):
            break
        record = event.subject() or ""
        if isinstance(event, Deactivated):
            over.add(record)
        elif record not in over and (isinstance(event, Activated) or event.advances_tick):
            active[record] = None
    return list(active)


def _before(
    tx: ReadTx, context: Context, entry: Entry, events: tuple[type[Event], ...]
) -> Iterator[tuple[Entry, Event]]:
    """Go through a session's entries of some kinds before one, the latest first."""
    if entry.session is None:
        return
    kinds = [one.kind for one in context.store.kinds if issubclass(one, events)]
    for earlier in tx.entries(
        before=entry.seq, limit=LOOKED_MAX, descending=True, kinds=kinds, session=entry.session
    ):
        if event := context.store.kinds.decode(earlier):
            yield earlier, event


def _record(tx: ReadTx, identifier: str, how: Any) -> Cited | None:
    row = tx.get(RECORDS, identifier)
    if row is None:
        return None
    return Cited(id=identifier, title=row["title"], status=row["state"], how=how)


def _decision(tx: ReadTx, identifier: str, how: Any) -> Cited | None:
    row = tx.get(DECISIONS, identifier)
    if row is None:
        return None
    return Cited(id=identifier, title=row["title"], status=row["status"], how=how)
