"""`hansard entities export` and `import`: every entity of a project as a line of JSON."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.cli.flags import Flags
from hansard.cli.opening import opened
from hansard.cli.options import settings_flags
from hansard.cli.terminal import actor
from hansard.entities import carrying
from hansard.entities.contract import Imported
from hansard.entities.limits import IMPORTED_MAX
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import InvalidInput, PermissionDenied, StorageUnavailable

STANDARD = "-"


@settings_flags
def export(
    flags: Flags,
    *,
    context: typer.Context,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout.")
    ] = STANDARD,
    reveal: Annotated[bool, typer.Option("--reveal", help="With what is secret.")] = False,
) -> None:
    """Write every entity of the project as a line of JSON; what is secret is redacted."""
    if reveal and not actor().may("admin"):
        raise PermissionDenied("To reveal what is redacted needs the role admin")
    with opened(whole(flags, context)) as (application, _), _writing(output) as write:

        def work(tx: ReadTx) -> None:
            for line in carrying.export(tx, reveal=reveal):
                write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

        application.store.read(application.default_project, work)


@settings_flags
def import_(
    flags: Flags,
    *,
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `export` wrote; - is stdin.")],
) -> None:
    """Take over what was exported, with its ids and times; what is here already is passed over."""
    lines = (_parsed(one, number) for number, one in enumerate(_lines(file), start=1))
    imported = known = 0
    with opened(whole(flags, context)) as (application, settings):
        importing = Application(
            Catalog([carrying.capability()]),
            application.store,
            default_project=application.default_project,
            read_only=application.read_only,
        )
        caller = Caller(actor(), session=settings.session or None, seat=Seat())
        while some := list(islice(lines, IMPORTED_MAX)):
            result = importing.call("entity_import", {"lines": some}, caller)
            assert isinstance(result, Imported), "entity_import answers with what it imported"
            imported += result.imported
            known += result.known
    print(f"{imported:,} imported, {known:,} were here already")


def before(flags: Flags, *, context: typer.Context) -> None:
    """Keep the settings that stand before the command, for the command."""
    context.obj = {name: value for name, value in flags.items() if value is not None}


def whole(flags: Flags, context: typer.Context) -> Flags:
    """Give the settings that stand before the command, and after it."""
    earlier: Flags = context.obj
    return earlier | {name: value for name, value in flags.items() if value is not None}


def read_text(file: str) -> str:
    """Read a file, or what comes in."""
    return b"".join(_lines(file)).decode(errors="replace")


def _lines(file: str) -> Iterator[bytes]:
    if file == STANDARD:
        yield from (line.encode() if isinstance(line, str) else line for line in _standard())
        return
    try:
        with Path(file).open("rb") as opened_file:
            yield from opened_file
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error


def _standard() -> Any:
    return getattr(sys.stdin, "buffer", sys.stdin)


def _parsed(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"line {number}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"line {number}: not an object")
    return value


@contextmanager
def _writing(output: str) -> Iterator[Callable[[bytes], object]]:
    if output == STANDARD:
        yield lambda line: sys.stdout.write(line.decode())
        return
    try:
        with Path(output).open("wb") as file:
            yield file.write
    except OSError as error:
        raise StorageUnavailable(f"{output} cannot be written: {error.strerror}") from error
