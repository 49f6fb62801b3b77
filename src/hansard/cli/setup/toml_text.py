"""Edits TOML by lines and leaves the rest unchanged.

Only what hosts need: a table, and single values of it. The caller checks with `read` whether the
text then says what was meant; what stands there in a form that is not known here comes out wrong
and is refused. Pure: texts in, texts out.
"""

import json
import re
import tomllib
from typing import Any

from hansard.cli.setup.texts import BOM, LeftAloneError, Path, newline_of

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADER = re.compile(r"\s*\[")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str) -> dict[str, Any]:
    """Give what a text says."""
    try:
        return tomllib.loads(text.removeprefix(BOM))
    except tomllib.TOMLDecodeError as error:
        raise LeftAloneError(f"it is not TOML: {error}") from None
    except RecursionError:
        raise LeftAloneError("it is nested too deep") from None


def put(text: str, path: Path, value: Any) -> str:
    """Set a table, or a single value of one that is there."""
    names = [str(step) for step in path]
    if isinstance(value, dict):
        return _table_added(text, names, value)
    lines = _LINE.findall(text)
    start, end = _section(lines, names[:-1])
    line = f"{_key(names[-1])} = {_literal(value)}{newline_of(text)}"
    where = _assignment(lines, start, end, names[-1])
    if where is None:
        if not lines[start].endswith("\n"):
            lines[start] += newline_of(text)
        lines.insert(start + 1, line)
    else:
        lines[where[0] : where[1]] = [_with_comment(line, lines[where[1] - 1])]
    return "".join(lines)


def remove(text: str, path: Path) -> str:
    """Take a table out with those below it, or a single value."""
    names = [str(step) for step in path]
    lines = _LINE.findall(text)
    if not _sections(lines, names):
        start, end = _section(lines, names[:-1])
        if (where := _assignment(lines, start, end, names[-1])) is not None:
            del lines[where[0] : where[1]]
        return "".join(lines)
    for start, end in reversed(_sections(lines, names)):
        last = _last_value(lines, start, end)
        # Of the blank lines before and after it, one is enough.
        is_apart = start > 0 and last < len(lines)
        is_doubled = is_apart and not lines[start - 1].strip() and not lines[last].strip()
        del lines[start - is_doubled : last]
    return "".join(lines)


def is_bare(text: str, path: Path) -> bool:
    """Whether a table without values holds no comments."""
    lines = _LINE.findall(text)
    found = _sections(lines, [str(step) for step in path])
    return not any(line.strip() for start, end in found for line in lines[start + 1 : end])


def _last_value(lines: list[str], start: int, end: int) -> int:
    """Give where a table's values end; comments after them are of the next, or its user's."""
    while end - 1 > start and not lines[end - 1].partition("#")[0].strip():
        end -= 1
    return end


def _table_added(text: str, names: list[str], value: dict[str, Any]) -> str:
    newline = newline_of(text)
    if text.removeprefix(BOM) and not text.endswith("\n"):
        text += newline
    gap = newline if text.removeprefix(BOM) and not text.endswith(newline * 2) else ""
    rows = [f"{_key(name)} = {_literal(one)}" for name, one in value.items()]
    return text + gap + newline.join([f"[{'.'.join(map(_key, names))}]", *rows, ""])


def _section(lines: list[str], names: list[str]) -> tuple[int, int]:
    for start, end in _sections(lines, names, below=False):
        return start, end
    raise LeftAloneError(f"{'.'.join(names)} is written in a form that is not edited here")


def _sections(lines: list[str], names: list[str], *, below: bool = True) -> list[tuple[int, int]]:
    """Find the tables of a name, and those below it: from the header to before the next."""
    found = []
    headers = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    for number, after in zip(headers, [*headers[1:], len(lines)], strict=True):
        named = _header(lines[number])
        if named is not None and (named[: len(names)] == names if below else named == names):
            found.append((number, after))
    return found


def _header(line: str) -> list[str] | None:
    """Give the names of a table's header; `None` if the line is none."""
    try:
        data: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    names = []
    while isinstance(data, dict) and data:
        [(name, data)] = data.items()
        names.append(name)
    return names


def _assignment(lines: list[str], start: int, end: int, name: str) -> tuple[int, int] | None:
    """Find the lines that set a name: the fewest from its first on that can be read."""
    begins = re.compile(rf"\s*(?:{re.escape(name)}|\"{re.escape(name)}\")\s*=")
    for first in range(start + 1, end):
        if not begins.match(lines[first]):
            continue
        for last in range(first + 1, end + 1):
            try:
                tomllib.loads("".join(lines[first:last]))
            except tomllib.TOMLDecodeError:
                continue
            return first, last
    return None


def _with_comment(line: str, last: str) -> str:
    """Keep the comment that stands behind a value."""
    for found in re.finditer(r"[ \t]*#", last):
        try:
            tomllib.loads(last[: found.start()])
        except tomllib.TOMLDecodeError:
            continue
        content = line.rstrip("\r\n")
        return content + last[found.start() :] if "=" in last[: found.start()] else line
    return line


def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _literal(value: Any) -> str:
    """Write a value; JSON's texts, numbers and lists are TOML's as well."""
    if isinstance(value, dict):
        members = ", ".join(f"{_key(name)} = {_literal(one)}" for name, one in value.items())
        return f"{{ {members} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
