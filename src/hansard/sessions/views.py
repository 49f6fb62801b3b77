"""The sessions of a project, their active records, and its activity."""

from typing import Any

from hansard.kernel.engine import Found, Row, Table
from hansard.kernel.event import Event
from hansard.kernel.view import Derivation, View
from hansard.sessions.events import (
    Activated,
    Deactivated,
    RecordChange,
    SessionBranched,
    SessionJoined,
    SessionLeft,
    SessionNaming,
    SessionSaved,
    SessionStarted,
    SessionSynced,
    SessionWasClosed,
)
from hansard.sessions.rules import joined

VERSION = 2
ACTIVITY_VERSION = 3
"""It keeps events in words: it is raised where these change."""

SESSIONS = Table(
    "sessions",
    {"status": "text", "started_seq": "integer"},
    (("status", "started_seq"),),
    history=True,
    version=VERSION,
)
"""A session is `open`; `ended` when its process went in order, so that nothing is active in it but
what it knew is kept; or `closed`, and then it no longer knows anything."""

ACTIVE = Table(
    "active_records",
    {"session": "text", "record": "text", "since": "integer"},
    (("session", "since"), ("record", "since")),
    history=True,
    version=VERSION,
)
"""Which records are active in which sessions, by both."""

BASES = Table("record_bases", {"session": "text"}, (("session",),), version=VERSION)
"""What a session knows of each record that is active in it. Apart, since it moves with every write.

`base` is the version it knows, `placed` the entry as of which it knows its place in the tree, and
`acknowledged` the one by which it said that it goes on beside others; 0 if never.
"""

OWN_TICKS = Table("session_own_ticks", history=True, version=VERSION)
"""How many of the project's ticks since a session's last sync are its own."""

ACTIVITY = Table(
    "activity",
    {"seq": "integer", "type": "text", "record_id": "text"},
    (("seq",), ("type", "seq"), ("record_id", "seq")),
    version=ACTIVITY_VERSION,
    is_large=True,
)


ACTIVE_RECORDS_MAX = 1_000_000
"""No session has more records active: each of them took a call."""


def active_key(session: str, record: str) -> str:
    """Name one activation. The record comes first: its id holds no line feed."""
    return f"{record}\n{session}"


def _session_started(event: SessionStarted, derivation: Derivation) -> None:
    entry = derivation.entry
    before = derivation.get(SESSIONS, event.id)
    row: Row = {
        "id": event.id,
        "title": before["title"] if before else None,
        "created": before["created"] if before else entry.at,
        "status": "open",
        "holders": [],
        "parent_session": None,
        "started_seq": entry.seq,
        "synced_seq": entry.seq,
        "last_sync_tick": entry.tick,
        "last_save": None,
        "last_save_tick": None,
        "last_save_seq": entry.seq,
    }
    derivation.put(SESSIONS, event.id, joined(row, str(entry.actor), event.holder))
    derivation.delete(OWN_TICKS, event.id)


def _session_joined(event: SessionJoined, derivation: Derivation) -> None:
    entry = derivation.entry
    row = _session(derivation, event.id)
    if row["status"] == "ended":
        for found in derivation.scan(BASES, {"session": event.id}, limit=ACTIVE_RECORDS_MAX):
            _hold(derivation, event.id, found.row["record"])
    derivation.put(SESSIONS, event.id, joined(row, str(entry.actor), event.holder))


def _session_left(event: SessionLeft, derivation: Derivation) -> None:
    row = _session(derivation, event.id)
    others = [one for one in row["holders"] if one["owner"] != event.owner]
    if others:
        derivation.put(SESSIONS, event.id, row | {"holders": others})
        return
    derivation.put(SESSIONS, event.id, row | {"holders": [], "status": "ended"})
    for found in _active(derivation, event.id):
        derivation.delete(ACTIVE, found.key)


def _session_branched(event: SessionBranched, derivation: Derivation) -> None:
    entry = derivation.entry
    parent = _session(derivation, event.parent_session)
    # It stands where its parent stood, so what the parent has not been told yet, it will be told.
    started = {"id": event.id, "created": entry.at, "parent_session": event.parent_session}
    unsaved = {"last_save": None, "last_save_tick": None, "last_save_seq": entry.seq}
    # The parent's own writes are no news to the branch either.
    own = derivation.get(OWN_TICKS, event.parent_session) or {"ticks": 0}
    synced = {"last_sync_tick": parent["last_sync_tick"] + own["ticks"], "started_seq": entry.seq}
    unheld: Row = {"title": None, "holders": [], "by": str(entry.actor), "is_joined": False}
    derivation.put(SESSIONS, event.id, parent | started | unsaved | unheld | synced)
    for found in _active(derivation, event.parent_session):
        base = derivation.get(BASES, found.key)
        assert base is not None, "a record is active without a base"
        key = active_key(event.id, found.row["record"])
        derivation.put(ACTIVE, key, found.row | {"session": event.id})
        derivation.put(BASES, key, base | {"session": event.id, "acknowledged": 0})


def _session_saved(event: SessionSaved, derivation: Derivation) -> None:
    entry = derivation.entry
    saved = {"last_save": entry.at, "last_save_tick": entry.tick, "last_save_seq": entry.seq}
    _update_session(derivation, event.id, saved | {"last_sync_tick": entry.tick})
    derivation.delete(OWN_TICKS, event.id)


def _session_synced(event: SessionSynced, derivation: Derivation) -> None:
    told = {"synced_seq": event.through_seq, "last_sync_tick": event.through_tick}
    _update_session(derivation, event.id, told)
    derivation.delete(OWN_TICKS, event.id)
    for record, tick in event.bases.items():
        _move_base(derivation, active_key(event.id, record), tick, event.through_seq)


def _session_closed(event: SessionWasClosed, derivation: Derivation) -> None:
    _update_session(derivation, event.id, {"status": "closed", "holders": []})
    for found in derivation.scan(BASES, {"session": event.id}, limit=ACTIVE_RECORDS_MAX):
        derivation.delete(ACTIVE, found.key)
        derivation.delete(BASES, found.key)


def _activated(event: Activated, derivation: Derivation) -> None:
    key, seq = active_key(event.session, event.record), derivation.entry.seq
    before = derivation.get(BASES, key)
    if before is None:
        _hold(derivation, event.session, event.record)
    known: int = before["acknowledged"] if before else 0
    acknowledged = seq if event.override else known
    _know(derivation, event.session, event.record, event.base, acknowledged)


def _deactivated(event: Deactivated, derivation: Derivation) -> None:
    key = active_key(event.session, event.record)
    derivation.delete(ACTIVE, key)
    derivation.delete(BASES, key)


def _note_any(event: Event, derivation: Derivation) -> None:
    """Keep what a session wrote active in it, and its title with it."""
    session = derivation.entry.session
    if isinstance(event, SessionNaming):
        assert session, "a session was named outside any session"
        _update_session(derivation, session, {"title": event.title})
    elif isinstance(event, RecordChange):
        assert session, "a record was changed outside any session"
        record = event.subject()
        assert record, "a change is of no record"
        if event.advances_tick:
            _note_change(derivation, session, record)
        else:
            _note_place(derivation, active_key(session, record))


def _is_noted(event: type[Event]) -> bool:
    return issubclass(event, SessionNaming | RecordChange)


def _note_change(derivation: Derivation, session: str, record: str) -> None:
    """Keep a record active in the session that wrote it, as of its own write."""
    entry, key = derivation.entry, active_key(session, record)
    own = derivation.get(OWN_TICKS, session) or {"ticks": 0}
    derivation.put(OWN_TICKS, session, {"ticks": own["ticks"] + 1})
    if derivation.get(BASES, key) is None:
        _hold(derivation, session, record)
        _know(derivation, session, record, entry.tick)
    else:
        _move_base(derivation, key, entry.tick, entry.seq)


def _note_place(derivation: Derivation, key: str) -> None:
    """Note that a session moved a record: it knows its place, and of its text what it knew."""
    row = derivation.get(BASES, key)
    assert row is not None, "a record was moved in a session where it is not active"
    derivation.put(BASES, key, row | {"placed": derivation.entry.seq})


def _hold(derivation: Derivation, session: str, record: str) -> None:
    row = {"session": session, "record": record, "since": derivation.entry.seq}
    derivation.put(ACTIVE, active_key(session, record), row)


def _know(
    derivation: Derivation, session: str, record: str, base: int, acknowledged: int = 0
) -> None:
    """Note the version a session knows, and up to which entry it knows who else is at it."""
    known = {"session": session, "record": record, "base": base, "placed": derivation.entry.seq}
    derivation.put(BASES, active_key(session, record), known | {"acknowledged": acknowledged})


def _move_base(derivation: Derivation, key: str, tick: int, seq: int) -> None:
    row = derivation.get(BASES, key)
    assert row is not None, "the base of a record moved in a session where it is not active"
    known = {"base": tick, "placed": seq}
    moved = {name: max(row[name], value) for name, value in known.items()}
    derivation.put(BASES, key, row | moved)


def _active(derivation: Derivation, session: str) -> list[Found]:
    return derivation.scan(ACTIVE, {"session": session}, limit=ACTIVE_RECORDS_MAX)


def _session(derivation: Derivation, session: str) -> dict[str, Any]:
    row = derivation.get(SESSIONS, session)
    assert row is not None, f"something happened to the session {session}, which never began"
    return row


def _update_session(derivation: Derivation, session: str, changes: dict[str, Any]) -> None:
    derivation.put(SESSIONS, session, _session(derivation, session) | changes)


def _is_listed(event: type[Event]) -> bool:
    return event.activity is not None


def _note_activity(event: Event, derivation: Derivation) -> None:
    if not _is_listed(type(event)):
        return
    entry = derivation.entry
    row = {
        "seq": entry.seq,
        "timestamp": entry.at,
        "type": event.activity,
        "session_id": entry.session,
        "record_id": event.subject(),
        "author": str(entry.actor),
        "summary": event.summary(),
    }
    derivation.put(ACTIVITY, f"{entry.seq:016d}", row)


VIEWS = (
    View(
        "sessions",
        VERSION,
        (SESSIONS, ACTIVE, BASES, OWN_TICKS),
        on={
            SessionStarted: _session_started,
            SessionJoined: _session_joined,
            SessionLeft: _session_left,
            SessionBranched: _session_branched,
            SessionSaved: _session_saved,
            SessionSynced: _session_synced,
            SessionWasClosed: _session_closed,
            Activated: _activated,
            Deactivated: _deactivated,
        },
        on_any=_note_any,
        for_any=_is_noted,
    ),
    View("activity", ACTIVITY_VERSION, (ACTIVITY,), on_any=_note_activity, for_any=_is_listed),
)
