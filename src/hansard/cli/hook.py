"""`hansard hook` for a person. A host that runs it uses `hansard.hooks.client`."""

import os
import shlex
import sys
from typing import Annotated

import orjson
import typer

from hansard.app.settings import person_key_location
from hansard.cli.flags import Flags, as_words
from hansard.cli.options import settings_flags
from hansard.cli.setup.hook_formats import HOSTS, Host, plugin_hooks
from hansard.cli.terminal.stderr import say
from hansard.hooks import client
from hansard.kernel.problem import InvalidInput


@settings_flags
def hook(
    flags: Flags,
    name: Annotated[str, typer.Argument(metavar="[HOST]", help=f"One of {', '.join(HOSTS)}.")] = "",
    *,
    event: Annotated[
        str, typer.Option(metavar="NAME", help="What happened, for a host that does not tell.")
    ] = "",
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print what to put into the host's settings.")
    ] = False,
    plugin: Annotated[
        bool, typer.Option("--plugin", help="With that: for a plugin folder with our server.")
    ] = False,
) -> None:
    """Record what a host's own tools did; the host runs this, with an event on stdin."""
    if print_config:
        _print_config(_host(name), flags, plugin=plugin)
        return
    if sys.stdin.isatty():
        raise InvalidInput(
            "A host runs this command and tells it on stdin what happened",
            hint=f"`hansard hook --print-config {name or 'HOST'}` prints what to put into its "
            "settings",
        )
    words = [name, *([f"--event={event}"] if event else []), *as_words(flags)]
    client.main([word for word in words if word])


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(hook)


def _host(name: str) -> Host:
    if name not in HOSTS:
        raise InvalidInput(
            f"There is no host {name}" if name else "Which host?",
            hint=f"There are {', '.join(HOSTS)}",
        )
    return HOSTS[name]


def _print_config(host: Host, flags: Flags, *, plugin: bool) -> None:
    """Print the settings, with a command that has the flags given here."""
    command = shlex.join(["hansard", "hook", host.name, *as_words(flags)])
    if plugin:
        try:
            config = plugin_hooks(host.name, command)
        except ValueError as error:
            raise InvalidInput(f"{error}", hint="Leave --plugin out") from None
        _print_json(config)
        say("This is hooks/hooks.json of a plugin folder that has our server.")
        return
    if host.file:
        print(host.file(command), end="")
        names = f", executable, as each of {', '.join(host.events)}" if host.events else ""
        say(f"Save this {'in' if host.events else 'as'} {host.settings_file}{names}.")
        return
    config = host.config(command)
    if host.denied:
        config |= host.denied(str(person_key_location(os.environ)))
    _print_json(config)
    say(f"Merge this into {host.settings_file}.")
    if host.note:
        say(f"It {host.note}.")


def _print_json(config: dict[str, object]) -> None:
    print(orjson.dumps(config, option=orjson.OPT_INDENT_2).decode())
