"""Wall-clock times as sortable text: UTC, microseconds, fixed width."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Read the machine's clock."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """Write a time so that later times sort later."""
    # Not by strftime, which writes the year 999 with three digits on some systems.
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_text(text: str) -> datetime:
    """Read an ISO time as UTC, which one without an offset is taken for."""
    moment = datetime.fromisoformat(text)
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("the offset leads out of the years 1 to 9999") from error


def days_before(moment: str, days: int) -> str:
    """Go back some days; a date before the calendar sorts before all times."""
    try:
        return to_text(from_text(moment) - timedelta(days=days))
    except OverflowError:
        return ""
