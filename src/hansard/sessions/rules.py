"""When a session has fallen behind. Pure: ticks in, words out; the wall clock has no say."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["fresh", "mild", "moderate", "severe"]
Status = Literal["active", "stale", "closed"]


@dataclass(frozen=True, slots=True)
class Staleness:
    """From how many ticks behind a session counts as stale, and how much."""

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
