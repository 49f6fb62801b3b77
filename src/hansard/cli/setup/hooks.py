"""Our hooks among a host's: finding them, and their change. Pure."""

import shlex
from collections.abc import Iterator
from typing import Any

from hansard.cli.flags import with_words
from hansard.cli.setup.document import Document
from hansard.cli.setup.entries import WantedEntry, is_run_by_another, program_length, pruned
from hansard.cli.setup.hook_formats import Host
from hansard.cli.setup.texts import LeftAloneError, Path

_HOOKS = "hooks"
_RUN = "command"
_MATCHER = "matcher"
FORMER_MATCHERS = ("Edit|Write|MultiEdit|NotebookEdit",)
"""What an install wrote before it knew of shells and of other hosts' tools."""

_GROUP = 3
"""How far the way to a group of handlers is."""


def install(document: Document, host: Host, wanted: WantedEntry) -> tuple[Document, str]:
    """Make a file run our hook at each event that tells something, once."""
    config = host.config(shlex.join([*wanted.program, "hook", host.name, *wanted.flags]))
    text = document.text
    if any(_is_left(words, wanted) for words in is_hooked(document)):
        # A user's own way of running it wins; two hooks would both record.
        return document, "is there already"
    for key, value in config.items():
        if key != _HOOKS and document.at(key) is None:
            document = document.put((key,), value)
    for event, groups in config[_HOOKS].items():
        ours = list(_ours(document, event))
        for path, words in ours:
            document = _updated(document, path, words, wanted)
            document = _rematched(document, path, groups)
        if not ours:
            for group in groups:
                there = document.at(_HOOKS, event) or []
                document = document.put((_HOOKS, event, len(there)), group)
    return document, "is there already" if document.text == text else "hooks added"


def uninstall(document: Document, host: Host, before: Document, wanted: WantedEntry) -> Document:
    """Take our hooks out of a file, or let them be what they were before."""
    for event in _events(document):
        text = document.text
        were = [before.at(*path, _RUN) for path, _ in _ours(before, event)]
        for path, words in reversed(list(_ours(document, event))):
            if not _is_written(document.at(*path), words, event, host, wanted):
                continue
            if were:
                document = document.put((*path, _RUN), were.pop())
                continue
            document = document.remove(path)
            # A group goes with the last of its handlers, unless one is commented out.
            group = path[:_GROUP]
            if path != group and document.is_bare((*group, _HOOKS)):
                document = document.remove(group)
        if document.text != text:
            document = pruned(document, (_HOOKS, event), before)
    return document


def _is_written(
    handler: Any, words: list[str], event: str, host: Host, wanted: WantedEntry
) -> bool:
    """Whether a handler is as an install writes it: it runs this program, or looks just so."""
    place = words.index("hook")
    if tuple(words[:place]) == wanted.program:
        return True
    form = host.config(handler[_RUN])[_HOOKS].get(event, [])
    handlers = [one for group in form for one in group.get(_HOOKS, [group])]
    return place == 1 and words[2:3] == [host.name] and handler in handlers


def is_hooked(document: Document) -> list[list[str]]:
    """Give the words of each hook of ours that a file runs."""
    try:
        return [words for event in _events(document) for _, words in _ours(document, event)]
    except LeftAloneError:
        return []


def _events(document: Document) -> list[str]:
    """Name the events that a file has hooks for."""
    found = document.at(_HOOKS)
    if found is not None and not isinstance(found, dict):
        raise LeftAloneError(f"{_HOOKS} is no table of events")
    return list(found or {})


def _is_left(words: list[str], wanted: WantedEntry) -> bool:
    is_current = words[: words.index("hook")] == list(wanted.program)
    return is_run_by_another(words) and not is_current


def _rematched(document: Document, path: Path, groups: list[Any]) -> Document:
    """Make a group that an earlier version wrote match the tools that are known now."""
    group = path[:_GROUP]
    if path == group or document.at(*group, _MATCHER) not in FORMER_MATCHERS:
        return document
    return document.put((*group, _MATCHER), groups[0][_MATCHER])


def _updated(document: Document, path: Path, words: list[str], wanted: WantedEntry) -> Document:
    """Change which program a hook runs; the settings that it names stay unless given anew."""
    place = words.index("hook")
    new = [*wanted.program, *words[place : place + 2]]
    new += with_words(words[place + 2 :], wanted.flags)
    return document if new == words else document.put((*path, _RUN), shlex.join(new))


def _ours(document: Document, event: str) -> Iterator[tuple[Path, list[str]]]:
    """Find our handlers of an event: in a group of handlers, or by themselves."""
    groups = document.at(_HOOKS, event)
    if groups is None:
        return
    if not isinstance(groups, list):
        raise LeftAloneError(f"the hooks of {event} are no list")
    for number, group in enumerate(groups):
        handlers = group.get(_HOOKS) if isinstance(group, dict) else None
        if isinstance(handlers, list):
            for place, handler in enumerate(handlers):
                if words := _words(handler):
                    yield (_HOOKS, event, number, _HOOKS, place), words
        elif words := _words(group):
            yield (_HOOKS, event, number), words


def _words(handler: Any) -> list[str] | None:
    """Give the words of a handler that runs our hook."""
    command = handler.get(_RUN) if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    runs = bool(words) and (length := program_length(words)) and words[length : length + 1]
    return words if runs == ["hook"] else None
