"""`hansard entities`: show typed entities, create and delete them, export and import them."""

from contextlib import suppress
from typing import Annotated, Any, get_args

import orjson
import typer

from hansard.cli.contents.entity_files import export, import_, read_text
from hansard.cli.desk import Ask, asking, pages, writing_desk
from hansard.cli.flags import Flags
from hansard.cli.naming.resolving import ENTITY, meant_thing
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.terminal.consent import require_consent
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.entities import formats
from hansard.entities.contract import EntityListAnswer, EntityShownAnswer
from hansard.entities.limits import TURNS_SHOWN_MAX
from hansard.entities.rendering import line
from hansard.entities.types import BY_NAME
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Result
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import counted

EntityId = Annotated[str, typer.Argument(metavar="ID", help="The entity; `settings` is one.")]
TypeGiven = Annotated[str, typer.Argument(metavar="TYPE", help="Such as textDocument.")]
FORMATS: tuple[str, ...] = get_args(formats.Format)


@settings_flags
def alone(flags: Flags, *, context: typer.Context, json: Json = False) -> None:
    """Say which types have entities, and how many."""
    if context.invoked_subcommand is not None:
        return
    with asking(flags) as ask:
        # Each project has one settings entity, which asking for it would create.
        types = [name for name in BY_NAME if name != "settings"]
        found = ((name, ask("entity_list", type=name, limit=1)) for name in types)
        counts = {name: page.total for name, page in found if isinstance(page, EntityListAnswer)}
    if json:
        print_json(counts)
        return
    rows = [[(name, "yellow"), (f"{count:,}", None)] for name, count in counts.items() if count]
    for text in table(rows, painter(), room()):
        print(text)
    print("hansard entities list TYPE lists them." if rows else "No entity was made here yet.")


@settings_flags
def list_entities(
    flags: Flags,
    *,
    context: typer.Context,
    type_name: TypeGiven,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=VALUE", help="Only these; may be repeated."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="FIELD", help="id, createdAt or updatedAt; -FIELD: last first."),
    ] = None,
    json: Json = False,
) -> None:
    """List the entities of a type, newest first unless another order is asked for."""
    wanted = dict(_pair(type_name, one) for one in where or ()) or None
    paint, columns_max = painter(), room()
    asked = {"type": type_name, "where": wanted, "order": order, "limit": LIST_LIMIT_MAX}
    with asking(all_flags(flags, context)) as ask:
        listed = pages(ask, EntityListAnswer, "entity_list", **asked)
        for entity in (entity for page in listed for entity in page.entities):
            if json:
                print_json(entity)
                continue
            print("\n".join(table([_row(entity)], paint, columns_max)))


@settings_flags
def show(
    flags: Flags,
    *,
    context: typer.Context,
    entity: EntityId,
    last: Annotated[
        int, typer.Option(min=1, max=TURNS_SHOWN_MAX, help="Of a thread or run, so much.")
    ] = 50,
    as_of: Annotated[
        str | None, typer.Option(metavar="POINT", help="As it was at t:12, s:340 or an ISO time.")
    ] = None,
    cursor: Annotated[
        str | None, typer.Option(help="What comes before, as the last look said.")
    ] = None,
    reveal: Annotated[bool, typer.Option("--reveal", help="With what is secret.")] = False,
    format: Annotated[
        str | None,
        typer.Option(metavar="|".join(FORMATS), help="A thread, as this provider spells it."),
    ] = None,
    json: Json = False,
) -> None:
    """Show an entity: a thread as a chat, a graph as what joins what, an execution as a run."""
    with asking(all_flags(flags, context)) as ask:
        if format is not None:
            print(formats.write(_turns(ask, entity), _format(format)), end="")
            return
        asked = {"limit": last, "cursor": cursor, "as_of": as_of, "reveal": reveal}
        _tell(ask("entity_get", id=entity, **asked), json=json)


@settings_flags
def create(
    flags: Flags,
    *,
    context: typer.Context,
    type_name: TypeGiven,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Its fields as JSON; - is stdin.")],
    format: Annotated[
        str | None,
        typer.Option(
            metavar=f"{'|'.join(FORMATS)}|auto", help="The file is a chat as a provider spells it."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Make an entity from a file."""
    given = _fields(type_name, read_text(file), format)
    with asking(all_flags(flags, context), makes_store=True) as ask:
        _tell(ask("entity_create", type=type_name, data=given), json=json)


@settings_flags
def delete(
    flags: Flags,
    *,
    context: typer.Context,
    entity: EntityId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Delete an entity; what happened to it stays in the journal.

    An entity named by less than its whole id is shown first, with a question.
    """
    with writing_desk(all_flags(flags, context)) as at:
        found = meant_thing(at.application, ENTITY, entity, loosely=False)
        if found and found.id != entity:
            say(f"This deletes {found.text()}.")
            require_consent("Delete it?", yes=yes)
        _tell(at.ask("entity_delete", id=found.id if found else entity), json=json)


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Typed entities: threads, documents, graphs, runs, connections, settings.",
        rich_markup_mode=None,
    )
    group.callback(invoke_without_command=True)(alone)
    commands = {"list": list_entities, "show": show, "create": create, "delete": delete}
    for name, command in (commands | {"export": export, "import": import_}).items():
        group.command(name)(command)
    app.add_typer(group, name="entities")


def _row(entity: dict[str, Any]) -> list[Cell]:
    """Show an entity in a row: its id, when it was changed, and what it is called or says."""
    at = str(entity["updatedAt"])[:16].replace("T", " ")
    named = str(entity.get("title") or entity.get("name") or "")
    if "eventsTotal" in entity:
        named = f"{entity.get('status')}, {counted(entity['eventsTotal'], 'event', 'events')}"
    if not named:
        named = line(entity).partition(" ")[2].partition(" ")[2]
    return [(entity["id"], "yellow"), (at, "grey"), (named, None)]


def _pair(type_name: str, given: str) -> tuple[str, Any]:
    name, has_value, value = given.partition("=")
    if not has_value:
        raise InvalidInput(f"--where {given}: not FIELD=VALUE", argument="where")
    declared = BY_NAME.get(type_name)
    if declared is not None and name in (*declared.keyed, *declared.grows):
        # Any JSON, so that 3 and [] mean what they say; anything else is text.
        with suppress(orjson.JSONDecodeError):
            return name, orjson.loads(value)
    # An empty text is no value that a short field can have, so it stands for none.
    return name, value or None


def _fields(type_name: str, text: str, spelled: str | None) -> dict[str, Any]:
    if spelled is not None:
        if type_name != "messageThread":
            raise InvalidInput("Only a messageThread is made of a chat", argument="format")
        turns = formats.read(text, None if spelled == "auto" else _format(spelled))
        return {"turns": [turn.plain() for turn in turns]}
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"This is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise InvalidInput("An entity's fields are an object of JSON")
    return given


def _format(given: str) -> formats.Format:
    for known in get_args(formats.Format):
        if known == given:
            spelled: formats.Format = known
            return spelled
    raise InvalidInput(f"--format is one of {', '.join(FORMATS)}", argument="format")


def _turns(ask: Ask, thread: str) -> list[formats.Turn]:
    """Read all of a thread, page by page."""
    turns: list[formats.Turn] = []
    for shown in pages(ask, EntityShownAnswer, "entity_get", id=thread, limit=TURNS_SHOWN_MAX):
        if "turns" not in shown.entity:
            raise InvalidInput(f"{thread} is no messageThread", argument="id")
        page = [formats.Turn(one["senderId"], one["partials"]) for one in shown.entity["turns"]]
        turns = page + turns
    return turns


def _tell(result: Result, *, json: bool) -> None:
    if json:
        shown = result.model_dump(mode="json")
        print_json(shown.get("entity", shown))
        return
    head, *rest = result.text().splitlines()
    print(painter()(printable(head), "yellow"))
    for text in rest:
        print(printable(text))
