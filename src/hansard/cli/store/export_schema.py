"""`hansard export-schema`: the published contract, or the types of entities."""

import sys
from typing import Annotated, Literal

import typer

from hansard.app.published import committed_contract

Exported = Literal["contract", "jsonschema", "prisma", "typescript"]


def export_schema(
    format: Annotated[
        Exported,
        typer.Option(help="The contract, or the types of entities for other tools."),
    ] = "contract",
) -> int:
    """Print the contract: every operation, error and event with its schema, and its hash.

    The hash is the SHA-256 of the rest in canonical JSON: keys sorted, no white space. With another
    format, print the types of entities, made from their definitions.
    """
    if format == "contract":
        sys.stdout.write(committed_contract())
        return 0
    from hansard.entities.exporting import export

    sys.stdout.write(export(format))
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export-schema")(export_schema)
