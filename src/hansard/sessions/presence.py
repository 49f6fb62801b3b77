"""Who is present in a session: looked up on demand, never written by a reader.

It is checked outside any transaction, since locks and tokens are not part of a project.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial

from hansard.kernel.clock import from_text
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.operation import Context
from hansard.kernel.store import Store
from hansard.sessions.directory import last_activity
from hansard.sessions.events import SessionLeft
from hansard.sessions.rules import Quiet, SessionStatus, session_status
from hansard.sessions.views import SESSIONS

QUIET = Quiet()

EndedTokens = Callable[[Store, Collection[str], str], set[str]]
"""Says which of these tokens are no longer valid at a time."""


@dataclass(frozen=True, slots=True)
class PresenceLook:
    """What was found out about the holders of some sessions."""

    now: str
    limits: Quiet
    free: frozenset[str] = frozenset()
    """Locks that nobody held. One that was not checked counts as held."""
    ended: frozenset[str] = frozenset()
    """Tokens that are no longer valid."""

    def status(self, tx: ReadTx, row: Row, *, as_of: int | None = None) -> SessionStatus:
        """Say what state a session is in."""
        quiet = from_text(self.now) - from_text(last_activity(tx, row, as_of=as_of))
        return session_status(
            row, quiet_s=quiet.total_seconds(), limits=self.limits, is_gone=self._is_gone
        )

    def _is_gone(self, holder: Row) -> bool:
        return holder["owner"] in self.free or holder["token"] in self.ended


@dataclass(frozen=True, slots=True)
class Presence:
    """Finds out who is there."""

    limits: Quiet = QUIET
    ended_tokens: EndedTokens = lambda _store, _tokens, _now: set()

    def look(self, context: Context, rows: Iterable[Row]) -> PresenceLook:
        """Check the locks and tokens of the holders of these sessions; not in a transaction.

        Past locks are not kept: for a point in the past, only the activity until then tells.
        """
        at = self._at(context)
        if context.as_of is not None:
            return at
        holders = [holder for row in rows for holder in row["holders"]]
        locks = {one["owner"] for one in holders if one["owner"]}
        tokens = {one["token"] for one in holders if one["token"]}
        free = locks - context.store.engine.held(locks) if locks else set()
        ended = self.ended_tokens(context.store, tokens, at.now) if tokens else set()
        return replace(at, free=frozenset(free), ended=frozenset(ended))

    def _at(self, context: Context) -> PresenceLook:
        as_of = context.as_of
        if as_of is None:
            return PresenceLook(context.stamp.at, self.limits)
        entries = context.read(lambda tx: tx.entries(after=as_of - 1, limit=1) if as_of else [])
        return PresenceLook(entries[0].at if entries else context.stamp.at, self.limits)


def leave(store: Store, begun: dict[tuple[str, str], Actor], owner: str, now: str) -> None:
    """Record that a process ends normally: the sessions it began for itself are over.

    Nothing is written for a session that never began, or that somebody else has ended.
    """
    for (project, session), actor in begun.items():
        if store.read(project, partial(_is_holding, session, owner)):
            store.write(project, partial(_leave, store, session, owner, Stamp(actor, now, session)))


def _leave(store: Store, session: str, owner: str, stamp: Stamp, tx: WriteTx) -> None:
    if _is_holding(session, owner, tx):
        store.record(tx, SessionLeft(id=session, owner=owner), stamp)


def _is_holding(session: str, owner: str, tx: ReadTx) -> bool:
    row = tx.get(SESSIONS, session)
    return row is not None and any(one["owner"] == owner for one in row["holders"])
