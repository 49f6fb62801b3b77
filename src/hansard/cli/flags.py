"""Settings flags before or without a subcommand, parsed without a framework."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from hansard.app.settings import Declaration, declarations
from hansard.kernel.problem import InvalidInput

Flags = dict[str, Any]
"""Settings given as flags, by name; one that was not given is absent or `None`."""

PLACES = ("store", "workspace", "key_file", "secret_file", "git_folder", "anchor_file")
"""Settings that name a file or a folder."""


@dataclass(slots=True)
class Line:
    """A divided command line."""

    leading: list[str] = field(default_factory=list)
    """The settings' flags at its beginning, as they were typed."""
    flags: Flags = field(default_factory=dict)
    """The same, parsed."""
    rest: list[str] = field(default_factory=list)
    """The rest, from the first word that is no such flag."""


def read(arguments: list[str]) -> Line:
    """Divide a command line into leading settings and the rest."""
    known = {declared.flag: declared for declared in declarations()}
    line = Line()
    words = iter(arguments)
    for word in words:
        declared = _declared(word, known)
        if declared is None:
            line.rest = [word, *words]
            break
        _take(line, declared, word, words)
    return line


def as_words(flags: Flags, *, leave_out: tuple[str, ...] = ()) -> list[str]:
    """Write settings as the flags of another command, which may be run from another folder."""
    return [
        _as_word(declared, flags[declared.name])
        for declared in declarations()
        if flags.get(declared.name) is not None and declared.name not in leave_out
    ]


def with_words(words: Sequence[str], given: Sequence[str]) -> list[str]:
    """Set flags that `as_words` wrote in a command's words; all its others stay."""
    known = {declared.flag: declared for declared in declarations()}
    new = {declared.name: word for word in given if (declared := _declared(word, known))}
    replaced = set(new)
    merged, rest = [], iter(words)
    for word in rest:
        declared = _declared(word, known)
        own = [word]
        if declared and not isinstance(declared.default, bool) and "=" not in word:
            own += islice(rest, 1)
        if declared is None or declared.name not in replaced:
            merged += own
        elif declared.name in new:
            merged.append(new.pop(declared.name))
    return [*merged, *new.values()]


def _declared(word: str, known: Mapping[str, Declaration]) -> Declaration | None:
    """Give the setting that a flag sets, or takes back with `--no-`."""
    flag, _, _ = word.partition("=")
    declared = known.get(flag) or known.get(flag.replace("--no-", "--", 1))
    if declared is None or (flag != declared.flag and declared.default is not False):
        return None
    return declared


def _as_word(declared: Declaration, value: Any) -> str:
    if isinstance(value, bool):
        return declared.flag if value else f"--no-{declared.flag[2:]}"
    if declared.name in PLACES and value and "://" not in value:
        value = Path(value).expanduser().absolute()
    return f"{declared.flag}={value}"


def _take(line: Line, declared: Declaration, word: str, words: Iterator[str]) -> None:
    flag, given, value = word.partition("=")
    line.leading.append(word)
    if isinstance(declared.default, bool):
        if given:
            raise InvalidInput(f"{flag} takes no value", hint=f"{flag} or --no-{flag[2:]}")
        line.flags[declared.name] = flag == declared.flag
        return
    if not given:
        try:
            value = next(words)
        except StopIteration:
            raise InvalidInput(f"{flag} needs a value") from None
        line.leading.append(value)
    line.flags[declared.name] = value
