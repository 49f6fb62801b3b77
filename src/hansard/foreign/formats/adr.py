"""Architecture decision records: a folder of Markdown, as adr-tools and MADR write it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hansard.foreign import limits, markdown
from hansard.foreign.items import Decision, ForeignFormat, ForeignRecord, Item, Skipped, Standing
from hansard.foreign.reading import beginning, moment, sources, whole
from hansard.kernel.limits import DESCRIPTION_CHARS_MAX, SUMMARY_CHARS_MAX, TITLE_CHARS_MAX
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import one_line

NAME = "adr"

_NUMBERED = re.compile(r"^(?:adr[-_]?)?(\d{1,6})[-_. ]", re.IGNORECASE)
_TITLE_NUMBER = re.compile(r"^(?:ADR[- ]?)?#?\d{1,6}[.:) -]+\s*", re.IGNORECASE)
_DATE = re.compile(r"^\s*\**Date\**:\**\s*(\d{4}-\d{2}-\d{2})", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(r"^\s*[*-]?\s*\**Status\**:\**\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_NAMED = (
    re.compile(r"\]\((?:[^()\s]*/)?(?:adr[-_]?)?0*(\d{1,6})[-_.]", re.IGNORECASE),
    re.compile(r"\bADR[- ]?0*(\d{1,6})\b", re.IGNORECASE),
    re.compile(r"\b0*(\d{1,6})\b"),
)
"""How another record is named: by a link to its file, by its number, or by a number alone."""

_BY = re.compile(r"super[sc]eded\s+by", re.IGNORECASE)
_REPLACES = re.compile(r"\b(?:super[sc]edes|replaces)\b", re.IGNORECASE)

SUPERSEDED = "superseded"
WORDS = (SUPERSEDED, "superceded", "deprecated", "rejected", "proposed", "draft", "accepted")
CONTEXT, DECIDED, CONSEQUENCES = ("context", "decision driver"), ("decision",), ("consequences",)


@dataclass(slots=True)
class _Adr:
    number: int
    path: Path
    title: str
    status: str
    rationale: str
    consequences: list[str]
    at: str | None
    supersedes: set[int] = field(default_factory=set)
    superseded_by: set[int] = field(default_factory=set)


def fits(path: Path) -> bool:
    """Whether this is a folder in which numbered Markdown files say what was decided."""
    numbered = [one for one in sources(path, ".md")[:50] if _NUMBERED.match(one.name)]
    start = b"\n".join(beginning(one) for one in numbered[:5]).lower()
    return bool(numbered) and (b"decision" in start or b"status" in start or b"decided" in start)


def read(path: Path) -> Iterator[Item]:
    """Read the records of a folder, each after those that it supersedes."""
    found: dict[int, _Adr] = {}
    for one in sources(path, ".md"):
        numbered = _NUMBERED.match(one.name)
        if numbered is None:
            yield Skipped(one.name, "its name does not begin with a number")
            continue
        try:
            adr = _adr(one, int(numbered[1]))
        except (InvalidInput, UnicodeDecodeError) as problem:
            yield Skipped(one.name, str(problem))
            continue
        if adr.number in found:
            yield Skipped(one.name, "another has the same number")
        else:
            found[adr.number] = adr
    yield from _linked(found)


def _adr(path: Path, number: int) -> _Adr:
    text = whole(path, limits.NOTE_BYTES_MAX).decode()
    document = markdown.parse(text)
    title = _TITLE_NUMBER.sub("", document.title or path.stem)
    told = markdown.one(document.front.get("status")) or document.under("status")
    if not told and (line := _STATUS.search(document.body)):
        told = line[1]
    parts = [document.under(*CONTEXT), document.under(*DECIDED)]
    rationale = "\n\n".join(part for part in parts if part) or _without_title(document.body)
    dated = markdown.one(document.front.get("date"))
    if dated is None and (line := _DATE.search(document.body)):
        dated = line[1]
    adr = _Adr(
        number,
        path,
        one_line(title).strip()[:TITLE_CHARS_MAX] or path.stem,
        _status(told),
        rationale[:DESCRIPTION_CHARS_MAX],
        [one[:SUMMARY_CHARS_MAX] for one in markdown.bullets(document.under(*CONSEQUENCES))],
        moment(dated),
    )
    _links(adr, told, text)
    return adr


def _without_title(body: str) -> str:
    """Give all that a document says after its title."""
    first, _, rest = body.strip().partition("\n")
    return rest.strip() if first.startswith("# ") and rest.strip() else body.strip()


def _status(told: str) -> str:
    """Give the last word that says how it stands: tools append what became of it."""
    lowered = told.casefold()
    said = [word for word in WORDS if word in lowered]
    return said[0] if said else "accepted"


def _links(adr: _Adr, told: str, text: str) -> None:
    for line in (told or "").splitlines() or [""]:
        if _BY.search(line):
            adr.superseded_by |= _numbers(_BY.split(line, maxsplit=1)[1])
        elif _REPLACES.search(line):
            adr.supersedes |= _numbers(_REPLACES.split(line, maxsplit=1)[1])
    for line in text.splitlines():
        if re.match(r"^\s*[*-]?\s*\**(?:Supersedes|Supercedes)\b", line, re.IGNORECASE):
            adr.supersedes |= _numbers(_REPLACES.split(line, maxsplit=1)[-1])
    adr.supersedes.discard(adr.number)
    adr.superseded_by.discard(adr.number)


def _numbers(text: str) -> set[int]:
    for form in _NAMED:
        if found := form.findall(text):
            return {int(one) for one in found}
    return set()


def _linked(found: dict[int, _Adr]) -> Iterator[Item]:
    """Give the decisions in order, each with the target of the chain that it goes on with."""
    for adr in found.values():
        for later in adr.superseded_by & found.keys():
            found[later].supersedes.add(adr.number)
    targets: dict[int, str] = {}
    taken: set[int] = set()
    for number, adr in sorted(found.items()):
        old = sorted(one for one in adr.supersedes if one in targets and one not in taken)
        if back := sorted(one for one in adr.supersedes & found.keys() if one > number):
            yield Skipped(adr.path.name, f"it supersedes {back[0]}, which came after it")
        has_end = any(later in found and later > number for later in _after(number, found))
        if adr.status in {"proposed", "draft", "rejected"}:
            yield _decision(
                adr, _target(adr), (), "rejected" if adr.status == "rejected" else "proposed"
            )
        elif adr.status == "deprecated" or (adr.status.startswith("super") and not has_end):
            yield _record(adr)
        else:
            taken |= set(old)
            targets[number] = targets[old[0]] if old else _target(adr)
            yield _decision(adr, targets[number], old, "active")


def _after(number: int, found: dict[int, _Adr]) -> list[int]:
    return [one for one, adr in found.items() if number in adr.supersedes]


def _target(adr: _Adr) -> str:
    return f"adr:{adr.path.stem}"[:TITLE_CHARS_MAX]


def _key(number: int) -> str:
    return f"{number:04d}"


def _decision(adr: _Adr, target: str, old: list[int] | tuple[()], standing: Standing) -> Decision:
    is_open = standing != "active"
    return Decision(
        _key(adr.number) + (f"/{standing}" if is_open else ""),
        target,
        adr.title,
        adr.rationale,
        tuple(adr.consequences[:100]),
        standing,
        tuple(map(_key, old)),
        draft=None if standing == "proposed" else f"{_key(adr.number)}/proposed",
        reason="Rejected in the folder that it was taken over from" if is_open else None,
        at=adr.at,
    )


def _record(adr: _Adr) -> ForeignRecord:
    """Keep what no longer holds, and nothing took the place of, as a record that is over."""
    return ForeignRecord(
        _key(adr.number),
        "decision",
        adr.title,
        f"{adr.status.capitalize()}, and nothing in the folder took its place",
        "\n\n".join([adr.rationale, *(f"- {one}" for one in adr.consequences)]),
        state="DISCARDED",
        reason=f"{adr.status.capitalize()} where it was taken over from",
        at=adr.at,
    )


FORMAT = ForeignFormat(
    NAME,
    "architecture decision records (adr-tools, MADR)",
    "docs/decisions/NNNN-title.md",
    fits,
    read,
)
