"""When a session is stale, and whether somebody is present. Pure.

Ticks alone decide whether a session is stale, never the wall clock. The locks of its holders decide
whether somebody is present; for holders without a lock, the time since they last did something.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hansard.kernel.engine import Row
from hansard.kernel.session_holder import Holder

Level = Literal["fresh", "mild", "moderate", "severe"]
Status = Literal["active", "stale", "closed"]


@dataclass(frozen=True, slots=True)
class Staleness:
    """How many ticks behind a session counts as stale, and how stale."""

    mild_ticks: int = 10
    moderate_ticks: int = 50
    severe_ticks: int = 200

    def level(self, gap_ticks: int) -> Level:
        """Say how far behind a session is."""
        if gap_ticks >= self.severe_ticks:
            return "severe"
        if gap_ticks >= self.moderate_ticks:
            return "moderate"
        return "mild" if gap_ticks >= self.mild_ticks else "fresh"

    def status(self, gap_ticks: int, *, is_closed: bool = False) -> Status:
        """Say what state a session is in."""
        if is_closed:
            return "closed"
        return "active" if self.level(gap_ticks) == "fresh" else "stale"


def stale_warning(gap_ticks: int) -> str:
    """Word the warning that a stale session gets."""
    return f"{gap_ticks} writes occurred since your last sync"


SessionStatus = Literal["active", "idle", "away", "ended"]
"""Somebody is there and active, or there and idle; nobody is there; it is over."""

HOLDERS_MAX = 32
"""How many holders of a session are remembered, the latest."""

BY_DEEDS = ("http", "hook")
"""Connections on which a caller can be gone although what it came through is still there."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """For how long a session may do nothing."""

    idle_s: float = 15 * 60
    """Longer, and it is idle, though somebody is there."""
    away_s: float = 2 * 60 * 60
    """Longer, and a holder without a lock counts as gone."""


def joined(row: Row, by: str, holder: Holder | None) -> Row:
    """Give a session's row once somebody has come in."""
    came = _came(by, holder)
    others = [one for one in row["holders"] if one != came]
    holders = [*others, came][-HOLDERS_MAX:] if came else others
    who = {"by": by, "client": None, "version": None, "via": None}
    if holder:
        who |= {"client": holder.client, "version": holder.version, "via": holder.via}
    return row | who | {"status": "open", "is_joined": True, "holders": holders}


def is_in(row: Row, by: str, holder: Holder | None) -> bool:
    """Whether somebody is known to be in a session that is open."""
    if row["status"] != "open" or not row["is_joined"]:
        return False
    return holder is None or _came(by, holder) in row["holders"]


def session_status(
    row: Row, *, quiet_s: float, limits: Quiet, is_gone: Callable[[Row], bool]
) -> SessionStatus:
    """Say what state a session is in; `is_gone` says whether a holder's lock or token is."""
    if row["status"] != "open":
        return "ended"
    if not _is_anyone_there(row["holders"], quiet_s, limits, is_gone):
        return "away"
    return "active" if quiet_s <= limits.idle_s else "idle"


def _is_anyone_there(
    holders: list[Row], quiet_s: float, limits: Quiet, is_gone: Callable[[Row], bool]
) -> bool:
    def is_there(holder: Row) -> bool:
        is_told_by_deeds = holder["owner"] is None or holder["via"] in BY_DEEDS
        is_too_quiet = is_told_by_deeds and quiet_s > limits.away_s
        return not is_too_quiet and not is_gone(holder)

    # For a branch that nobody has joined, and for sessions of older programs, only activity tells.
    return any(map(is_there, holders)) if holders else quiet_s <= limits.away_s


def _came(by: str, holder: Holder | None) -> Row | None:
    return holder.model_dump() | {"by": by} if holder else None
