"""Options that many commands share, above all the settings flags."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from hansard.app.settings import Declaration, declarations
from hansard.cli.flags import Flags

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

SessionOrLatest = Annotated[
    str | None,
    typer.Argument(metavar="SESSION", help="The session; else that of --session, else the latest."),
]

SETTINGS = "Settings"
CONTEXT = "context"

SHOWN = frozenset({"store", "project", "workspace"})
"""Settings that the help of every command names; `hansard help settings` has them all."""

SHOWN_BY = {
    "serve": frozenset(
        {"host", "port", "workers", "allowed_hosts", "tokens", "toolsets", "read_only", "log"}
    ),
    "demo": frozenset({"port"}),
    "watch": frozenset({"session"}),
}
"""Further settings that the help of some commands names."""


_LINE: ContextVar[frozenset[str] | None] = ContextVar("the flags that a command is run with")


@contextmanager
def only_those_in(words: Sequence[str]) -> Iterator[None]:
    """Let commands take only the settings' flags that stand in a line, while they are made for it.

    Making all forty for every command of a group takes longer than most commands.
    """
    token = _LINE.set(frozenset(word.partition("=")[0] for word in words))
    try:
        yield
    finally:
        _LINE.reset(token)


def settings_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command a flag for every setting, and hand it those given as its first argument.

    Those that stand before it count too: after the program's name, or after its group's. A flag
    that the command declares itself is its own, and means there what the command says.
    """
    return functools.update_wrapper(_Command(command), command)


class _Command:
    """A command with the settings' flags, which it has when it is asked for its parameters."""

    def __init__(self, command: Callable[..., Any]) -> None:
        self._command = command
        self._own = list(inspect.signature(command).parameters.values())[1:]
        taken = {parameter.name for parameter in self._own}
        self._settings = [declared for declared in declarations() if declared.name not in taken]
        self._wants_context = CONTEXT in taken

    @property
    def __signature__(self) -> inspect.Signature:
        shown = SHOWN | SHOWN_BY.get(self._command.__name__, frozenset())
        line = _LINE.get(None)
        settings = [one for one in self._settings if line is None or line & {*_names(one)}]
        flags = [_parameter(one, is_shown=one.name in shown) for one in settings]
        context = [] if self._wants_context else [_CONTEXT_PARAMETER]
        return inspect.Signature([*self._own, *flags, *context])

    def __call__(self, **given: Any) -> Any:
        context: typer.Context = given[CONTEXT] if self._wants_context else given.pop(CONTEXT)
        after = {declared.name: given.pop(declared.name, None) for declared in self._settings}
        flags = all_flags(after, context)
        # A context's children start with what it has.
        context.obj = flags
        return self._command(flags, **given)


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
    text = f"{declared.help} [{declared.variable}]"
    metavar = None if kind is bool else declared.name.upper()
    option = typer.Option(
        "/".join(_names(declared)),
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


def _names(declared: Declaration) -> list[str]:
    """Give the flag of a setting, and its negation."""
    takes_back = isinstance(declared.default, bool)
    return [declared.flag, *([f"--no-{declared.flag[2:]}"] if takes_back else [])]
