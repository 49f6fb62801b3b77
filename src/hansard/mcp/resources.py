"""MCP resources, to read and to watch."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote

import mcp_types as types

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import CATALOG
from hansard.kernel.suggestion import did_you_mean
from hansard.sessions.call_session import CURRENT
from hansard.sessions.directory import project_of

MARKDOWN = "text/markdown"
JSON = "application/json"

Parts = Mapping[str, str]
"""The values of a URI in the places its template leaves open."""

Read = Callable[[Application, Caller, Parts], str]


class ResourceNotFound(InvalidInput):
    """There is no resource under that URI."""

    http_status, fixable = 404, False
    hint = "List the resources to see what there is"

    def as_dict(self) -> dict[str, Any]:
        """Name the URI once more where MCP says that clients look for it."""
        return super().as_dict() | {"uri": self.details["uri"]}


@dataclass(frozen=True, slots=True)
class Resource:
    """Something under one URI, or under each URI of a template such as `hansard://x/{id}`.

    As RFC 6570 has it, `{id}` is one segment, `{+path}` may have several, and `{?cursor,limit}` is
    a query of which any part may be missing.
    """

    uri: str
    name: str
    description: str
    read: Read
    concerns: Callable[[Parts, Collection[str]], bool]
    """Whether what it shows may have changed when these projects' journals grew, which the caller
    may see; where the parts name no project, they are only those that may be the caller's own."""
    mime_type: str = MARKDOWN
    meta: dict[str, Any] | None = None
    """What a host must know before it shows it."""
    _pattern: re.Pattern[str] = field(init=False, repr=False)
    _query: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the pattern its URIs match."""
        path, _, query = self.uri.partition("{?")
        literal = re.split(r"\{(\+?\w+)\}", path)
        parts = (
            _open_part(text) if place % 2 else re.escape(text) for place, text in enumerate(literal)
        )
        object.__setattr__(self, "_pattern", re.compile("".join(parts)))
        object.__setattr__(self, "_query", frozenset(query.rstrip("}").split(",")) - {""})

    @property
    def is_template(self) -> bool:
        """Whether it lies under many URIs."""
        return bool(self._pattern.groups)

    def match(self, uri: str) -> Parts | None:
        """Give the parts of a URI of this resource, `None` for any other."""
        path, _, query = uri.partition("?")
        found, asked = self._pattern.fullmatch(path), dict(parse_qsl(query))
        if found is None or asked.keys() - self._query:
            return None
        return {name: unquote(text) for name, text in found.groupdict().items()} | asked


def _open_part(name: str) -> str:
    return f"(?P<{name[1:]}>.+)" if name.startswith("+") else f"(?P<{name}>[^/]+)"


def find(resources: Sequence[Resource], uri: str) -> tuple[Resource, Parts]:
    """Find what lies under a URI, or refuse."""
    for resource in resources:
        if (parts := resource.match(uri)) is not None:
            return resource, parts
    asked = did_you_mean(uri, (one.uri.partition("{?")[0] for one in resources))
    raise ResourceNotFound(f"There is no resource {uri[:200]}", hint=asked or None, uri=uri[:200])


def listed(resources: Sequence[Resource]) -> list[types.Resource]:
    """Describe those that lie under one URI."""
    return [
        types.Resource(
            uri=one.uri.partition("{?")[0],
            name=one.name,
            description=one.description,
            mime_type=one.mime_type,
            meta=one.meta,
        )
        for one in resources
        if not one.is_template
    ]


def templates(resources: Sequence[Resource]) -> list[types.ResourceTemplate]:
    """Describe those that lie under many."""
    return [
        types.ResourceTemplate(
            uri_template=one.uri,
            name=one.name,
            description=one.description,
            mime_type=one.mime_type,
        )
        for one in resources
        if one.is_template
    ]


def _read_activity(application: Application, caller: Caller, _: Parts) -> str:
    return application.call("get_recent_activity", {}, caller).text()


def _any_project(_: Parts, grown: Collection[str]) -> bool:
    """Whether any project grew that may be the caller's own."""
    return any(project != CATALOG for project in grown)


def _its_project(parts: Parts, grown: Collection[str]) -> bool:
    """Whether a session's project has grown; of an id that its caller chose, it may be any."""
    project = project_of(parts["id"])
    return project in grown if project else _any_project(parts, grown)


def _data(operation: str) -> Read:
    """Build what reads an operation's answer as data."""

    def read(application: Application, caller: Caller, parts: Parts) -> str:
        answer = application.call(operation, _arguments(parts), caller)
        return answer.model_dump_json(exclude_none=True)

    return read


def _read_story(application: Application, caller: Caller, parts: Parts) -> str:
    return application.call("get_story", _arguments(parts), caller).text()


def _arguments(parts: Parts) -> dict[str, Any]:
    """Build an operation's arguments from a URI's parts."""
    named = {"session_id" if name == "id" else name: text for name, text in parts.items()}
    return {name: int(text) if text.isdecimal() else text for name, text in named.items()} | {
        name: named[name] for name in ("session_id", "path", "cursor") if name in named
    }


def _of_session(part: str, name: str, description: str, read: Read, mime_type: str) -> Resource:
    return Resource(
        uri="hansard://session/{id}/" + part,
        name=name,
        description=description,
        read=read,
        concerns=_its_project,
        mime_type=mime_type,
    )


def _of_current(resource: Resource) -> Resource:
    """Give a session's resource under the name of whatever session is the caller's."""

    def read(application: Application, caller: Caller, parts: Parts) -> str:
        return resource.read(application, caller, {**parts, "id": CURRENT})

    return replace(
        resource,
        uri=resource.uri.replace("{id}", CURRENT),
        name=f"current {resource.name}",
        description=f"Of your own session: {resource.description}",
        read=read,
        concerns=_any_project,
    )


OF_SESSIONS = (
    _of_session(
        "timeline{?limit,cursor}",
        "timeline",
        "What happened in a session, newest first",
        _data("get_timeline"),
        JSON,
    ),
    _of_session("story{?cursor}", "story", "A session told by plan step", _read_story, MARKDOWN),
    _of_session(
        "evolution{?limit,cursor}",
        "evolution",
        "The files that a session changed",
        _data("get_evolution"),
        JSON,
    ),
    _of_session(
        "evolution/{+path}{?revision,from,to,limit,cursor}",
        "file evolution",
        "A file's revisions; with revision its content, with from and to a diff",
        _data("get_evolution"),
        JSON,
    ),
)

RESOURCES = (
    Resource(
        uri="hansard://activity",
        name="activity",
        description="What happened lately in the current project, newest first",
        read=_read_activity,
        concerns=_any_project,
    ),
    Resource(
        uri="hansard://sessions{?limit,cursor}",
        name="sessions",
        description="The current project's sessions, latest first, with the URIs of their own",
        read=_data("list_sessions"),
        concerns=_any_project,
        mime_type=JSON,
    ),
    *(_of_current(one) for one in OF_SESSIONS),
    *OF_SESSIONS,
)
