"""`hansard entities export` and `import`: every entity of a project as a line of JSON."""

from itertools import islice
from typing import Annotated

import typer

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.cli.cli_session import sitting
from hansard.cli.contents.json_lines import STANDARD, lines_of, parse_line, writing
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.person_proof import person
from hansard.cli.terminal.text import print_told
from hansard.entities import transfer
from hansard.entities.contract import EntitiesImportedAnswer
from hansard.entities.limits import IMPORTED_MAX
from hansard.kernel.engine import ReadTx


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
    with opened(all_flags(flags, context)) as (application, _), writing(output) as write:
        if reveal:
            person(application, "reveal what is redacted")

        def work(tx: ReadTx) -> None:
            for line in transfer.export(tx, reveal=reveal):
                write(line)

        application.store.read(application.own_project(), work)


@settings_flags
def import_(
    flags: Flags,
    *,
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `export` wrote; - is stdin.")],
    json: Json = False,
) -> None:
    """Import what was exported, with its ids and times; what is here already is skipped."""
    lines = (parse_line(one, number) for number, one in enumerate(lines_of(file), start=1))
    imported = known = 0
    # Read before the store is opened: an unreadable file must not create a store.
    some = list(islice(lines, IMPORTED_MAX))
    with (
        opened(all_flags(flags, context), makes_store=True) as (application, settings),
        sitting(application, settings) as caller,
    ):
        importing = Application(
            Catalog([transfer.capability()]),
            application.store,
            home=application.home,
            read_only=application.read_only,
        )
        while some:
            result = importing.call("entity_import", {"lines": some}, caller)
            assert isinstance(result, EntitiesImportedAnswer), (
                "entity_import answers with what it imported"
            )
            imported += result.imported
            known += result.known
            some = list(islice(lines, IMPORTED_MAX))
    told = f"{imported:,} imported, {known:,} were here already"
    print_told(told, {"imported": imported, "known": known}, json=json)


def read_text(file: str) -> str:
    """Read a file, or stdin."""
    return b"".join(lines_of(file)).decode(errors="replace")
