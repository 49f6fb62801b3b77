"""The list of commands. A command's module is loaded when it runs."""

import gc
import io
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from hansard.app.settings import declarations
from hansard.cli import help_command
from hansard.cli.terminal.paging import paged
from hansard.kernel.problem import InvalidInput

if TYPE_CHECKING:
    import typer
    from typer._click.core import Command

COMMANDS = {
    "status": "hansard.cli.status",
    "search": "hansard.cli.search",
    "call": "hansard.cli.call",
    "top": "hansard.cli.recorded.top",
    "completion": "hansard.cli.completion",
    "init": "hansard.cli.init",
    "hosts": "hansard.cli.hosts",
    "serve": "hansard.cli.serve",
    "open": "hansard.cli.open_page",
    "token": "hansard.cli.token",
    "sso": "hansard.cli.sso",
    "secret": "hansard.cli.secret",
    "demo": "hansard.cli.demo",
    "projects": "hansard.cli.contents.projects",
    "records": "hansard.cli.contents.records",
    "sessions": "hansard.cli.recorded.sessions",
    "log": "hansard.cli.recorded.log",
    "verify": "hansard.cli.store.verify",
    "rebuild": "hansard.cli.store.rebuild",
    "doctor": "hansard.cli.store.doctor",
    "anchor": "hansard.cli.store.anchor",
    "backup": "hansard.cli.store.backup",
    "restore-backup": "hansard.cli.store.restore_backup",
    "copy-store": "hansard.cli.store.copy_store",
    "export": "hansard.cli.store.bundle",
    "import": "hansard.cli.store.bundle",
    "import-from": "hansard.cli.store.import_from",
    "export-to": "hansard.cli.store.export_to",
    "push": "hansard.cli.store.push_pull",
    "pull": "hansard.cli.store.push_pull",
    "exchange": "hansard.cli.store.push_pull",
    "replay": "hansard.cli.replay",
    "redact": "hansard.cli.store.redact",
    "gc": "hansard.cli.store.gc",
    "repair": "hansard.cli.store.repair",
    "checkpoints": "hansard.cli.contents.checkpoints",
    "timeline": "hansard.cli.recorded.timeline",
    "story": "hansard.cli.recorded.story",
    "evolution": "hansard.cli.recorded.evolution",
    "why": "hansard.cli.recorded.why",
    "workspace": "hansard.cli.recorded.workspace",
    "undo": "hansard.cli.recorded.undo",
    "restore": "hansard.cli.recorded.restore",
    "watch": "hansard.cli.recorded.watch",
    "hook": "hansard.cli.hook",
    "metrics": "hansard.cli.contents.metrics",
    "decisions": "hansard.cli.contents.decisions",
    "entities": "hansard.cli.contents.entities",
    "export-schema": "hansard.cli.store.export_schema",
}
"""Each command and the module that has it. A module registers its commands on the app it is given:
one, or a group."""

LONG = frozenset({"serve", "demo", "open", "top", "watch", "hook"})
"""Commands that go on until they are told to end."""

COLLECTED_EACH = 400_000
"""How many objects the others make before the collector looks for cycles: none would be worth it
before a listing has ended, and each look at all that is loaded takes a fiftieth of its time."""

HELP_FLAGS = {"--help", "-h"}

HELP = """The official record of what your agents thought, decided and did.

Without a command, Hansard serves MCP on stdin and stdout: that is how clients start it.
"""


def typer_app(names: Iterable[str] = COMMANDS) -> "typer.Typer":
    """Build the app of these commands."""
    import typer

    from hansard.cli.options import settings_flags

    app = typer.Typer(
        name="hansard",
        help=HELP,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True, help=HELP)(settings_flags(_bare))
    for module in dict.fromkeys(COMMANDS[name] for name in names):
        import_module(module).register(app)
    return app


def run(name: str, arguments: list[str]) -> int:
    """Run one command; returns its exit code."""
    if name not in COMMANDS:
        raise _unknown(name)
    if name not in LONG:
        gc.set_threshold(COLLECTED_EACH)
    return _main([name], [name, *arguments], hint=f"`hansard {name} --help` shows what it takes")


def run_help(about: list[str]) -> int:
    """Show all commands, the settings, how to begin, or what one command takes."""
    match about:
        case []:
            help_command.print_overview(COMMANDS)
        case ["settings"]:
            with paged(["help", "settings"]):
                help_command.print_settings()
        case ["start"]:
            from hansard.cli.welcome import welcome

            print(welcome())
        case [name, *rest]:
            return run(name, [*rest, "--help"])
    return 0


def _main(names: Iterable[str], arguments: list[str], *, hint: str) -> int:
    import typer

    stream = getattr(sys.stdout, "stream", sys.stdout)
    if isinstance(stream, io.TextIOWrapper):
        # Stored text may be in any script, whatever the reader's locale.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    code = 0
    try:
        command = _command(names, arguments)
        with paged(arguments):
            code = command.main(arguments, prog_name="hansard", standalone_mode=False)
    except typer.TyperException as error:
        raise InvalidInput(error.format_message(), hint=_hint(error, hint)) from None
    if not HELP_FLAGS.isdisjoint(arguments) and not code:
        print("\nAll other settings: hansard help settings")
    return int(code or 0)


def _hint(error: "typer.TyperException", otherwise: str) -> str:
    """Name the setting that an unknown option resembles, or the command to show help for."""
    # Without the dashes, which any two options have in common.
    unknown = (getattr(error, "option_name", None) or "").removeprefix("--")
    close = get_close_matches(unknown, [one.flag.removeprefix("--") for one in declarations()], n=1)
    if close:
        return f"Did you mean --{close[0]}?"
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else ""
    return f"`{path} --help` shows what it takes" if " " in path else otherwise


def _command(names: Iterable[str], arguments: list[str]) -> "Command":
    """Build a command for a line: with the flags in it, or with all of them for its help."""
    import typer

    from hansard.cli.options import only_those_in

    if not HELP_FLAGS.isdisjoint(arguments):
        return typer.main.get_command(typer_app(names))
    with only_those_in(arguments):
        return typer.main.get_command(typer_app(names))


def _unknown(name: str) -> InvalidInput:
    what = "option" if name.startswith("-") else "command"
    close = get_close_matches(name, COMMANDS, n=1) if what == "command" else []
    hint = (
        f"Did you mean `hansard {close[0]}`?" if close else "`hansard --help` shows what there is"
    )
    return InvalidInput(f"There is no {what} {name}", hint=hint)


def _bare(flags: object) -> None:
    """Stand for the stdio server, which `main` starts itself, so that help shows its options."""
    del flags
