"""Edits JSON with comments and trailing commas, and keeps its layout.

What is not asked for stays as it is, to the byte. Pure: texts in, texts out.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hansard.cli.setup.texts import (
    BOM,
    LeftAloneError,
    Path,
    Splice,
    indent_of,
    line_of,
    newline_of,
    spliced,
)

DEPTH_MAX = 200
"""Deeper than any configuration, and well within what Python can call."""

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\r\n]*)?(?=\r?\n)")
_END_OF_LINE = re.compile(r"[ \t]*\r?\n")


@dataclass(slots=True)
class Node:
    """A value, and where it stands."""

    start: int
    end: int
    value: Any
    children: list["Child"] = field(default_factory=list)


@dataclass(slots=True)
class Child:
    """A member of an object or an element of an array."""

    key: str | int
    start: int
    """Where its name begins; of an element, its value."""
    node: Node
    comma: int | None = None
    """Where the comma after it stands, if there is one."""


def read(text: str) -> dict[str, Any]:
    """Give what a text says; an empty one says nothing."""
    if not text.removeprefix(BOM).strip():
        return {}
    root = _parse(text)
    if not isinstance(root.value, dict):
        raise LeftAloneError("it holds no object")
    return root.value


def put(text: str, path: Path, value: Any) -> str:
    """Set a value, with the objects that lead to it; a place one past an array's end adds to it."""
    if not text.removeprefix(BOM).strip():
        text = text + "{}" + newline_of(text)
    node = _parse(text)
    for number, step in enumerate(path):
        child = _child(node, step)
        if child is None:
            missing = _wrapped(path[number + 1 :], value)
            return spliced(text, _added(text, node, step, missing))
        node = child.node
    return spliced(text, [(node.start, node.end, _written(text, node.start, value))])


def remove(text: str, path: Path) -> str:
    """Take a value out, with its name and its comma."""
    node = _parse(text)
    for step in path[:-1]:
        child = _child(node, step)
        if child is None:
            return text
        node = child.node
    gone = _child(node, path[-1])
    return text if gone is None else spliced(text, _removed(text, node, gone))


def is_bare(text: str, path: Path) -> bool:
    """Whether an empty object or array holds white space only."""
    node = _parse(text)
    for step in path:
        child = _child(node, step)
        if child is None:
            return True
        node = child.node
    return not text[node.start + 1 : node.end - 1].strip()


def _wrapped(names: Sequence[str | int], value: Any) -> Any:
    for name in reversed(names):
        value = {name: value} if isinstance(name, str) else [value]
    return value


def _child(node: Node, step: str | int) -> Child | None:
    if not isinstance(node.value, dict if isinstance(step, str) else list):
        raise LeftAloneError(f"something else than expected stands before {step!r}")
    return next((child for child in node.children if child.key == step), None)


# Writing.


def _added(text: str, node: Node, key: str | int, value: Any) -> list[Splice]:
    """Add a child after the last one, in the way the others are written."""
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    if not _is_spread(text, node):
        return _added_inline(node, name + json.dumps(value, ensure_ascii=False))
    newline, step = newline_of(text), indent_of(text)
    base = _indent_before(text, node.start)
    own = _indent_before(text, node.children[-1].start) if node.children else base + step
    member = f"{newline}{own}{name}{_rendered(value, own, step, newline)}"
    if not node.children:
        end = len(text[: node.end - 1].rstrip())
        return [(end, node.end - 1, f"{member}{newline}{base}")]
    last = node.children[-1]
    after = last.node.end if last.comma is None else last.comma + 1
    # What is said of the last one on its line stays with it.
    rest = _REST_OF_LINE.match(text, after)
    place = rest.end() if rest else after
    if last.comma is not None:
        return [(place, place, f"{member},")]
    if place == after:
        return [(after, after, f",{member}")]
    return [(after, after, ","), (place, place, member)]


def _is_spread(text: str, node: Node) -> bool:
    """Whether children go on lines of their own: as those do that are there, or the text does."""
    if node.children:
        return "\n" in text[node.start : node.children[-1].start]
    is_root = not text[: node.start].strip(BOM + " \t\r\n")
    return is_root or "\n" in text.strip()


def _added_inline(node: Node, member: str) -> list[Splice]:
    if not node.children:
        return [(node.end - 1, node.end - 1, member)]
    last = node.children[-1]
    if last.comma is not None:
        return [(last.comma + 1, last.comma + 1, f" {member},")]
    return [(last.node.end, last.node.end, f", {member}")]


def _removed(text: str, node: Node, gone: Child) -> list[Splice]:
    start, end = gone.start, gone.node.end
    place = node.children.index(gone)
    around = text[node.start + 1 : start] + text[end : node.end - 1]
    if not around.strip(" \t\r\n,"):
        return [(node.start + 1, node.end - 1, "")]
    splices: list[Splice] = []
    if gone.comma is not None:
        end = gone.comma + 1
    elif place and (comma := node.children[place - 1].comma) is not None:
        splices.append((comma, comma + 1, ""))
    line_start = text.rfind("\n", 0, start) + 1
    alone_before = not text[line_start:start].strip()
    rest = _END_OF_LINE.match(text, end)
    if alone_before and line_start and rest:
        start, end = line_start, rest.end()
    elif alone_before and line_start and text[end:].lstrip(" \t")[:1] in ("}", "]"):
        start = line_start
    elif place + 1 < len(node.children):
        while text[end : end + 1] in (" ", "\t"):
            end += 1
    elif place:
        start = len(text[:start].rstrip(" \t"))
    return [*splices, (start, end, "")]


def _written(text: str, at: int, value: Any) -> str:
    return _rendered(value, _indent_before(text, at), indent_of(text), newline_of(text))


def _rendered(value: Any, base: str, step: str, newline: str) -> str:
    """Write a value as people would: an object over lines, a list of plain values on one."""
    if isinstance(value, dict) and value:
        own = base + step
        members = (
            f"{own}{json.dumps(key, ensure_ascii=False)}: {_rendered(one, own, step, newline)}"
            for key, one in value.items()
        )
        return "{" + newline + f",{newline}".join(members) + f"{newline}{base}}}"
    if isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        own = base + step
        elements = (f"{own}{_rendered(one, own, step, newline)}" for one in value)
        return "[" + newline + f",{newline}".join(elements) + f"{newline}{base}]"
    return json.dumps(value, ensure_ascii=False)


def _indent_before(text: str, at: int) -> str:
    """Give the white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


# Reading.


def _parse(text: str) -> Node:
    at = _skip(text, len(BOM) if text.startswith(BOM) else 0)
    root = _value(text, at, 0)
    if _skip(text, root.end) != len(text):
        raise _unreadable(text, root.end)
    return root


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEPTH_MAX:
        raise LeftAloneError("it is nested too deep")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise _unreadable(text, at)
    try:
        return Node(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _unreadable(text, at) from None


def _container(text: str, start: int, depth: int) -> Node:
    """Read an object or an array; a comma may follow the last of its children."""
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if children and children[-1].comma is None:
            raise _unreadable(text, at)
        child = _member(text, at, depth) if is_object else _element(text, at, depth, len(children))
        at = _skip(text, child.node.end)
        if text[at : at + 1] == ",":
            child.comma = at
            at = _skip(text, at + 1)
        children.append(child)
    value: Any = [child.node.value for child in children]
    if is_object:
        value = {child.key: child.node.value for child in children}
        if len(value) != len(children):
            raise LeftAloneError(f"a name stands twice, before line {line_of(text, at)}")
    return Node(start, at + 1, value, children)


def _member(text: str, at: int, depth: int) -> Child:
    name = _STRING.match(text, at)
    if name is None:
        raise _unreadable(text, at)
    colon = _skip(text, name.end())
    if text[colon : colon + 1] != ":":
        raise _unreadable(text, colon)
    return Child(json.loads(name[0]), at, _value(text, _skip(text, colon + 1), depth + 1))


def _element(text: str, at: int, depth: int, place: int) -> Child:
    return Child(place, at, _value(text, at, depth + 1))


def _unreadable(text: str, at: int) -> LeftAloneError:
    return LeftAloneError(f"it is not JSON at line {line_of(text, at)}")
