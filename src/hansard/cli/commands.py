"""The list of commands, and how one is found and run. A command's module is loaded for its use."""

import io
import json
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import typer

from hansard.cli.options import settings_flags
from hansard.kernel.problem import InvalidInput

COMMANDS = {
    "serve": "hansard.cli.serve",
    "open": "hansard.cli.open",
    "token": "hansard.cli.token",
    "secret": "hansard.cli.secret",
    "demo": "hansard.cli.demo",
    "projects": "hansard.cli.projects",
    "records": "hansard.cli.records",
    "sessions": "hansard.cli.sessions",
    "log": "hansard.cli.log",
    "verify": "hansard.cli.verify",
    "rebuild": "hansard.cli.rebuild",
    "doctor": "hansard.cli.doctor",
    "anchor": "hansard.cli.anchor",
    "backup": "hansard.cli.backup",
    "restore-backup": "hansard.cli.restore_backup",
    "export": "hansard.cli.bundle",
    "import": "hansard.cli.bundle",
    "replay": "hansard.cli.replay",
    "redact": "hansard.cli.redact",
    "gc": "hansard.cli.gc",
    "repair": "hansard.cli.repair",
    "checkpoints": "hansard.cli.checkpoints",
    "timeline": "hansard.cli.timeline",
    "story": "hansard.cli.story",
    "evolution": "hansard.cli.evolution",
    "why": "hansard.cli.why",
    "workspace": "hansard.cli.workspace",
    "undo": "hansard.cli.undo",
    "restore": "hansard.cli.restore",
    "watch": "hansard.cli.watch",
    "hook": "hansard.cli.hook",
    "metrics": "hansard.cli.metrics",
    "decisions": "hansard.cli.decisions",
    "entities": "hansard.cli.entities",
    "export-schema": "hansard.cli.export_schema",
}
"""Each command and the module that has it. A module registers its commands on the app it is given:
one, or a group."""

MADE = Path(__file__).parent / "made" / "commands.json"
"""What each command says of itself, so that listing them loads none; `make generate` writes it."""

HELP = """The official record of what your agents thought, decided and did.

Without a command, Hansard serves MCP on stdin and stdout: that is how clients start it.
"""


def typer_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Make the app of these commands."""
    app = _empty_app()
    for module in dict.fromkeys(COMMANDS[name] for name in names):
        import_module(module).register(app)
    return app


def listing_app() -> typer.Typer:
    """Make an app that can list all commands, from what was written down of them."""
    app = _empty_app()
    told: dict[str, str] = json.loads(MADE.read_bytes())
    for name, text in told.items():
        app.command(name, help=text)(_listed)
    return app


def _empty_app() -> typer.Typer:
    app = typer.Typer(
        name="hansard",
        help=HELP,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True, help=HELP)(settings_flags(_bare))
    return app


def run(name: str, arguments: list[str]) -> int:
    """Run one command; returns its exit code."""
    if name not in COMMANDS:
        raise _unknown(name)
    app = typer_app([name])
    return _main(app, [name, *arguments], hint=f"`hansard {name} --help` shows what it takes")


def run_help() -> int:
    """Show all commands."""
    return _main(listing_app(), ["--help"], hint="")


def _main(app: typer.Typer, arguments: list[str], *, hint: str) -> int:
    stream = getattr(sys.stdout, "stream", sys.stdout)
    if isinstance(stream, io.TextIOWrapper):
        # Stored text is in any script, whatever the locale of whoever looks at it.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    command = typer.main.get_command(app)
    try:
        code = command.main(arguments, prog_name="hansard", standalone_mode=False)
    except typer.TyperException as error:
        raise InvalidInput(error.format_message(), hint=hint) from None
    return int(code or 0)


def _unknown(name: str) -> InvalidInput:
    what = "option" if name.startswith("-") else "command"
    close = get_close_matches(name, COMMANDS, n=1)
    hint = (
        f"Did you mean `hansard {close[0]}`?" if close else "`hansard --help` shows what there is"
    )
    return InvalidInput(f"There is no {what} {name}", hint=hint)


def _listed() -> None:
    """Stand for a command that is only listed."""


def _bare(flags: object) -> None:
    """Stand for the stdio server, which `main` starts itself, so that help shows its options."""
    del flags
