"""`hansard call`: runs any operation by name, with the arguments from the catalog."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import orjson
import typer

from hansard.app.catalog import Catalog
from hansard.app.parameters import words
from hansard.app.schema import input_schema
from hansard.app.settings import load
from hansard.app.start import catalog
from hansard.cli.desk import asking
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.operation import Operation
from hansard.kernel.problem import InvalidInput

STANDARD = "-"
Properties = Mapping[str, Mapping[str, Any]]


@settings_flags
def call(
    flags: Flags,
    *,
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The operation; else list them all.")
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Say what the operation takes, and do nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Do any operation: its arguments as --NAME VALUE, or - for a JSON object on stdin.

    A value that is no text is JSON: `hansard call list_records --depth 2`.
    """
    known = catalog(load(flags))
    if name is None:
        _print_table(_listed(known))
        return
    operation = known.find(name)
    takes: Properties = input_schema(operation).get("properties", {})
    if describe:
        print(f"{operation.name}: {operation.description}")
        _print_table(_described(operation, takes))
        return
    arguments = read_arguments(context.args, takes)
    with asking(flags) as ask:
        answer = ask(operation.name, **arguments)
    if json:
        print_json(answer.model_dump(mode="json"))
    else:
        print(answer.text())


def register(app: typer.Typer) -> None:
    """Add the command; unknown options are the operation's arguments."""
    taking = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(context_settings=taking)(call)


def read_arguments(given: Sequence[str], takes: Properties) -> dict[str, Any]:
    """Read what follows the name: --NAME VALUE, --NAME=VALUE, or --NAME alone for yes."""
    if list(given) == [STANDARD]:
        return _from_stdin()
    arguments: dict[str, Any] = {}
    rest = list(given)
    while rest:
        flag, is_joined, value = rest.pop(0).partition("=")
        named = _named(flag, takes)
        schema = takes[named]
        if not is_joined:
            is_alone = not rest or (_kinds(schema) == ["boolean"] and rest[0].startswith("--"))
            value = "true" if is_alone else rest.pop(0)
        arguments[named] = _value(value, schema)
    return arguments


def _named(flag: str, takes: Properties) -> str:
    plain = flag.removeprefix("--")
    for name in (plain, plain.replace("-", "_")):
        if flag.startswith("--") and name in takes:
            return name
    every = ", ".join(f"--{name}" for name in takes) or "nothing"
    raise InvalidInput(f"The operation takes no {printable(flag)}; it takes {every}")


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """Read a value as the operation wants it: text as it is, all else as JSON."""
    if _wants_text(schema):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text  # the operation reports what it expects


def _wants_text(schema: Mapping[str, Any]) -> bool:
    return "string" in _kinds(schema) or any(isinstance(one, str) for one in schema.get("enum", ()))


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """Name the kinds of value that a schema allows; none named is any."""
    if "anyOf" in schema:
        return [kind for one in schema["anyOf"] for kind in _kinds(one)]
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _from_stdin() -> dict[str, Any]:
    try:
        arguments = orjson.loads(sys.stdin.buffer.read())
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"stdin is not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise InvalidInput("stdin is not a JSON object")
    return arguments


def _listed(known: Catalog) -> Iterator[list[Cell]]:
    for operation in known:
        yield [(operation.name, "cyan"), (operation.description.partition("\n")[0], None)]


def _described(operation: Operation, takes: Properties) -> Iterator[list[Cell]]:
    needed = input_schema(operation).get("required", ())
    for name, schema in takes.items():
        kind = " or ".join(_kinds(schema)) or "JSON"
        means = words(operation, name) or ""
        about = f"{kind}, required" if name in needed else kind
        yield [(f"--{name}", "cyan"), (about, "grey"), (means, None)]


def _print_table(rows: Iterator[list[Cell]]) -> None:
    for line in table(list(rows), painter(), room()):
        print(line)
