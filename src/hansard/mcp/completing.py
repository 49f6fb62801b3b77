"""Completions in a host: sessions, files, and what was decided about."""

from collections.abc import Iterator

import mcp_types as types

from hansard.app.application import Application
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem

VALUES_MAX = 100
"""As many as the protocol lets an answer have."""

PAGES_MAX = 20
"""How far back the list goes: nobody types names from further back."""


def completed(
    params: types.CompleteRequestParams, application: Application, caller: Caller
) -> types.Completion:
    """Give the completions of a beginning; none for unknown arguments."""
    name, begun = params.argument.name, params.argument.value
    try:
        known = dict.fromkeys(_known(params, name, application, caller))
    except Problem:
        # A completion reports no problem: the request itself will.
        return types.Completion(values=[], total=0, has_more=False)
    found = [one for one in known if one.casefold().startswith(begun.casefold())]
    shown = found[:VALUES_MAX]
    return types.Completion(values=shown, total=len(found), has_more=len(found) > len(shown))


def _known(
    params: types.CompleteRequestParams, name: str, application: Application, caller: Caller
) -> Iterator[str]:
    """List what could be meant, the newest first."""
    if isinstance(params.ref, types.PromptReference):
        if name == "about":
            yield from _subjects(application, caller)
    elif name == "id":
        yield from _pages(application, caller, "list_sessions", "sessions", "session_id")
    elif name == "path":
        chosen = params.context.arguments if params.context else None
        session = (chosen or {}).get("id")
        given = {"session_id": session} if session else {}
        yield from _pages(application, caller, "get_evolution", "files", "path", **given)


def _subjects(application: Application, caller: Caller) -> Iterator[str]:
    where = {"status": "active"}
    asked = {"query": "", "mode": "strict", "where": where, "limit": VALUES_MAX}
    answer = application.call("search_decisions", asked, caller).model_dump(mode="json")
    yield from (one["target"] for one in answer["results"])


def _pages(
    application: Application, caller: Caller, operation: str, key: str, field: str, **given: str
) -> Iterator[str]:
    """Iterate over a list, page by page."""
    asked: dict[str, object] = {**given, "limit": LIST_LIMIT_MAX}
    for _ in range(PAGES_MAX):
        answer = application.call(operation, asked, caller).model_dump(mode="json")
        yield from (one[field] for one in answer.get(key) or ())
        if not (cursor := answer.get("nextCursor")):
            return
        asked["cursor"] = cursor
