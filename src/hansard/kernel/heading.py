"""The day at the head of a text, which is the day of all of it. Pure.

Any other day in a text is only mentioned: `The outage on 2019-03-01 taught us` was not written in
2019.
"""

import re
from datetime import date

from hansard.kernel.dates import HEAD_CHARS, day_in, day_place
from hansard.kernel.transcript import head_of, speaker_of

_BESIDE = (
    r"(?:[\d\s:.,*_()-]|\b(?i:am|pm|on|at|date|day|when|time|sent)\b"
    r"|\b(?i:mon|tues|wednes|thurs|fri|satur|sun)day\b)*"
)
"""What else a line may have that only says when: the time, the weekday, a label."""

_BEFORE = re.compile(rf"[#>\s]*{_BESIDE}")
_AFTER = re.compile(rf"{_BESIDE}(?:$|(?<=[:.)-])\s|[\u2013\u2014]\s)")
_BRACKETED = re.compile(r"[#>*\s-]*\[([^\]\n]{1,60})\]")


def day_heading(text: str) -> str | None:
    """Give the day in brackets at the head of a text, alone in its first line, or before words."""
    line = next((line for line in text[:HEAD_CHARS].splitlines() if line.strip()), "")
    bracketed = _BRACKETED.match(line)
    day = day_in(bracketed[1]) if bracketed else None
    day = day or day_in(head_of(line)) or _alone(line)
    return day.isoformat() if day else None


def _alone(line: str) -> date | None:
    """Give the first day in a line if nothing but a time and a mark stands before what is said."""
    found = day_place(line)
    if found is None:
        return None
    start, end, day = found
    is_first = _BEFORE.fullmatch(line[:start])
    after = line[end:]
    return day if is_first and (_AFTER.match(after) or speaker_of(after.lstrip(" ,"))) else None
