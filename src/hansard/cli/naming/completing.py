"""Completions: commands, options, and ids, paths and projects of the store."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hansard.app.application import Application
from hansard.cli import commands
from hansard.cli.cli_session import looking
from hansard.cli.flags import Flags
from hansard.cli.naming import resolving
from hansard.cli.opened_store import opened
from hansard.cli.options import SHOWN
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.problem import Problem
from hansard.kernel.store import CATALOG, UNMADE
from hansard.recorder.answers import EvolutionAnswer
from hansard.sessions import projects
from hansard.sessions.wording import titled

Offer = tuple[str, str]
"""What may be typed, and what it is."""

SAFE = re.compile(r"[\w@.,/+=-][\w@.,/:+=-]*")
"""A shell inserts an offer as it is, so nothing with a special meaning is offered."""

OFFERED_MAX = 200

_RECORDS, _SESSIONS, _DECISIONS = resolving.RECORD, resolving.SESSION, resolving.DECISION

ARGUMENTS: dict[str, resolving.Kind | str] = {
    "records show": _RECORDS,
    "records history": _RECORDS,
    "records diff": _RECORDS,
    "records edit": _RECORDS,
    "records move-state": _RECORDS,
    "decisions show": _DECISIONS,
    "decisions supersede": _DECISIONS,
    "decisions accept": resolving.PROPOSAL,
    "decisions reject": resolving.PROPOSAL,
    "sessions show": _SESSIONS,
    "sessions end": _SESSIONS,
    "story": _SESSIONS,
    "timeline": _SESSIONS,
    "replay": _SESSIONS,
    "checkpoints list": _SESSIONS,
    "checkpoints prune": _SESSIONS,
    "checkpoints export": _SESSIONS,
    "checkpoints show": resolving.CHECKPOINT,
    "checkpoints diff": resolving.CHECKPOINT,
    "evolution": "paths",
    "restore": "paths",
    "why": "paths",
    "export": "projects",
    "projects show": "projects",
    "projects rename": "projects",
    "projects archive": "projects",
    "projects unarchive": "projects",
}
"""What the arguments of commands name."""

VALUES: dict[str, resolving.Kind | str] = {
    "--project": "projects",
    "--session": _SESSIONS,
    "--parent": _RECORDS,
    "--resolved-by": _RECORDS,
    "--path": "paths",
}
"""What the values of options name."""


def offers(words: Sequence[str]) -> list[Offer]:
    """Give completions of the last word, which may be begun or empty."""
    *before, begun = words or [""]
    found = (one for one in _all(before, begun) if SAFE.fullmatch(one[0]))
    return [one for one, _ in zip(_begun(found, begun), range(OFFERED_MAX), strict=False)]


def _begun(found: Iterator[Offer], begun: str) -> Iterator[Offer]:
    return (one for one in found if one[0].casefold().startswith(begun.casefold()))


def _all(before: list[str], begun: str) -> Iterator[Offer]:
    if before and (kind := VALUES.get(before[-1])):
        yield from _of_store(kind, before)
        return
    path, command = _command(before)
    if command is None:
        yield from ((name, "") for name in (*commands.COMMANDS, "help"))
        return
    if begun.startswith("-"):
        yield from _options(command)
        return
    below = getattr(command, "commands", {})
    yield from ((name, (one.help or "").partition("\n")[0]) for name, one in below.items())
    if kind := ARGUMENTS.get(" ".join(path)):
        yield from _of_store(kind, before)


def _command(before: list[str]) -> tuple[list[str], Any]:
    """Find the command that the words before lead to."""
    name = next((word for word in before if word in commands.COMMANDS), None)
    if name is None:
        return [], None
    import typer

    root: Any = typer.main.get_command(commands.typer_app([name]))
    command, path = root.commands[name], [name]
    for word in before[before.index(name) + 1 :]:
        if word in getattr(command, "commands", {}):
            command, path = command.commands[word], [*path, word]
    return path, command


def _options(command: Any) -> Iterator[Offer]:
    for one in command.params:
        if not getattr(one, "hidden", False):
            yield from ((flag, one.help or "") for flag in one.opts if flag.startswith("--"))


def _of_store(kind: resolving.Kind | str, before: Sequence[str]) -> Iterator[Offer]:
    """Read the store; if that fails, nothing is offered."""
    try:
        with opened(_flags(before), looking=True) as (application, _):
            found = list(_LISTED[kind](application) if isinstance(kind, str) else [])
            if isinstance(kind, resolving.Kind) and application.own_project() != UNMADE:
                things = application.store.read(application.own_project(), kind.things)
                found = [(one.id, titled(one.title or "")) for one in things]
    except Problem:
        return
    # A name that begins with a dash would count as an option.
    yield from (one for one in found if not one[0].startswith("-"))


def _flags(before: Sequence[str]) -> Flags:
    """Take the settings that say which store and project is meant."""
    flags: Flags = {}
    for word, value in zip(before, [*before[1:], ""], strict=True):
        name, given, inline = word.removeprefix("--").partition("=")
        if word.startswith("--") and name in SHOWN:
            flags[name] = inline if given else value
    return flags


def _paths(application: Application) -> Iterator[Offer]:
    asked = {"limit": LIST_LIMIT_MAX}
    files = application.call("get_evolution", asked, looking())
    assert isinstance(files, EvolutionAnswer), "get_evolution answers with an evolution"
    yield from ((one.path, "") for one in files.files or ())


def _projects(application: Application) -> Iterator[Offer]:
    found = application.store.read(CATALOG, projects.every)
    yield from ((one.row["id"], titled(one.row["name"])) for one in found)


_LISTED: dict[str, Callable[[Application], Iterator[Offer]]] = {
    "paths": _paths,
    "projects": _projects,
}
