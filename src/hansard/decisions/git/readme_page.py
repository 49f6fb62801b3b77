"""The README of the decisions in Git: what holds, by target, with links. Pure.

Each commit makes it from the one before, so it costs as much after ten thousand decisions as after
ten. A line is found again by the link in it, which no title can fake: brackets in those are
escaped.
"""

import json
import re
from collections.abc import Iterable

from hansard.decisions.git.decision_page import DecisionPage, literal, one_line, place_of

NAME = "README.md"

LINES_MAX = 200
"""Decisions that it lists, the newest; a list of all would make every commit larger."""

_CHARS = 120
_TOP = f"""# What holds, by target

Each decision has a page, with why it was made, what it supersedes and what became of it.
`git log --follow PAGE` tells the story of one. At most the newest {LINES_MAX} are listed here.

| Target | Decision | Author | Recorded |
| --- | --- | --- | --- |
"""
_LINE = re.compile(r"\| .* \| \[([A-Z0-9]+)\]\([0-9a-f]{2}/\1\.md\) .*")


def revised(readme: bytes, page: DecisionPage) -> bytes:
    """Give the README with a decision that was just made, and without what it superseded."""
    lines = _lines(readme)
    for old in page.supersedes:
        lines.pop(old, None)
    author = f"{page.author_kind}:{page.author}"
    lines[page.id] = _line(page.id, page.target, page.title, author, page.at)
    return _written(lines)


def of_pages(pages: Iterable[bytes]) -> bytes:
    """Make the README of a repository that has none, from its pages."""
    lines = {}
    for page in pages:
        matter = _matter(page)
        if matter.get("status") == "active":
            named = (str(matter[name]) for name in ("target", "title", "author", "recorded"))
            lines[str(matter["id"])] = _line(str(matter["id"]), *named)
    return _written(lines)


def _written(lines: dict[str, str]) -> bytes:
    newest = sorted(lines, key=lambda one: (len(one), one))[-LINES_MAX:]
    listed = sorted((lines[one] for one in newest), key=lambda line: (line.casefold(), line))
    return (_TOP + "".join(f"{line}\n" for line in listed)).encode()


def _lines(readme: bytes) -> dict[str, str]:
    found = (_LINE.fullmatch(line) for line in readme.decode().split("\n"))
    return {line[1]: line[0] for line in found if line}


def _line(decision: str, target: str, title: str, author: str, at: str) -> str:
    link = f"[{decision}]({'/'.join(place_of(decision))})"
    about, what, who = (literal(one_line(text, _CHARS)) for text in (target, title, author))
    return f"| {about} | {link} {what} | {who} | {at[:10]} |"


def _matter(page: bytes) -> dict[str, object]:
    """Read the front matter of one of our pages: a name and a JSON value on each line."""
    lines = page.decode().partition("\n---\n")[0].split("\n")[1:]
    return {name: json.loads(value) for name, _, value in (line.partition(": ") for line in lines)}
