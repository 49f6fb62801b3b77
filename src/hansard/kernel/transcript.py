"""Finds the turns in a conversation that was written down as one text. Pure."""

import re
from collections.abc import Sequence

LINES_MIN = 4
"""A talk has at least this many turns, and half of its lines begin with who says them."""

_NAME = r"[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){0,2}?"
_TIME = r"(?:[\[(][^\])\n]{0,40}[\])]|\d[\d\s:/.,T-]{3,30}(?:[AaPp]\.?[Mm]\b\.?)?)[\s:,-]*"
_SAYS = re.compile(
    rf"^\s*(?:[-*>\u2022]\s+)?(?:\*\*)?(?:{_TIME})?(?:\*\*)?(?P<who>{_NAME})"
    r"(?:(?:\*\*)?\s*(?:\([^)\n]{0,40}\))?:(?:\*\*)?\s"
    r"|\s(?:said|says|asked|replied|wrote)[,:]?\s[\"\u201c])"
)
"""`Ana: …`, or `Ana said, "…`; perhaps in a list, in bold, or after a time."""


def speaker_of(line: str) -> str | None:
    """Say who speaks, if a line begins with that."""
    says = _SAYS.match(line)
    return says["who"] if says else None


def head_of(line: str) -> str:
    """Give what stands before what somebody says, with the time and the name; or nothing."""
    says = _SAYS.match(line)
    return says[0] if says else ""


def turns_of(text: str) -> Sequence[str]:
    """Give the turns of a talk, one of which may go on over lines; none if a text is no talk."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < LINES_MIN:
        return ()
    who = [speaker_of(line) for line in lines]
    said = [name for name in who if name]
    # Fields of a form have names before a colon too, but each its own.
    if len(said) < LINES_MIN or 2 * len(said) < len(lines) or 2 * len({*said}) > len(said):
        return ()
    turns: list[list[str]] = []
    for name, line in zip(who, lines, strict=True):
        if name or not turns:
            turns.append([line])
        else:
            turns[-1].append(line)
    return ["\n".join(turn) for turn in turns]
