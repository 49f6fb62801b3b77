"""`hansard hook`: run by a host after its own tools have changed a file, to record that.

A host waits for its hooks and may read what they print or how they end. So whatever happens, this
prints nothing the host did not ask for, and ends with 0; what went wrong is said on stderr.
"""

import os
import shlex
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from hansard.app.application import Application
from hansard.app.settings import Settings, load, person_key_location, sources
from hansard.app.start import start
from hansard.cli.flags import Flags, as_words
from hansard.cli.hook_formats import HOSTS, Edited, Host, Notice, Prompted
from hansard.cli.host_edits import unpatched
from hansard.cli.opening import store_folder
from hansard.cli.options import settings_flags
from hansard.cli.saying import say, say_problem
from hansard.kernel.event import Actor
from hansard.kernel.holder import Holder
from hansard.kernel.limits import BODY_BYTES_MAX, DESCRIPTION_CHARS_MAX, TITLE_CHARS_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, Problem
from hansard.recorder.contract import SessionExists
from hansard.recorder.rules import encoded
from hansard.recorder.workspace import Workspace
from hansard.sessions.contract import SessionClosed, SessionNotFound

OWNER = "hook"
"""Names temporary files, of which a hook makes none."""


@settings_flags
def hook(
    flags: Flags,
    name: Annotated[str, typer.Argument(metavar="HOST", help=f"One of {', '.join(HOSTS)}.")],
    *,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print what to put into the host's settings.")
    ] = False,
) -> None:
    """Record what a host's own tools did; the host runs this, and tells it on stdin."""
    if print_config:
        _print_config(_host(name), flags)
        return
    if sys.stdin.isatty():
        raise InvalidInput(
            "A host runs this command and tells it on stdin what happened",
            hint=f"`hansard hook --print-config {name}` prints what to put into its settings",
        )
    try:
        known = _host(name)
        print(known.answer, end="")
        sys.stdout.flush()
        _take(known, sys.stdin.read(), flags)
    except Problem as problem:
        say_problem(problem)
    # The host must go on whatever is wrong with us; a person finds this in the host's log.
    except Exception as error:  # noqa: BLE001
        say(f"hansard: a bug in the hook: {type(error).__name__}: {error}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(hook)


def _host(name: str) -> Host:
    if name not in HOSTS:
        raise InvalidInput(f"There is no host {name}", hint=f"There are {', '.join(HOSTS)}")
    return HOSTS[name]


def _print_config(host: Host, flags: Flags) -> None:
    """Print the settings, with a command that has the flags given here."""
    config = host.config(shlex.join(["hansard", "hook", host.name, *as_words(flags)]))
    if host.denied:
        config |= host.denied(str(person_key_location(os.environ)))
    print(orjson.dumps(config, option=orjson.OPT_INDENT_2).decode())
    say(f"Merge this into {host.settings_file}.")


def _take(host: Host, text: str, flags: Flags) -> None:
    """Record what the host tells."""
    try:
        told = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"The host told something that is no JSON: {error}") from None
    notice = host.read(told, os.environ) if isinstance(told, dict) else None
    if notice is None:
        return
    if notice.workspace and "workspace" not in sources(flags):
        flags = flags | {"workspace": notice.workspace}
    settings = load(flags)
    application = start(settings)
    try:
        _record(application, settings, Actor("agent", host.name, "agent"), notice)
    finally:
        application.close()


def _record(application: Application, settings: Settings, actor: Actor, notice: Notice) -> None:
    """Record it under the host's session; once that was ended and resumed, under its next part."""
    for session in _parts(notice.session):
        caller = Caller(actor, session=session, holder=Holder(via="hook", client=actor.id))
        try:
            match notice.what:
                case Edited():
                    _record_edit(application, settings, caller, notice.what)
                case Prompted():
                    _record_prompt(application, caller, notice.what.text)
                case _:
                    application.call("record_session_end", {"session_id": session}, caller)
        except SessionClosed:
            continue
        except SessionNotFound:
            # It ends without having done anything that was recorded.
            return
        return


def _parts(session: str) -> Iterator[str]:
    yield session
    yield from (f"{session}.{number}" for number in count(2))


def _record_edit(
    application: Application, settings: Settings, caller: Caller, edited: Edited
) -> None:
    """Report the change with what the file holds now; if it is gone, that it was deleted."""
    root = Path(settings.workspace).expanduser()
    with Workspace(root, owner=OWNER, store=store_folder(settings)) as workspace:
        path = workspace.resolve(edited.path, for_agent=False)
        state = workspace.read(path)
    told: dict[str, Any] = {"path": str(path)}
    if state is None:
        application.call("record_file_delete", told, caller)
        return
    content, encoding = encoded(state.content)
    told["content"] = content
    if encoding == "base64":
        told["encoding"] = encoding
    if edited.is_new:
        application.call("record_file_create", told, caller)
        return
    if encoding == "utf-8":
        told |= _before(edited, content)
    application.call("record_file_edit", told, caller)


def _before(edited: Edited, content: str) -> dict[str, Any]:
    """Say what the file held before, as far as the host lets one know."""
    # Some hosts tell of every file with plain line feeds, which no such file then held.
    if edited.old is not None and ("\r\n" in edited.old) == ("\r\n" in content):
        return {"old_content": edited.old}
    if (was := unpatched(content, edited.hunks)) is not None:
        return {"old_content": was}
    edits = edited.edits or ()
    told = [{"old": one.old, "new": one.new, "all": one.everywhere} for one in edits]
    return {"edits": told} if told else {}


def _record_prompt(application: Application, caller: Caller, text: str) -> None:
    """Give the session its title by the user's first words; later ones are notes."""
    text = text.replace("\0", "")
    title = text.strip().splitlines()[0][:TITLE_CHARS_MAX]
    message = text.encode()[:BODY_BYTES_MAX].decode(errors="ignore")
    try:
        application.call("record_session_start", {"title": title, "user_message": message}, caller)
    except SessionExists:
        note = {"type": "user_message", "description": text.strip()[:DESCRIPTION_CHARS_MAX]}
        application.call("audit_event", note, caller)
