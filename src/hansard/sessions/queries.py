"""Reads about projects and their activity."""

from collections.abc import Callable, Collection
from functools import partial

from hansard.kernel import as_of
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import AnyOf, Found, Position, Range, ReadTx, Where
from hansard.kernel.operation import Context, Operation
from hansard.kernel.problem import InvalidInput, ProjectUnavailable
from hansard.kernel.store import CATALOG
from hansard.sessions import contract, projects
from hansard.sessions.project_views import PROJECTS
from hansard.sessions.views import ACTIVITY, SESSIONS

CountRecords = Callable[[ReadTx], int]

_LISTED: Where = {"is_archived": False}


def list_projects(
    count_open_records: CountRecords, request: contract.ListProjects, context: Context
) -> contract.ProjectListAnswer:
    """List the projects that a caller may see, except archived ones."""
    after = from_cursor(request.cursor, PROJECTS, "id")
    page, total = context.store.read(
        CATALOG, lambda tx: _page(tx, context.caller.projects, after, request.limit + 1)
    )
    shown = page[: request.limit]
    listed = [_listed(context, found, count_open_records) for found in shown]
    last = shown[-1] if len(page) > request.limit else None
    cursor = to_cursor(Position(last.row["id"], last.key)) if last else None
    return contract.ProjectListAnswer(projects=listed, total=total, nextCursor=cursor)


def _page(
    tx: ReadTx, only: Collection[str] | None, after: Position | None, limit: int
) -> tuple[list[Found], int]:
    """Read a page of the directory, and how many lines it has."""
    if only is None:
        page = tx.scan(PROJECTS, _LISTED, order="id", after=after, limit=limit)
        return page, tx.tally(PROJECTS, _LISTED).get(None, 0)
    rows = ((key, tx.get(PROJECTS, key)) for key in only)
    seen = [Found(key, row) for key, row in rows if row and not row["is_archived"]]
    seen.sort(key=lambda one: (one.row["id"], one.key))
    start = (str(after.value), after.key) if after else None
    rest = [one for one in seen if start is None or (one.row["id"], one.key) > start]
    return rest[:limit], len(seen)


def get_project(_: contract.GetProject, context: Context) -> contract.ProjectShownAnswer:
    """Show a project."""
    row = projects.shown(context)
    return contract.ProjectShownAnswer(
        **contract.said_of(row), tick=context.read(lambda tx: tx.head().tick)
    )


def get_recent_activity(
    request: contract.GetRecentActivity, context: Context
) -> contract.ActivityListAnswer:
    """List what happened in a project, newest first."""
    position = from_cursor(request.cursor, ACTIVITY, "seq")

    def work(tx: ReadTx) -> contract.ActivityListAnswer:
        _require_known(tx, context, request)
        where = _activity_filter(tx, request, context.as_of)
        page = tx.scan(
            ACTIVITY, where, order="seq", descending=True, after=position, limit=request.limit + 1
        )
        shown = page[: request.limit]
        last = shown[-1] if len(page) > request.limit else None
        return contract.ActivityListAnswer(
            activity=[contract.ActivityEntry(**found.row) for found in shown],
            total=tx.tally(ACTIVITY, where).get(None, 0),
            nextCursor=to_cursor(Position(last.row["seq"], last.key)) if last else None,
        )

    return context.read(work)


def _listed(
    context: Context, found: Found, count_open_records: CountRecords
) -> contract.ProjectListed:
    def work(tx: ReadTx) -> contract.ProjectListed:
        return contract.ProjectListed(
            **said,
            tick=tx.head().tick,
            open_sessions=tx.tally(SESSIONS, {"status": "open"}).get(None, 0),
            open_records=count_open_records(tx),
        )

    said = {name: found.row[name] for name in ("id", "name", "description")}
    try:
        return context.store.read(found.key, work)
    except ProjectUnavailable as problem:
        # One project must not keep the others from being listed; its journal's end is known.
        tick = context.store.engine.read(found.key, lambda tx: tx.head().tick)
        return contract.ProjectListed(
            **said, tick=tick, open_sessions=0, open_records=0, unavailable=problem.message
        )


def _require_known(tx: ReadTx, context: Context, request: contract.GetRecentActivity) -> None:
    """Refuse subjects that cannot have events, and types that no event has."""
    known = {event.activity for event in context.store.kinds if event.activity}
    for unknown in sorted(set(request.types or ()) - known):
        raise InvalidInput(
            f"types: there is no {unknown[:100]}; there are {', '.join(sorted(known))}",
            argument="types",
        )
    record = request.record_id
    # Whatever exists was at least created.
    if record is not None and not tx.scan(ACTIVITY, {"record_id": record}, order="seq", limit=1):
        raise contract.RecordNotFound(f"There is no record {record[:100]}", id=record[:100])


def _activity_filter(tx: ReadTx, request: contract.GetRecentActivity, until: int | None) -> Where:
    where: dict[str, str | AnyOf | Range] = {}
    since = None if request.since is None else as_of.resolve_since(tx, request.since)
    if since is not None or until is not None:
        where["seq"] = Range(
            at_least=None if since is None else since + 1,
            below=None if until is None else until + 1,
        )
    if request.types is not None:
        where["type"] = AnyOf(request.types)
    if request.record_id is not None:
        where["record_id"] = request.record_id
    return where


def operations(count_open_records: CountRecords) -> tuple[Operation, ...]:
    """Declare the queries."""
    return (
        Operation(
            "list_projects",
            "List all projects with their open work.",
            contract.ListProjects,
            contract.ProjectListAnswer,
            partial(list_projects, count_open_records),
            writes=False,
            in_catalog=True,
            toolsets=("records",),
        ),
        Operation(
            "get_project",
            "Show one project; without id, the current one.",
            contract.GetProject,
            contract.ProjectShownAnswer,
            get_project,
            writes=False,
            toolsets=("records",),
        ),
        Operation(
            "get_recent_activity",
            "List what happened in the project, newest first; get_timeline also has changes of "
            "files. since: an ISO time, t:TICK or s:SEQ.",
            contract.GetRecentActivity,
            contract.ActivityListAnswer,
            get_recent_activity,
            writes=False,
            toolsets=("records",),
        ),
    )
