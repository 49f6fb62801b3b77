"""Which files of which hosts to change, and what belongs into each."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hansard.cli.setup import entries, guides, hooks
from hansard.cli.setup import hook_formats as hooked
from hansard.cli.setup.document import Document, document
from hansard.cli.setup.entries import WantedEntry
from hansard.cli.setup.files import look
from hansard.cli.setup.host_files import Around, HostFiles, Scope, claude_folder
from hansard.cli.setup.planning import FilePart
from hansard.cli.setup.texts import LeftAloneError

_ANY = "ANY-COMMAND"
"""Stands for any command, to see what a file of ours has around it."""

_RUNNERS_FOLDERS = ("archive-v0", "environments-v2", "builds-v0")
"""Folders of uv's cache, which come and go: a program there must not be named."""


@dataclass(slots=True)
class Targets:
    """Files to write, with what belongs into each; and what is to be said of hosts without one."""

    files: dict[Path, list[FilePart]] = field(default_factory=dict)
    says: list[str] = field(default_factory=list)

    def add(self, path: Path, part: FilePart) -> None:
        """Put a part into a file."""
        self.files.setdefault(path, []).append(part)


def around(folder: Path, environment: Mapping[str, str] = os.environ) -> Around:
    """Say where this user's files are."""
    return Around(folder, Path.home(), environment, sys.platform)


def wanted(flags: Sequence[str] = ()) -> WantedEntry:
    """Say what hosts should run: this program, by where it will still be tomorrow."""
    return WantedEntry(_program(), tuple(flags), exists=lambda program: bool(shutil.which(program)))


def _program() -> tuple[str, ...]:
    here = Path(sys.executable).with_name("hansard")
    if set(_RUNNERS_FOLDERS) & set(here.parts) and (runner := shutil.which("uvx")):
        return (runner, "hansard")
    if not here.exists() and (found := shutil.which("hansard")):
        here = Path(found)
    # Not resolved: a link on the way is what stays when the program is renewed.
    return (str(here.absolute()),)


def gather(
    hosts: Sequence[HostFiles], scope: Scope, where: Around, want: WantedEntry, *, with_hooks: bool
) -> Targets:
    """Gather the files to put Hansard into."""
    targets = Targets()
    for host in hosts:
        path = _file_for_entry(host, scope, where)
        if path is None:
            targets.says.append(
                f"{host.title} has no file for projects; `hansard init --user {host.name}` "
                "connects it everywhere."
            )
        elif scope == "project" and (other := _connected_by_user(host, path, where)):
            targets.says.append(f"{host.title} has it from {where.shown(other)} already.")
        else:
            targets.add(path, _server_part(host, scope, want))
        if with_hooks:
            _add_hooks(targets, host, scope, where, want)
    return targets


def add_guides(targets: Targets, hosts: Sequence[HostFiles], where: Around) -> None:
    """Add the files that tell agents to use it; a guide that takes in the common one needs that."""
    names = dict.fromkeys(host.guide for host in hosts if host.guide)
    for name in list(names):
        found = readable(where.folder / name)
        if found and guides.takes_in(found.text):
            names[guides.COMMON] = None
    for name in names:
        targets.add(where.folder / name, guides.passage_part())
    if any(host.name == "claude-code" for host in hosts):
        targets.add(where.folder / guides.SKILL_FILE, guides.skill_part())


def everything(
    hosts: Sequence[HostFiles], scope: Scope, where: Around, want: WantedEntry
) -> Targets:
    """Gather all files that Hansard may be in."""
    targets = Targets()
    for host in hosts:
        for path in host.files(scope, where):
            targets.add(path, _server_part(host, scope, want))
        for path in hooks_files(host, scope, where):
            targets.add(path, _hooks_part(host, want))
    if scope == "project":
        add_guides(targets, hosts, where)
    return targets


def hooks_files(host: HostFiles, scope: Scope, where: Around) -> list[Path]:
    """Give the files of a host's hooks: one for all, or one for each event; none if unknown."""
    if host.name not in hooked.HOSTS:
        return []
    place = _hooks_place(host, scope, where)
    events = hooked.HOSTS[host.name].events
    return [] if place is None else [place / event for event in events] or [place]


def _hooks_place(host: HostFiles, scope: Scope, where: Around) -> Path | None:
    named = Path(hooked.HOSTS[host.name].settings_file)
    if scope == "project":
        return where.folder / named
    elsewhere = {
        "claude-code": claude_folder(where) / named.name,
        "vscode": claude_folder(where) / named.name,
        "copilot-cli": None,
        "codex": where.own("CODEX_HOME", ".codex") / named.name,
        "opencode": where.config / "opencode" / "plugins" / named.name,
        "windsurf": where.home / ".codeium" / "windsurf" / named.name,
    }
    return elsewhere.get(host.name, where.home / named)


def readable(path: Path) -> Document | None:
    """Read a file to look at; `None` if it is not there or cannot be understood."""
    try:
        text = look(path).text
        found = None if text is None else document(path.name, text)
        return found if found is not None and found.data is not None else None
    except LeftAloneError:
        return None


def own_entries(path: Path, keys: Sequence[str]) -> dict[str, object]:
    """Give our entries of a host's file, the first being the one that counts."""
    found = readable(path)
    try:
        servers = entries.servers_in(found, keys) if found else {}
    except LeftAloneError:
        return {}
    return {name: servers[name] for name in entries.own_names(servers)}


def _file_for_entry(host: HostFiles, scope: Scope, where: Around) -> Path | None:
    """Give the file that has our entry already, of several that a host reads; else the first."""
    found = host.files(scope, where)
    having = (path for path in found if own_entries(path, host.keys))
    return next(having, found[0] if found else None)


def _connected_by_user(host: HostFiles, path: Path, where: Around) -> Path | None:
    """Give the user's file that connects a host already: a second entry would start it twice."""
    user = _file_for_entry(host, "user", where)
    if user is None or own_entries(path, host.keys):
        return None
    return user if any(own_entries(user, keys) for keys in user_keys(host, where)) else None


def user_keys(host: HostFiles, where: Around) -> list[tuple[str, ...]]:
    """Say under what a user's file may have servers that count in a project."""
    if host.name != "claude-code":
        return [host.keys]
    # The second is what `claude mcp add` writes when nothing else is said.
    return [host.keys, ("projects", str(where.folder), *host.keys)]


def _server_part(host: HostFiles, scope: Scope, want: WantedEntry) -> FilePart:
    return FilePart(
        host.title,
        lambda current: entries.install(current, host, scope, want),
        lambda current, before: entries.uninstall(current, host, before, want),
    )


def _hooks_part(host: HostFiles, want: WantedEntry) -> FilePart:
    hooking = hooked.HOSTS[host.name]
    if hooking.file:
        command = shlex.join([*want.program, "hook", host.name, *want.flags])
        begin, end = _form(hooking)
        what = "hook" if hooking.events else "plugin"
        part = guides.file_part(host.title, hooking.file(command), what, form=(begin, end))
        return replace(part, is_program=bool(hooking.events))
    return FilePart(
        host.title,
        lambda current: hooks.install(current, hooking, want),
        lambda current, before: hooks.uninstall(current, hooking, before, want),
    )


def _add_hooks(
    targets: Targets, host: HostFiles, scope: Scope, where: Around, want: WantedEntry
) -> None:
    files = hooks_files(host, scope, where)
    if not files:
        return
    others = hooks_files(host, "user" if scope == "project" else "project", where)
    has_hooks = is_file_of_ours if hooked.HOSTS[host.name].file else _has_hooks
    if others != files and any(map(has_hooks, others)):
        other = _shown(others, where)
        if not any(map(has_hooks, files)):
            targets.says.append(f"{host.title} has the hooks from {other} already.")
            return
        both = f"{_shown(files, where)} and {other}"
        targets.says.append(f"{host.title} has hooks in {both}: take those of one out.")
    for path in files:
        targets.add(path, _hooks_part(host, want))


def _shown(files: list[Path], where: Around) -> str:
    """Write where hooks are as people do: the folder, if there are several files."""
    return where.shown(files[0] if len(files) == 1 else files[0].parent)


def _form(hooking: hooked.Host) -> tuple[str, str]:
    """Give what a file of ours has before its command, and after it."""
    assert hooking.file, "a host whose hooks are settings has no file of ours"
    begin, _, end = hooking.file(_ANY).partition(_ANY)
    return begin, end


def words_of_file(host: HostFiles, path: Path) -> list[str] | None:
    """Give the words of the command that a file of ours runs; `None` if there is none."""
    hooking = hooked.HOSTS[host.name]
    if hooking.file is None:
        return None
    begin, end = _form(hooking)
    try:
        text = path.read_text(encoding="utf-8")
        if not text.startswith(begin) or not text.endswith(end):
            return None
        return shlex.split(text[len(begin) : len(text) - len(end)])
    except (OSError, ValueError):
        return None


def is_file_of_ours(path: Path) -> bool:
    """Whether a file of ours is there; what it says in detail is of no matter."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(hooked.FILE_MARK in line for line in text.splitlines()[:2])


def _has_hooks(path: Path) -> bool:
    found = readable(path)
    return found is not None and bool(hooks.is_hooked(found))
