"""Creating projects, saving and closing sessions."""

import secrets

from hansard.kernel import paging
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Event
from hansard.kernel.operation import Context, Operation
from hansard.sessions import contract, events
from hansard.sessions.directory import active_records, session_row
from hansard.sessions.naming import slug
from hansard.sessions.project_views import NAMES, PROJECTS


def create_project(request: contract.CreateProject, context: Context) -> contract.ProjectMadeAnswer:
    """Enter a project in the directory."""
    project = request.id or _project_id_for(request.name)

    def work(tx: WriteTx) -> contract.ProjectMadeAnswer:
        if tx.get(NAMES, project) is not None:
            raise contract.ProjectExists(f"There is a project {project} already", id=project)
        context.record(
            tx,
            events.ProjectCreated(id=project, name=request.name, description=request.description),
        )
        row = tx.get(PROJECTS, project)
        assert row is not None, "a project was created but is not in the directory"
        return contract.ProjectMadeAnswer(**contract.said_of(row), tick=0)

    return context.write(work)


def save_session(request: contract.SaveSession, context: Context) -> contract.SessionSavedAnswer:
    """Set a named point in the session of this call."""
    session = context.session
    assert session is not None, "save_session ran without a session"

    def work(tx: WriteTx) -> contract.SessionSavedAnswer:
        changed = changed_since_save(tx, context)
        entry = context.record(tx, events.SessionSaved(id=session, note=request.summary))
        return contract.SessionSavedAnswer(
            session_id=session,
            saved_records=changed,
            last_save=entry.at,
            last_save_tick=entry.tick,
        )

    return context.write(work)


def close_session(request: contract.CloseSession, context: Context) -> contract.SessionEndedAnswer:
    """End the session of this call."""
    session = context.session
    assert session is not None, "close_session ran without a session"

    def work(tx: WriteTx) -> contract.SessionEndedAnswer:
        active = active_records(tx, session)
        unsaved = changed_since_save(tx, context)
        context.record(tx, events.SessionWasClosed(id=session, note=request.summary))
        return contract.SessionEndedAnswer(
            session_id=session,
            deactivated_records=active,
            unsaved_warning=_unsaved_warning(unsaved),
        )

    ended = context.write(work)
    if seat := context.caller.seat:
        seat.forget(context.project, session)
    return ended


def changed_since_save(tx: ReadTx, context: Context) -> list[str]:
    """List what this session changed since its last save, in the order of the first change."""
    assert context.session is not None, "only a session has changes to save"
    changing = [event.kind for event in context.store.kinds if _changes(event)]
    after: int = session_row(tx, context.session)["last_save_seq"]
    changed: dict[str, None] = {}
    for entry in paging.entries(tx, after=after, kinds=changing, session=context.session):
        event = context.store.kinds.decode(entry)
        if event and (subject := event.subject()):
            changed[subject] = None
    return list(changed)


def _changes(event: type[Event]) -> bool:
    return event.advances_tick or issubclass(event, events.RecordChange)


def _unsaved_warning(unsaved: list[str]) -> str | None:
    if not unsaved:
        return None
    count = "1 record was" if len(unsaved) == 1 else f"{len(unsaved)} records were"
    return (
        f"{count} changed since the last save ({', '.join(unsaved)}). "
        "Nothing is lost: every change was durable when it was made."
    )


def _project_id_for(name: str) -> str:
    return f"{slug(name)}-{secrets.token_hex(3)}"


OPERATIONS = (
    Operation(
        "create_project",
        "Create a project. Omit id to have one made from the name.",
        contract.CreateProject,
        contract.ProjectMadeAnswer,
        create_project,
        writes=True,
        role="agent",
        in_catalog=True,
        toolsets=("records",),
    ),
    Operation(
        "save_session",
        "Set a named point: what you changed since the last one counts as saved.",
        contract.SaveSession,
        contract.SessionSavedAnswer,
        save_session,
        writes=True,
        role="agent",
        session="required",
        toolsets=("default", "records"),
    ),
    Operation(
        "close_session",
        "End the session: nothing stays active. Every change is already durable.",
        contract.CloseSession,
        contract.SessionEndedAnswer,
        close_session,
        writes=True,
        role="agent",
        session="required",
        ends_session=True,
        toolsets=("default", "records"),
    ),
)
