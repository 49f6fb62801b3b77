"""The directory of projects, the sessions of a project, what is active in them, its activity."""

from typing import Any

from hansard.kernel.engine import Found, Table
from hansard.kernel.event import Event
from hansard.kernel.view import Derivation, View
from hansard.sessions.events import (
    Activated,
    Deactivated,
    ProjectCreated,
    RecordChange,
    SessionBranched,
    SessionClosed,
    SessionHomed,
    SessionSaved,
    SessionStarted,
    SessionSynced,
)

VERSION = 2
ACTIVITY_VERSION = 1

PROJECTS = Table("projects", version=VERSION)
"""In the catalog: every project by id."""

HOMES = Table("session_homes", version=VERSION)
"""In the catalog: the project of each session whose id was chosen by a caller."""

SESSIONS = Table(
    "sessions",
    {"status": "text", "started_seq": "integer"},
    (("status", "started_seq"),),
    history=True,
    version=VERSION,
)

ACTIVE = Table(
    "active_records",
    {"session": "text", "record": "text", "since": "integer"},
    (("session", "since"), ("record", "since")),
    history=True,
    version=VERSION,
)
"""Which records are active in which sessions, by both."""

BASES = Table("record_bases", version=VERSION)
"""What a session knows of each record that is active in it. Apart, since it moves with every write.

`base` is the version it knows, `seq` an entry as of which the record was that version, `placed` the
one as of which it knows its place in the tree, and `acknowledged` the one by which it said that it
goes on beside others; 0 if never.
"""

OWN_TICKS = Table("session_own_ticks", version=VERSION)
"""How many of the project's ticks since a session's last sync are its own. Apart, as above."""

ACTIVITY = Table(
    "activity",
    {"seq": "integer", "type": "text", "record_id": "text"},
    (("seq",), ("type", "seq"), ("record_id", "seq")),
    version=ACTIVITY_VERSION,
)


ACTIVE_RECORDS_MAX = 1_000_000
"""No session has more records active: each of them took a call."""


def active_key(session: str, record: str) -> str:
    """Name one activation. The record comes first: its id holds no line feed."""
    return f"{record}\n{session}"


def _project_created(event: ProjectCreated, derivation: Derivation) -> None:
    row = {"id": event.id, "name": event.name, "description": event.description}
    derivation.put(PROJECTS, event.id, row | {"created": derivation.entry.at})


def _session_homed(event: SessionHomed, derivation: Derivation) -> None:
    derivation.put(HOMES, event.id, {"home": event.home})


def _session_started(event: SessionStarted, derivation: Derivation) -> None:
    entry = derivation.entry
    before = derivation.get(SESSIONS, event.id)
    row = {
        "id": event.id,
        "created": before["created"] if before else entry.at,
        "status": "open",
        "parent_session": None,
        "started_seq": entry.seq,
        "synced_seq": entry.seq,
        "last_sync_tick": entry.tick,
        "last_save": None,
        "last_save_tick": None,
        "last_save_seq": entry.seq,
    }
    derivation.put(SESSIONS, event.id, row)
    derivation.delete(OWN_TICKS, event.id)


def _session_branched(event: SessionBranched, derivation: Derivation) -> None:
    entry = derivation.entry
    parent = _session(derivation, event.parent_session)
    # It stands where its parent stood, so what the parent has not been told yet, it will be told.
    started = {"id": event.id, "created": entry.at, "parent_session": event.parent_session}
    unsaved = {"last_save": None, "last_save_tick": None, "last_save_seq": entry.seq}
    # What the parent wrote itself is no news to the branch either.
    own = derivation.get(OWN_TICKS, event.parent_session) or {"ticks": 0}
    synced = {"last_sync_tick": parent["last_sync_tick"] + own["ticks"], "started_seq": entry.seq}
    derivation.put(SESSIONS, event.id, parent | started | unsaved | synced)
    for found in _active(derivation, event.parent_session):
        base = derivation.get(BASES, found.key)
        assert base is not None, "a record is active without a base"
        key = active_key(event.id, found.row["record"])
        derivation.put(ACTIVE, key, found.row | {"session": event.id})
        derivation.put(BASES, key, base | {"acknowledged": 0})


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


def _session_closed(event: SessionClosed, derivation: Derivation) -> None:
    _update_session(derivation, event.id, {"status": "closed"})
    for found in _active(derivation, event.id):
        derivation.delete(ACTIVE, found.key)
        derivation.delete(BASES, found.key)


def _activated(event: Activated, derivation: Derivation) -> None:
    key, seq = active_key(event.session, event.record), derivation.entry.seq
    before = derivation.get(BASES, key)
    if before is None:
        _hold(derivation, event.session, event.record)
    known = before["acknowledged"] if before else 0
    acknowledged = seq if event.override else known
    row = {"base": event.base, "seq": seq, "placed": seq, "acknowledged": acknowledged}
    derivation.put(BASES, key, row)


def _deactivated(event: Deactivated, derivation: Derivation) -> None:
    key = active_key(event.session, event.record)
    derivation.delete(ACTIVE, key)
    derivation.delete(BASES, key)


def _note_change(event: Event, derivation: Derivation) -> None:
    """Keep what a session wrote active in it, as of its own write."""
    entry, record = derivation.entry, event.subject()
    if not isinstance(event, RecordChange):
        return
    assert entry.session, "a record was changed outside any session"
    assert record, "a change is of no record"
    key = active_key(entry.session, record)
    row = derivation.get(BASES, key)
    if not event.advances_tick:
        assert row is not None, "a record was moved in a session where it is not active"
        derivation.put(BASES, key, row | {"placed": entry.seq})
        return
    own = derivation.get(OWN_TICKS, entry.session) or {"ticks": 0}
    derivation.put(OWN_TICKS, entry.session, {"ticks": own["ticks"] + 1})
    if row is None:
        _hold(derivation, entry.session, record)
        derivation.put(BASES, key, {"base": 0, "seq": 0, "placed": 0, "acknowledged": 0})
    _move_base(derivation, key, entry.tick, entry.seq)


def _hold(derivation: Derivation, session: str, record: str) -> None:
    row = {"session": session, "record": record, "since": derivation.entry.seq}
    derivation.put(ACTIVE, active_key(session, record), row)


def _move_base(derivation: Derivation, key: str, tick: int, seq: int) -> None:
    row = derivation.get(BASES, key)
    assert row is not None, "the base of a record moved in a session where it is not active"
    known = {"base": tick, "seq": seq, "placed": seq}
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


def _note_activity(event: Event, derivation: Derivation) -> None:
    if event.activity is None:
        return
    entry = derivation.entry
    row = {
        "seq": entry.seq,
        "timestamp": entry.at,
        "type": event.activity,
        "session_id": entry.session,
        "record_id": event.subject(),
        "summary": event.summary(),
    }
    derivation.put(ACTIVITY, f"{entry.seq:016d}", row)


VIEWS = (
    View(
        "sessions",
        VERSION,
        (PROJECTS, HOMES, SESSIONS, ACTIVE, BASES, OWN_TICKS),
        on={
            ProjectCreated: _project_created,
            SessionHomed: _session_homed,
            SessionStarted: _session_started,
            SessionBranched: _session_branched,
            SessionSaved: _session_saved,
            SessionSynced: _session_synced,
            SessionClosed: _session_closed,
            Activated: _activated,
            Deactivated: _deactivated,
        },
        on_any=_note_change,
    ),
    View("activity", ACTIVITY_VERSION, (ACTIVITY,), on_any=_note_activity),
)
