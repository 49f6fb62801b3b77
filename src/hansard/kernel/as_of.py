"""Parses points in a project's past: a tick `t:12`, a seq `s:340`, or an ISO time."""

import re
from datetime import UTC, datetime, timedelta

from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import InvalidInput

_CLOCK_STEP = timedelta(microseconds=1)
"""The precision of times."""

_FIRST = datetime.min.replace(tzinfo=UTC)

_NUMBERED = re.compile(r"([ts]):([0-9]{1,18})")


def resolve(tx: ReadTx, point: str, *, argument: str = "as_of") -> int:
    """Find the last seq at that point; 0 is before everything."""
    if match := _NUMBERED.fullmatch(point):
        number = int(match[2])
        head = tx.head()
        newest = head.seq if match[1] == "s" else head.tick
        if number > newest:
            raise InvalidInput(
                f"{argument}: {point} is yet to come; the newest is {match[1]}:{newest}",
                argument=argument,
            )
        return number if match[1] == "s" else tx.seek(tick=number)
    return tx.seek(at=to_text(_moment(point, argument)))


def resolve_since(tx: ReadTx, point: str, *, argument: str = "since") -> int:
    """Find the last seq before what happened since that point, including a time itself."""
    if _NUMBERED.fullmatch(point):
        return resolve(tx, point, argument=argument)
    moment = _moment(point, argument)
    # Nothing is before the first moment of all, and nothing happened in it.
    return tx.seek(at=to_text(moment if moment == _FIRST else moment - _CLOCK_STEP))


def _moment(point: str, argument: str) -> datetime:
    try:
        return from_text(point)
    except ValueError:
        raise InvalidInput(
            f"{argument}: neither a tick `t:12`, a seq `s:340` nor an ISO time", argument=argument
        ) from None
