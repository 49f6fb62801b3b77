"""Times of samples: milliseconds since 1970, given so or as ISO text. Pure."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import BeforeValidator, WithJsonSchema

from hansard.entities.metrics.limits import TIME_MS_MAX
from hansard.kernel.clock import from_text

Bucket = Literal["minute", "hour", "day"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_EPOCH_MS = re.compile(r"[0-9]{9,}")
"""Milliseconds in a text; fewer digits are a year or a day of ISO 8601."""


def to_ms(given: object) -> int:
    """Read a time that a caller gives."""
    if isinstance(given, str):
        given = int(given) if _EPOCH_MS.fullmatch(given) else _read_iso(given)
    # A bool is an int to Python, not to a caller. Pydantic takes a ValueError for a refusal.
    if isinstance(given, bool) or not isinstance(given, int):
        raise ValueError("an ISO time, or milliseconds since 1970")  # noqa: TRY004
    if not 0 <= given <= TIME_MS_MAX:
        raise ValueError("a time between the years 1970 and 9999")
    return given


def clamped_ms(text: str) -> int:
    """Read a time that was accepted elsewhere; one before 1970 counts as 1970."""
    return max(0, _read_iso(text))


def to_iso(at_ms: int) -> str:
    """Write a time for a caller."""
    moment = _EPOCH + at_ms * _MILLISECOND
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1_000:03d}Z"


def _read_iso(text: str) -> int:
    try:
        return (from_text(text) - _EPOCH) // _MILLISECOND
    except ValueError:
        raise ValueError("not an ISO time, such as 2026-01-31T12:00:00Z") from None


Time = Annotated[int, BeforeValidator(to_ms), WithJsonSchema({"type": ["string", "integer"]})]
"""A time as callers give it: ISO text, or milliseconds since 1970."""
