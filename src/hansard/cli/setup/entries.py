"""Our entry among a host's servers: finding it, its state, and its change. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from hansard.cli.flags import with_words
from hansard.cli.setup.document import Document
from hansard.cli.setup.host_files import HostFiles, Scope
from hansard.cli.setup.texts import LeftAloneError

NAME = "hansard"

State = Literal["absent", "current", "stale", "other", "kept", "remote"]
"""`stale`: its program is not there any more. `other`: it is there, and is not this one. `kept`:
it is started in a way of its user's own. `remote`: it is reached over HTTP."""

_PROGRAM = re.compile(r"(?:.*[/\\])?hansard(?:\.exe)?", re.IGNORECASE)
_RUNNER = re.compile(r"(?:.*[/\\])?(?:uvx|uv|pipx)(?:\.exe)?", re.IGNORECASE)
_OTHER_RUNNER = re.compile(
    r"(?:.*[/\\])?(?:npx|npm|bunx|bun|pnpm|yarn|deno)(?:\.(?:exe|cmd))?", re.IGNORECASE
)
_PACKAGE = re.compile(r"hansard(?:[@\[=].*)?")
_SOURCES = ("--from", "--with", "--spec")
"""Flags of a runner that are followed by a package, not by what is run."""
_MODULE = re.compile(r"hansard(?:\.cli\.main)?")
_MENTION = re.compile(r"(?<![\w-])hansard(?![\w-])", re.IGNORECASE)
_URLS = ("url", "httpUrl", "serverUrl")


@dataclass(frozen=True, slots=True)
class WantedEntry:
    """What a host should run."""

    program: tuple[str, ...]
    """An absolute path; of a runner, with the words that make it run Hansard."""
    flags: tuple[str, ...] = ()
    """The settings that were given for it."""
    exists: Callable[[str], bool] = lambda _: True
    """Whether a program is there."""


def words_of(entry: object) -> list[str] | None:
    """Give the words of the command that an entry runs; `None` if it runs none."""
    if not isinstance(entry, Mapping):
        return None
    command, args = entry.get("command"), entry.get("args") or []
    if not isinstance(args, list):
        return None
    words = command if isinstance(command, list) else [command, *args]
    return list(words) if words and all(isinstance(word, str) for word in words) else None


def program_length(words: Sequence[str]) -> int:
    """Say how many of the first words make Hansard run; 0 if they run something else."""
    if _PROGRAM.fullmatch(words[0]):
        return 1
    if _RUNNER.fullmatch(words[0]):
        for number, (flag, word) in enumerate(pairwise(words)):
            if _PACKAGE.fullmatch(word) and flag not in _SOURCES:
                return number + 2
        return 0
    for number, (flag, module) in enumerate(pairwise(words)):
        if flag == "-m" and _MODULE.fullmatch(module):
            return number + 2
    return 0


def is_run_by_another(words: Sequence[str]) -> bool:
    """Whether a runner of packages runs it, with words that only its user can say anew."""
    return _RUNNER.fullmatch(words[0]) is not None


def own_names(servers: Mapping[str, Any]) -> list[str]:
    """Name the entries that are of Hansard, by what they are called or by what they run."""
    ours = [name for name, entry in servers.items() if _is_hansard(name, entry)]
    return sorted(ours, key=lambda name: name.casefold() != NAME)


def _is_hansard(name: str, entry: object) -> bool:
    """Whether an entry starts or reaches Hansard; others may be called so too."""
    words = words_of(entry)
    if words and program_length(words):
        return True
    return name.casefold() == NAME and not (words and _runs_other_package(words))


def _runs_other_package(words: Sequence[str]) -> bool:
    is_runner = _RUNNER.fullmatch(words[0]) or _OTHER_RUNNER.fullmatch(words[0])
    return is_runner is not None and not any(_MENTION.search(word) for word in words)


def is_written(name: str, entry: object, wanted: WantedEntry) -> bool:
    """Whether an entry is as an install writes it, so that an uninstall may take it out."""
    state = state_of(entry, wanted)
    return state == "current" or (name == NAME and state in ("stale", "other"))


def state_of(entry: object, wanted: WantedEntry) -> State:
    """Say how an entry stands to what is wanted."""
    if entry is None:
        return "absent"
    words = words_of(entry)
    if words is None:
        is_remote = isinstance(entry, Mapping) and any(name in entry for name in _URLS)
        return "remote" if is_remote else "kept"
    if tuple(words[: len(wanted.program)]) == wanted.program:
        return "current"
    if not program_length(words):
        return "kept"
    is_placed = "/" in words[0] or "\\" in words[0]
    if is_placed and not is_run_by_another(words) and not wanted.exists(words[0]):
        return "stale"
    return "other" if _PROGRAM.fullmatch(words[0]) else "kept"


def servers_in(document: Document, keys: Sequence[str]) -> dict[str, Any]:
    """Give a file's servers."""
    found, holder = document.at(*keys), document.at(*keys[:-1])
    if found is None and not (isinstance(holder, dict) and keys[-1] in holder):
        return {}
    if not isinstance(found, dict):
        raise LeftAloneError(f"{keys[-1]} is no table of servers")
    return found


def install(
    document: Document, host: HostFiles, scope: Scope, wanted: WantedEntry
) -> tuple[Document, str]:
    """Name our server in a file, once; returns it with what is to be said about it."""
    servers = servers_in(document, host.keys)
    names = own_names(servers)
    name = names[0] if names else NAME
    path = (*host.keys, name)
    if not names and (taken := [one for one in servers if one.casefold() == NAME]):
        return document, f"{taken[0]} is another server, and is left as it is; rename it first"
    entry = servers.get(name)
    state = state_of(entry, wanted)
    said = f"; {', '.join(names[1:])} also run Hansard" if names[1:] else ""
    if state == "absent":
        made = host.entry(scope, wanted.program[0], [*wanted.program[1:], *wanted.flags])
        return document.put(path, made), "added" + said
    if state in ("kept", "remote"):
        how = "is reached over HTTP" if state == "remote" else "is started in a way of its own"
        return document, f"{name} {how}, and is left as it is{said}"
    changed = _updated(document, path, entry, wanted)
    if changed.text == document.text:
        return document, "is there already" + said
    return changed, f"{name} gets the program's path of now{said}"


def _updated(
    document: Document, path: tuple[str, ...], entry: Any, wanted: WantedEntry
) -> Document:
    """Change which program an entry runs; the rest of it is its user's."""
    words = words_of(entry)
    assert words is not None, "only an entry that runs something is updated"
    length = len(wanted.program)
    if tuple(words[:length]) != wanted.program:
        length = program_length(words)
    args = [*wanted.program[1:], *with_words(words[length:], wanted.flags)]
    if isinstance(entry["command"], list):
        return _put(document, (*path, "command"), [wanted.program[0], *args])
    document = _put(document, (*path, "command"), wanted.program[0])
    return _put(document, (*path, "args"), args) if args or entry.get("args") else document


def _put(document: Document, path: tuple[str, ...], value: Any) -> Document:
    return document if document.at(*path) == value else document.put(path, value)


def uninstall(
    document: Document, host: HostFiles, before: Document, wanted: WantedEntry
) -> Document:
    """Take our server out of a file, or let it be what it was before."""
    was, text = before.at(*host.keys), document.text
    for name, entry in servers_in(document, host.keys).items():
        if not is_written(name, entry, wanted):
            continue
        old = was.get(name) if isinstance(was, dict) else None
        path = (*host.keys, name)
        runs = words_of(old) is not None
        document = _restored(document, path, old) if runs else document.remove(path)
    return document if document.text == text else pruned(document, host.keys, before)


def _restored(document: Document, path: tuple[str, ...], old: Any) -> Document:
    """Put back what we change of an entry; what its user changed since stays."""
    for key in ("command", "args"):
        if isinstance(old, dict) and key in old:
            document = _put(document, (*path, key), old[key])
        elif document.at(*path, key) is not None:
            document = document.remove((*path, key))
    return document


def pruned(document: Document, path: Sequence[str], before: Document) -> Document:
    """Take out what is empty along a path, from its end, as far as it was not there before."""
    for length in range(len(path), 0, -1):
        place = tuple(path[:length])
        if not document.is_bare(place) or before.at(*place) is not None:
            break
        document = document.remove(place)
    return document
