"""Finding the session that a person means: by its id, the beginning of that, its title, or last."""

from collections.abc import Callable, Iterator, Sequence

from hansard.cli.asking import Ask
from hansard.cli.terminal import printable
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.problem import InvalidInput
from hansard.recorder.answers import SessionList, SessionListed
from hansard.sessions.contract import ProjectList, SessionNotFound
from hansard.sessions.directory import SEPARATOR
from hansard.sessions.wording import titled

LATEST = "@latest"
CANDIDATES_SHOWN = 5


def sessions_of(ask: Ask, project: str | None = None) -> Iterator[SessionListed]:
    """Go through a project's sessions, the latest first."""
    cursor = None
    while True:
        page = ask("list_sessions", project_id=project, limit=LIST_LIMIT_MAX, cursor=cursor)
        assert isinstance(page, SessionList), "list_sessions answers with sessions"
        yield from page.sessions
        if (cursor := page.nextCursor) is None:
            return


def projects_of(ask: Ask) -> Iterator[str]:
    """Name the projects of the store."""
    cursor = None
    while True:
        page = ask("list_projects", limit=LIST_LIMIT_MAX, cursor=cursor)
        assert isinstance(page, ProjectList), "list_projects answers with projects"
        yield from (project.id for project in page.projects)
        if (cursor := page.nextCursor) is None:
            return


def meant(sessions: Sequence[SessionListed], named: str) -> SessionListed:
    """Give the one session that is meant, or refuse what means none or several."""
    found = _matching(sessions, named)
    if not found:
        raise SessionNotFound(
            f"No session is called {named}",
            hint="`hansard sessions` shows them; an id, its beginning, a title or @latest will do; "
            "of another project with --project",
            session_id=named,
        )
    if len(found) > 1:
        shown = ", ".join(_shown(one) for one in found[:CANDIDATES_SHOWN])
        more = ", …" if len(found) > CANDIDATES_SHOWN else ""
        raise InvalidInput(f"{named} means several sessions: {shown}{more}", hint="Give more of it")
    return found[0]


def _matching(sessions: Sequence[SessionListed], named: str) -> list[SessionListed]:
    if named == LATEST:
        return sorted(sessions, key=lambda one: one.created)[-1:]
    words = named.casefold()
    ways: tuple[Callable[[SessionListed], bool], ...] = (
        lambda one: one.session_id == named,
        lambda one: _title(one) == words,
        lambda one: one.session_id.startswith(named) or _token(one).startswith(named),
        lambda one: words in _title(one),
    )
    for is_meant in ways:
        if found := [one for one in sessions if is_meant(one)]:
            return found
    return []


def _title(session: SessionListed) -> str:
    return (session.title or "").casefold()


def _token(session: SessionListed) -> str:
    return session.session_id.rpartition(SEPARATOR)[2]


def _shown(session: SessionListed) -> str:
    title = f" ({titled(session.title, 40)})" if session.title else ""
    return printable(f"{session.session_id}{title}")
