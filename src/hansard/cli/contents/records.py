"""`hansard records`: the tree of records, and what a person does with one."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from hansard.cli.contents import record_showing
from hansard.cli.desk import Ask, asking, pages
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.editor import edited
from hansard.cli.terminal.layout import room
from hansard.cli.terminal.text import painter, print_json, print_told, printable
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Result
from hansard.kernel.problem import InvalidInput
from hansard.records import answers, history_answers
from hansard.records.limits import BUDGET_TOKENS_MAX
from hansard.records.shapes import RecordRef

DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}

RecordId = Annotated[str, typer.Argument(metavar="ID", help="The record, such as R007.")]
Since = Annotated[
    str | None, typer.Option(metavar="POINT", help="After s:340, t:12 or an ISO time.")
]
AsOf = Annotated[
    str | None, typer.Option(metavar="POINT", help="As it was at t:12, s:340 or an ISO time.")
]


@settings_flags
def tree(flags: Flags, context: typer.Context, *, json: Json = False, as_of: AsOf = None) -> None:
    """Show the tree of records, coloured by state."""
    if context.invoked_subcommand is not None:
        return
    with asking(flags) as ask:
        refs = list(_all_refs(ask, as_of))
    if json:
        for ref in refs:
            print_json(ref.model_dump(mode="json"))
        return
    for line in record_showing.tree(refs, painter(), room()):
        print(line)
    if not refs:
        print("No records yet. `hansard records new --title …` writes one.")


@settings_flags
def show(flags: Flags, record: RecordId, *, json: Json = False, as_of: AsOf = None) -> None:
    """Show a record in full, with its parent and what lies under it."""
    from hansard.cli.contents import record_editing

    with asking(flags) as ask:
        ask("get_record_ref", id=record, as_of=as_of)
        # Of a point in time the bundle is only read: looking activates nothing.
        seen = ask(
            "activate",
            id=record,
            as_of=as_of or record_editing.now(ask),
            budget_tokens=BUDGET_TOKENS_MAX,
        )
        if json:
            _tell(seen, json=True)
            return
        assert isinstance(seen, answers.ActivationAnswer), "activate answers with an activation"
        for line in record_showing.lines(seen.context, painter()):
            print(line)


@settings_flags
def history(flags: Flags, record: RecordId, *, json: Json = False, since: Since = None) -> None:
    """Show what happened to a record, newest first."""
    with asking(flags) as ask:
        _tell(ask("get_record_history", id=record, since=since), json=json)


@settings_flags
def diff(
    flags: Flags,
    record: RecordId,
    *,
    since: Annotated[
        str | None,
        typer.Option("--from", metavar="POINT", help="t:12, s:340, a time; else the last change."),
    ] = None,
    until: Annotated[str, typer.Option("--to", metavar="POINT")] = "current",
    json: Json = False,
) -> None:
    """Show what changed in a record between two points."""
    with asking(flags) as ask:
        since = since or _before_last_change(ask, record)
        _tell(ask("get_record_diff", id=record, to=until, **{"from": since}), json=json)


@settings_flags
def search(
    flags: Flags,
    query: Annotated[list[str], typer.Argument(metavar="WORDS…")],
    *,
    limit: Annotated[int, typer.Option(min=1)] = 20,
    json: Json = False,
) -> None:
    """Find records by words, best first."""
    with asking(flags) as ask:
        _tell(ask("search_records", query=" ".join(query), limit=limit), json=json)


@settings_flags
def new(
    flags: Flags,
    *,
    title: Annotated[str, typer.Option()],
    kind: Annotated[str, typer.Option("--type", metavar="TYPE")] = "note",
    parent: Annotated[str | None, typer.Option(metavar="ID")] = None,
    summary: Annotated[str, typer.Option()] = "",
    body: Annotated[
        str | None, typer.Option(help="The text; `-` reads it from stdin; without, $EDITOR opens.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a new record."""
    from hansard.cli.contents import record_editing

    text = _text(body)
    with asking(flags, makes_store=True) as ask:
        created = ask(
            "create_record",
            activating=record_editing.known(ask, parent) if parent else None,
            parent_id=parent,
            type=kind,
            title=title,
            summary=summary,
            body=text,
        )
        _tell(created, json=json)


@settings_flags
def edit(flags: Flags, record: RecordId, *, json: Json = False) -> None:
    """Change a record's text in $EDITOR; where another session was faster, merge and edit again."""
    from hansard.cli.contents import record_editing

    with asking(flags) as ask:
        updated = record_editing.edit(ask, record)
        changed = updated and updated.model_dump(mode="json", exclude_none=True)
        text = updated.text() if updated else "Nothing was changed."
        print_told(text, changed or {"record": None}, json=json)


@settings_flags
def move_state(
    flags: Flags,
    record: RecordId,
    state: Annotated[
        str,
        typer.Argument(metavar="STATE", parser=str.upper, help="OPEN, LATER, RESOLVED, DISCARDED"),
    ],
    *,
    reason: Annotated[str | None, typer.Option(help="Why: for LATER and DISCARDED.")] = None,
    resolved_by: Annotated[
        str | None, typer.Option(metavar="ID", help="The record that resolved it.")
    ] = None,
    json: Json = False,
) -> None:
    """Move a record to another state."""
    from hansard.cli.contents import record_editing

    with asking(flags) as ask:
        moved = ask(
            "transition",
            activating=record_editing.known(ask, record),
            id=record,
            to_state=state,
            reason=reason,
            resolved_by=resolved_by,
        )
        _tell(moved, json=json)


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Records: the tree of a project's reasoning.", rich_markup_mode=None)
    group.callback(invoke_without_command=True)(tree)
    for command in (show, history, diff, search, new, edit):
        group.command()(command)
    group.command("move-state")(move_state)
    app.add_typer(group, name="records")


def _all_refs(ask: Ask, as_of: str | None) -> Iterator[RecordRef]:
    asked = {"limit": LIST_LIMIT_MAX, "as_of": as_of}
    listed = pages(ask, answers.RecordListAnswer, "list_records", **asked)
    return (ref for page in listed for ref in page.records or ())


def _before_last_change(ask: Ask, record: str) -> str:
    told = ask("get_record_history", id=record, limit=1)
    assert isinstance(told, history_answers.RecordHistoryAnswer), (
        "get_record_history answers with a history"
    )
    last = told.history[0]
    # Nothing comes before a record's first version: that is compared with itself.
    return f"s:{last.seq - 1}" if last.change_type != "created" else f"s:{last.seq}"


def _text(body: str | None) -> str:
    if body == "-":
        return sys.stdin.read()
    if body is not None:
        return body
    if not sys.stdin.isatty():
        raise InvalidInput("There is no terminal to edit on", hint="Give the text with --body")
    return edited("")


def _tell(result: Result, *, json: bool) -> None:
    if json:
        print_json(result.model_dump(mode="json", exclude_none=True))
        return
    paint = painter()
    for line in result.text().splitlines():
        colour = DIFF_COLOURS.get(line[:1])
        print(paint(printable(line), colour) if colour else printable(line))
