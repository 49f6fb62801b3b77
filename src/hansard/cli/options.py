"""Options that many commands share, declared once; above all the settings' flags."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from hansard.app.settings import Declaration, declarations
from hansard.cli.flags import Flags

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

SETTINGS = "Settings"
CONTEXT = "context"

SHOWN = frozenset({"store", "project", "workspace"})
"""Settings that the help of every command names; `hansard help settings` has them all."""

SHOWN_BY = {
    "serve": frozenset({"host", "port", "allowed_hosts", "tokens", "toolsets", "read_only", "log"}),
    "demo": frozenset({"port"}),
    "watch": frozenset({"session"}),
}
"""What the help of some commands names besides."""


def settings_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command a flag for every setting, and hand it those given as its first argument.

    Those that stand before it count too: after the program's name, or after its group's. A flag
    that the command declares itself is its own, and means there what the command says.
    """
    own = list(inspect.signature(command).parameters.values())[1:]
    taken = {parameter.name for parameter in own}
    settings = [declared for declared in declarations() if declared.name not in taken]
    wants_context = CONTEXT in taken

    @functools.wraps(command)
    def wrapper(**given: Any) -> Any:
        context: typer.Context = given[CONTEXT] if wants_context else given.pop(CONTEXT)
        after = {declared.name: given.pop(declared.name) for declared in settings}
        flags = all_flags(after, context)
        # What lies below a context begins with what the context has.
        context.obj = flags
        return command(flags, **given)

    shown = SHOWN | SHOWN_BY.get(command.__name__, frozenset())
    parameters = [*own, *(_parameter(one, is_shown=one.name in shown) for one in settings)]
    if not wants_context:
        parameters.append(_CONTEXT_PARAMETER)
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return wrapper


def keep_flags(flags: Flags, *, context: typer.Context) -> None:
    """Stand for a group that does nothing by itself; the settings before its command are kept."""
    del flags, context


def all_flags(flags: Flags, context: typer.Context) -> Flags:
    """Give the settings that stand before a command, and after it."""
    earlier: Flags = context.obj or {}
    return earlier | {name: value for name, value in flags.items() if value is not None}


_CONTEXT_PARAMETER = inspect.Parameter(
    CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context
)


def _parameter(declared: Declaration, *, is_shown: bool) -> inspect.Parameter:
    kind: type[str | int | bool] = type(declared.default)
    names = declared.flag
    if kind is bool:
        names += f"/--no-{declared.flag[2:]}"
    text = f"{declared.help} [{declared.variable}]"
    metavar = None if kind is bool else declared.name.upper()
    option = typer.Option(
        names,
        help=text,
        metavar=metavar,
        show_default=False,
        hidden=not is_shown,
        rich_help_panel=SETTINGS,
    )
    return inspect.Parameter(
        declared.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )
