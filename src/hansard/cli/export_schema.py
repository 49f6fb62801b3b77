"""`hansard export-schema`: the published contract, as it was committed."""

import sys

import typer

from hansard.app.published import committed_contract


def export_schema() -> int:
    """Print the contract: every operation, error and event with its schema, and its hash.

    The hash is the SHA-256 of the rest in canonical JSON: keys sorted, no white space.
    """
    sys.stdout.write(committed_contract())
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export-schema")(export_schema)
