"""Reads Markdown of other programs: front matter, a title, sections. Pure.

Front matter is read as the plain lines that these programs write; nothing in it is executed, and
what is no plain line is left alone.
"""

import re
from dataclasses import dataclass, field

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z0-9_-]+):[ \t]*(.*)$")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^[ ]{0,3}(```|~~~)")

Value = str | list[str]


@dataclass(slots=True)
class Section:
    """A heading and what stands under it, up to the next one of whatever level."""

    level: int
    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Give what stands under it."""
        return "\n".join(self.lines).strip()


@dataclass(slots=True)
class MarkdownDocument:
    """A document of Markdown."""

    front: dict[str, Value]
    body: str
    """All but the front matter."""
    sections: list[Section]
    """The first has no heading if text comes before any."""

    @property
    def title(self) -> str | None:
        """Give the first heading of the highest level."""
        return next((one.heading for one in self.sections if one.level == 1), None)

    def under(self, *names: str) -> str:
        """Give what stands under the first section that begins with one of these, parts and all."""
        for place, one in enumerate(self.sections):
            if one.heading.casefold().startswith(names):
                return "\n\n".join(self._with_parts(place))
        return ""

    def _with_parts(self, place: int) -> list[str]:
        first = self.sections[place]
        parts = [first.text] if first.text else []
        for one in self.sections[place + 1 :]:
            if one.level <= first.level:
                break
            parts.append(f"{one.heading}: {one.text}" if one.text else one.heading)
        return parts


def parse(text: str) -> MarkdownDocument:
    """Read a document."""
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text
    return MarkdownDocument(_front(front[1] or "") if front else {}, body, _sections(body))


def one(value: Value | None) -> str | None:
    """Give a value that should stand alone."""
    if isinstance(value, list):
        return ", ".join(value) or None
    return value or None


def many(value: Value | None) -> list[str]:
    """Give a value that may be several."""
    if isinstance(value, list):
        return value
    return [part.strip() for part in (value or "").split(",") if part.strip()]


def bullets(text: str) -> list[str]:
    """Give the points of a list, or the paragraphs where there is none."""
    points: list[str] = []
    for line in text.splitlines():
        if found := re.match(r"^[ \t]{0,3}[*+-][ \t]+(.+)$", line):
            points.append(found[1].strip())
        elif points and line.startswith((" ", "\t")) and line.strip():
            points[-1] += f" {line.strip()}"
    return points or [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _front(text: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    name = ""
    for line in text.splitlines():
        if pair := _PAIR.match(line):
            name = pair[1]
            found[name] = _value(pair[2])
        elif name and (item := re.match(r"^[ \t]*-[ \t]+(.*)$", line)):
            before = found[name]
            listed = before if isinstance(before, list) else []
            found[name] = [*listed, _bare(item[1])]
    return found


def _value(text: str) -> Value:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_bare(part) for part in text[1:-1].split(",") if part.strip()]
    return _bare(text)


def _bare(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


def _sections(text: str) -> list[Section]:
    sections = [Section(0, "")]
    fence = ""
    for line in text.splitlines():
        if found := _FENCE.match(line):
            fence = "" if fence == found[1] else fence or found[1]
        heading = None if fence else _HEADING.match(line)
        if heading:
            sections.append(Section(len(heading[1]), heading[2]))
        else:
            sections[-1].lines.append(line)
    return sections
