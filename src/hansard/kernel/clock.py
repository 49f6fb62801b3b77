"""Wall-clock times as text that sorts: UTC, to the microsecond, always the same width."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Read the machine's clock."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """Write a time so that later times sort later."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_text(text: str) -> datetime:
    """Read an ISO time; one without an offset is UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
