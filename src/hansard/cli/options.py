"""Options that many commands share, declared once; above all the settings' flags."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from hansard.app.settings import Declaration, declarations
from hansard.cli.flags import Flags

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def settings_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command a flag for every setting, and hand it those given as its first argument.

    A flag that the command declares itself is its own, and means there what the command says.
    """
    own = list(inspect.signature(command).parameters.values())[1:]
    taken = {parameter.name for parameter in own}
    settings = [declared for declared in declarations() if declared.name not in taken]

    @functools.wraps(command)
    def wrapper(**given: Any) -> Any:
        flags = {declared.name: given.pop(declared.name) for declared in settings}
        return command(flags, **given)

    parameters = [*own, *(_parameter(declared) for declared in settings)]
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return wrapper


def keep_flags(flags: Flags, *, context: typer.Context) -> None:
    """Keep the settings that stand between a group's name and its command, for the command."""
    context.obj = {name: value for name, value in flags.items() if value is not None}


def all_flags(flags: Flags, context: typer.Context) -> Flags:
    """Give the settings that stand before a group's command, and after it."""
    earlier: Flags = context.obj
    return earlier | {name: value for name, value in flags.items() if value is not None}


def _parameter(declared: Declaration) -> inspect.Parameter:
    kind: type[str | int | bool] = type(declared.default)
    names = declared.flag
    if kind is bool:
        names += f"/--no-{declared.flag[2:]}"
    text = f"{declared.help} [{declared.variable}]"
    metavar = None if kind is bool else declared.name.upper()
    option = typer.Option(
        names, help=text, metavar=metavar, show_default=False, rich_help_panel="Settings"
    )
    return inspect.Parameter(
        declared.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )
