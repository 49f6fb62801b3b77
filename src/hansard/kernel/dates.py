"""Finds the days in a text: `7 May 2023`, `in June`, `last spring`, `2023-05-07`. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

MONTHS = (
    "january february march april may june july august september october november december".split()
)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""By name, the month in which a season begins, in the north."""

TOLD_WITHIN = timedelta(days=7)
"""How many days later a day's events are often still told."""

HEAD_CHARS = 120
"""How far into a text to look for who speaks and when."""

TOLD_LATER = 0.5
"""The weight of a day that soon after the one asked for."""

# These two are words as well, so they are months only with a capital letter.
_MONTH = (
    "(?P<month>May|March|(?i:jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)|Mar)\\b\\.?"
)
_DAY = "(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = "(?P<year>(?:19|20)[0-9]{2})"
_YEAR_SAID = re.compile("(?:19|20)[0-9]{2}")
_BOUND = "(?i:(?P<bound>before|until|after|since)\\s+)?"
_DATES = tuple(
    f"(?<![\\w-]){_BOUND}{pattern}(?![\\w])"
    for pattern in (
        f"(?:on\\s+)?{_YEAR}-(?P<number>[01][0-9])(?:-(?P<day>[0-3][0-9]))?(?:T[0-9:.]+Z?)?",
        f"(?:on\\s+)?(?:the\\s+)?{_DAY}\\s+(?:of\\s+)?{_MONTH},?(?:\\s+{_YEAR})?",
        f"(?:on\\s+)?{_MONTH}\\s+{_DAY}(?:,?\\s+{_YEAR})?",
        f"(?:in\\s+)?{_MONTH},?\\s+{_YEAR}",
        f"(?:in|during|of|last|this|early|late|by)\\s+{_MONTH}",
        f"(?:in|during|of)\\s+{_YEAR}",
    )
)
_RELATIVE = re.compile(
    "(?i:\\b(?P<which>last|this)\\s+(?P<unit>week|month|year|spring|summer|autumn|fall|winter)\\b"
    "|\\b(?P<word>yesterday|today)\\b|\\b(?P<count>[0-9]{1,3})\\s+(?P<units>day|week|month|year)s?"
    "\\s+ago\\b)"
)
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class Span:
    """Days from one to another, both included."""

    first: date
    last: date
    is_yearly: bool = False
    """Whether no year was said, so that these days of any year are meant."""

    def nearness(self, day: date) -> float:
        """Say how well a day fits: 1 within, less soon after, 0 elsewhere."""
        if self.is_yearly:
            try:
                day = day.replace(year=self.first.year)
            except ValueError:
                day = day.replace(year=self.first.year, day=28)
        if self.first <= day <= self.last:
            return 1.0
        return TOLD_LATER if self.last < day <= _later(self.last, TOLD_WITHIN) else 0.0


def spans(text: str, today: date) -> list[Span]:
    """Give the days that a question asks about."""
    return [span for _, _, span in _found(text, today)]


def without_dates(text: str, today: date) -> str:
    """Give a question without the days it names, which do not say what it is about."""
    for start, end, _ in sorted(_found(text, today), key=lambda one: -one[0]):
        text = f"{text[:start].rstrip()} {text[end:].lstrip()}"
    return text.strip()


def day_in(text: str) -> date | None:
    """Give the first day that a text names with its year."""
    found = day_place(text)
    return found[2] if found else None


def day_place(text: str) -> tuple[int, int, date] | None:
    """Give where the first day that a text names with its year begins and ends, and the day."""
    if not _YEAR_SAID.search(text):
        return None
    whole = (
        (*match.span(), span.first)
        for pattern in _patterns()[:3]
        for match in pattern.finditer(text)
        if (span := _span(match)) and not span.is_yearly and span.first == span.last
    )
    return min(whole, default=None)


def day_said(*texts: str) -> str | None:
    """Give the first day that the first of some texts to name one does, as rows keep it."""
    days = (day_in(text) for text in texts)
    return next((day.isoformat() for day in days if day), None)


@cache
def _patterns() -> Sequence[re.Pattern[str]]:
    """Compile the patterns on first use: that takes milliseconds, and few processes need them."""
    return [re.compile(pattern) for pattern in _DATES]


def _found(text: str, today: date) -> Iterator[tuple[int, int, Span]]:
    taken: list[tuple[int, int]] = []
    for pattern in _patterns():
        for match in pattern.finditer(text):
            is_free = all(match.end() <= start or match.start() >= end for start, end in taken)
            if is_free and (span := _span(match)):
                taken.append(match.span())
                yield *match.span(), span
    for match in _RELATIVE.finditer(text):
        yield *match.span(), _relative(match, today)


def _span(match: re.Match[str]) -> Span | None:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    month = int(parts["number"]) if parts.get("number") else _month(parts.get("month"))
    day = int(parts["day"]) if parts.get("day") else None
    try:
        # A leap year, so that every possible day exists.
        first = date(year or 2024, month or 1, day or 1)
    except ValueError:
        return None
    last = first if day else _last_day(first, is_year=month is None)
    return _bounded(Span(first, last, is_yearly=year is None), parts.get("bound"))


def _bounded(span: Span, bound: str | None) -> Span:
    if not bound or span.is_yearly:
        return span
    if bound.lower() in ("before", "until"):
        return Span(date.min, span.first - timedelta(days=1))
    return Span(span.first, date.max)


def _relative(match: re.Match[str], today: date) -> Span:
    if word := match["word"]:
        day = today - timedelta(days=word.lower() == "yesterday")
        return Span(day, day)
    if match["count"]:
        days = _DAYS[match["units"].lower()]
        about = today - timedelta(days=int(match["count"]) * days)
        return Span(about - timedelta(days=days // 2), about + timedelta(days=days // 2))
    unit, is_last = match["unit"].lower(), match["which"].lower() == "last"
    if unit in SEASONS:
        return _season(SEASONS[unit], today, is_last=is_last)
    return _calendar(unit, today, is_last=is_last)


def _season(month: int, today: date, *, is_last: bool) -> Span:
    begun = date(today.year, month, 1)
    end = _later(begun, timedelta(days=91))
    if begun > today or (is_last and end >= today):
        begun = date(today.year - 1, month, 1)
    return Span(begun, _later(begun, timedelta(days=91)))


def _calendar(unit: str, today: date, *, is_last: bool) -> Span:
    if unit == "week":
        first = today - timedelta(days=today.weekday() + 7 * is_last)
        return Span(first, first + timedelta(days=6))
    first = today.replace(day=1)
    if unit == "month":
        first = (first - timedelta(days=1)).replace(day=1) if is_last else first
        return Span(first, _last_day(first, is_year=False))
    first = first.replace(month=1, year=today.year - is_last)
    return Span(first, _last_day(first, is_year=True))


def _month(name: str | None) -> int | None:
    if not name:
        return None
    return next(n for n, known in enumerate(MONTHS, start=1) if known.startswith(name.lower()))


def _last_day(first: date, *, is_year: bool) -> date:
    if is_year or first.month == len(MONTHS):
        return date(first.year, len(MONTHS), 31)
    return date(first.year, first.month + 1, 1) - timedelta(days=1)


def _later(day: date, by: timedelta) -> date:
    return day + by if day < date.max - by else date.max
