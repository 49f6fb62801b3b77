"""Finds a session by id, the beginning of it, title, or the latest."""

from collections.abc import Iterator, Sequence

from hansard.cli.desk import Ask, pages
from hansard.cli.naming.finding import NamedThing, matching, only, tail_of
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.recorder.answers import SessionListAnswer, SessionListed
from hansard.sessions.contract import ProjectListAnswer, SessionNotFound
from hansard.sessions.wording import titled


def sessions_of(ask: Ask, project: str | None = None) -> Iterator[SessionListed]:
    """Iterate over a project's sessions, the latest first."""
    asked = {"project_id": project, "limit": LIST_LIMIT_MAX}
    listed = pages(ask, SessionListAnswer, "list_sessions", **asked)
    return (session for page in listed for session in page.sessions)


def projects_of(ask: Ask) -> Iterator[str]:
    """Name the projects of the store."""
    listed = pages(ask, ProjectListAnswer, "list_projects", limit=LIST_LIMIT_MAX)
    return (project.id for page in listed for project in page.projects)


def meant(sessions: Sequence[SessionListed], named: str) -> SessionListed:
    """Give the one session that is meant, or refuse what means none or several."""
    latest = sorted(sessions, key=lambda one: one.created, reverse=True)
    things = {_thing(one): one for one in latest}
    found = matching(list(things), named)
    if not found:
        raise SessionNotFound(
            f"No session is called {named}",
            hint="`hansard sessions` shows them; an id, its beginning, a title or @latest will do; "
            "of another project with --project",
            session_id=named,
        )
    return things[only(found, named, "sessions")]


def _thing(session: SessionListed) -> NamedThing:
    named = session.session_id
    return NamedThing(named, session.title and titled(session.title), tail_of(named))
