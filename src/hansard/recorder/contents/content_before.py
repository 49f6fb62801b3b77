"""The content of a file before a reported change: found by evidence, or unknown. Pure.

A host may say which texts it replaced. What was there before is then known if these can be put back
in one way only, or if a content that was kept elsewhere becomes the reported one by the same edits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text that took the place of another, once or wherever it stood."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """What there was before a change; by itself, no file."""

    content: bytes | None = None
    is_as_recorded: bool = False
    """Whether it was what was last recorded of the file."""
    is_unknown: bool = False
    """Whether there was a file with unknown content."""
    git: str | None = None
    """The object of Git that says so."""
    mode: int | None = None
    """The permission bits that it had, if somebody saw them."""


UNKNOWN = Before(is_unknown=True)
AS_RECORDED = Before(is_as_recorded=True)


@dataclass(frozen=True, slots=True)
class GitBlob:
    """What Git knows about a file."""

    id: str
    content: bytes


def find_before(
    now: bytes,
    edits: Sequence[Replaced] | None,
    *,
    recorded: bytes | None,
    is_recorded: bool,
    in_git: Iterable[GitBlob],
) -> Before:
    """Say what a file held before it was edited to hold `now`.

    `recorded` is what was last recorded of it, as far as that was kept; without any edits it stands
    for what was there, and so does what Git has. Edits must agree with either.
    """
    if edits is None:
        if is_recorded:
            return AS_RECORDED
        return next((Before(blob.content, git=blob.id) for blob in in_git), UNKNOWN)
    told = _in_line_ends_of(now, edits)
    if is_recorded and (recorded is None or applied(recorded, told) == now):
        return AS_RECORDED
    if (content := taken_back(now, told)) is not None:
        return Before(content)
    agreeing = (blob for blob in in_git if applied(blob.content, told) == now)
    return next((Before(blob.content, git=blob.id) for blob in agreeing), UNKNOWN)


def applied(content: bytes, edits: Sequence[Replaced]) -> bytes | None:
    """Make these edits; `None` if one of them does not fit, or fits in more places than one."""
    for edit in edits:
        old, new = edit.old.encode(), edit.new.encode()
        count = content.count(old) if old else 0
        if not count or (count > 1 and not edit.everywhere):
            return None
        content = content.replace(old, new)
    return content


def taken_back(content: bytes, edits: Sequence[Replaced]) -> bytes | None:
    """Give what becomes this content by these edits; `None` unless only one content does."""
    was = content
    for edit in reversed(edits):
        new = edit.new.encode()
        if not new or was.count(new) != 1:
            return None
        was = was.replace(new, edit.old.encode())
    return was if applied(was, edits) == content else None


def _in_line_ends_of(content: bytes, edits: Sequence[Replaced]) -> list[Replaced]:
    """Give edits with the line ends of the file; some hosts report all with line feeds."""
    is_dos = b"\r\n" in content and not any("\r\n" in edit.old + edit.new for edit in edits)
    if not is_dos:
        return list(edits)
    return [
        Replaced(edit.old.replace("\n", "\r\n"), edit.new.replace("\n", "\r\n"), edit.everywhere)
        for edit in edits
    ]
