"""Generates `schema/v1`, the reference pages, the handshake and the catalog file.

For `make generate`.

It is part of the command line because that is one of the things described.
"""

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson
import typer
from typer.core import TyperGroup

import hansard
from hansard.app import catalog_file, reference
from hansard.app.catalog import Catalog
from hansard.app.published import (
    CONTRACT_PATH,
    contract,
    error_shown,
    operation_shown,
    problems_in,
)
from hansard.app.settings import Settings
from hansard.app.start import MEMORY, catalog, start
from hansard.cli import page_shapes, plugins
from hansard.cli.commands import HELP, typer_app
from hansard.cli.options import SETTINGS
from hansard.entities.exporting import FILES, export
from hansard.kernel.problem import Problem
from hansard.mcp.make_handshake import front_made

MADE = (
    *("schema/v1", "docs/reference", "src/hansard/mcp/made", "src/hansard/app/made"),
    *plugins.FOLDERS,
)
"""Folders that hold nothing else, so that what is no longer generated is removed."""

DECISIONS = "docs/decisions/README.md"


def main() -> None:
    """Write everything into the checkout, or into the folder that is named."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(hansard.__file__).parents[2]
    # The capabilities' descriptions are about to be made, so the old ones are not used.
    write(root, everything(catalog(written={})) | {DECISIONS: decisions_page(root)})


def everything(known: Catalog) -> dict[str, str]:
    """Make every generated file, by its path."""
    problems = all_problems(known)
    tools = {
        f"schema/v1/tools/{operation.name}.json": _json(operation_shown(operation))
        for operation in known
    }
    types = {f"schema/v1/{name}": export(format_) for name, format_ in FILES.items()}
    return (
        tools
        | types
        | plugins.files()
        | {
            "schema/v1/errors.json": _json([error_shown(problem) for problem in problems]),
            CONTRACT_PATH: _json(contract(known, problems)),
            catalog_file.PATH: _json(catalog_file.shown(known.capabilities)),
            "src/hansard/mcp/made/front.json": _json(_front(known)),
            "docs/reference/tools.md": reference.tools_page(known),
            "docs/reference/settings.md": reference.settings_page(),
            "docs/reference/errors.md": reference.errors_page(problems),
            "docs/reference/events.md": reference.events_page(known),
            "docs/reference/cli.md": commands_page(),
            page_shapes.PATH: page_shapes.page_shapes(known),
        }
    )


def _front(known: Catalog) -> dict[str, Any]:
    application = start(Settings(store=MEMORY), known=known)
    try:
        return front_made(application)
    finally:
        application.close()


def all_problems(known: Catalog) -> list[type[Problem]]:
    """Find every problem that a caller of this catalog may meet."""
    folders = [one.name for one in known.capabilities if find_spec(f"hansard.{one.name}")]
    return problems_in(["kernel", "app", "mcp", "http", *folders])


def write(root: Path, made: dict[str, str]) -> None:
    """Write what differs, and remove what is no longer made."""
    for folder in MADE:
        for path in sorted((root / folder).rglob("*.*")):
            if path.is_file() and path.relative_to(root).as_posix() not in made:
                path.unlink()
    for name, text in made.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def decisions_page(root: Path) -> str:
    """List the decision records of a checkout, by their numbers and first lines."""
    pages = sorted((root / DECISIONS).parent.glob("[0-9]*.md"))
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for page in pages]
    listed = [f"- [{title}]({page.name})" for title, page in zip(titles, pages, strict=True)]
    return reference.page(
        "Decisions",
        "Each page says what was decided, why, and what it costs. A page is not edited once the "
        "decision is\nin use; a later page supersedes it.",
        "\n".join(listed),
    )


def commands_page() -> str:
    """Describe every command."""
    group = typer.main.get_command(typer_app())
    assert isinstance(group, TyperGroup), "an app with a callback is a group"
    shared = (
        "Every command that opens the store also takes the flags of the [settings](settings.md), "
        "and so does `hansard` alone."
    )
    blocks = [HELP.strip(), shared]
    with group.make_context("hansard", [], resilient_parsing=True) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None, f"{name} was listed and is not there"
            blocks += _command_blocks(command, context, f"hansard {name}")
    return reference.page("Commands", *blocks)


def _command_blocks(command: Any, context: Any, title: str, depth: int = 2) -> Iterable[str]:
    """Describe a command; for a group, what it does alone and each of its commands."""
    yield f"{'#' * depth} {title}"
    yield command.help or ""
    rows = [
        (f"`{record[0]}`", record[1])
        for param in command.params
        if getattr(param, "rich_help_panel", None) != SETTINGS
        and (record := param.get_help_record(context))
    ]
    if rows:
        yield reference.table(("option", "what it does"), rows)
    if isinstance(command, TyperGroup):
        if command.invoke_without_command:
            alone = ((command.callback and command.callback.__doc__) or "").strip()
            yield f"Alone: {alone[:1].lower()}{alone[1:]}"
        for name, below in command.commands.items():
            yield from _command_blocks(below, context, f"{title} {name}", depth + 1)


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


if __name__ == "__main__":
    main()
