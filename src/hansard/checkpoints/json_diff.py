"""The differences between two JSON values, path by path. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from hansard.kernel.blob import canonical_json
from hansard.kernel.model import Model

Change = Literal["added", "removed", "changed"]

FRAME_CHARS = 40
"""What the field names of a difference cost besides its path and values."""


class Difference(Model):
    """One place where two values differ."""

    path: str
    """A JSON Pointer: `/plan/steps/0`."""
    change: Change
    old: Any = None
    new: Any = None
    chars: int | None = None
    """Given instead of the values if these alone exceed a page: how long they are."""


def differences(old: object, new: object, path: str = "") -> Iterator[Difference]:
    """Go through what differs, in the order of keys; 1 and 1.0 and true are three values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _at(f"{path}/{_escaped(key)}", old, new, key)
    elif isinstance(old, list) and isinstance(new, list):
        before, after = dict(enumerate(old)), dict(enumerate(new))
        for index in range(max(len(old), len(new))):
            yield from _at(f"{path}/{index}", before, after, index)
    elif type(old) is not type(new) or old != new:
        yield Difference(path=path or "/", change="changed", old=old, new=new)


def page_of(found: Iterable[Difference], room_chars: int) -> list[Difference]:
    """Take as many differences as fit; at least one, without its values if necessary.

    A difference that would fill a page by itself is replaced by its length.
    """
    page: list[Difference] = []
    left = room_chars
    for one in found:
        size = _chars(one)
        if size > room_chars:
            one = Difference(path=one.path, change=one.change, chars=size)  # noqa: PLW2901
            size = _chars(one)
        if page and size > left:
            break
        page.append(one)
        left -= size
    return page


def _chars(one: Difference) -> int:
    values = (one.old, one.new)
    return FRAME_CHARS + len(one.path) + sum(len(canonical_json(value)) for value in values)


def _at(path: str, old: dict[Any, Any], new: dict[Any, Any], key: object) -> Iterator[Difference]:
    if key not in new:
        yield Difference(path=path, change="removed", old=old[key])
    elif key not in old:
        yield Difference(path=path, change="added", new=new[key])
    else:
        yield from differences(old[key], new[key], path)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
