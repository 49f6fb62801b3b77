"""`Application.call`: find, authorize, validate, place, answer once, run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from hansard.app.catalog import Catalog
from hansard.kernel import as_of, limits, reply
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.clock import Clock, to_text, utc_now
from hansard.kernel.effect import Settled
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.follow import Follower, Following
from hansard.kernel.operation import (
    AlreadyAnsweredError,
    Caller,
    Context,
    Once,
    Operation,
    Request,
    Result,
)
from hansard.kernel.problem import InvalidInput, PermissionDenied
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.values import check_handle, check_values
from hansard.sessions import directory, seating
from hansard.sessions.contract import ProjectNotFound

DEFAULT_PROJECT = "default"

Limit = Callable[[Operation, Context], None]
"""Refuses a call that is about to be done, if its session or its caller has had enough."""


class Application:
    """What every adapter talks to."""

    def __init__(
        self,
        catalog: Catalog,
        store: Store,
        *,
        default_project: str = DEFAULT_PROJECT,
        read_only: bool = False,
        clock: Clock = utc_now,
        limit: Limit | None = None,
    ) -> None:
        """Join a catalog and a store that was made for it. `limit` refuses calls beyond a quota."""
        self.catalog = catalog
        self.store = store
        self.default_project = default_project
        self.read_only = read_only
        self.limit = limit
        self.settled: list[Settled] = []
        """What was left open and has been settled since this application was started."""
        self._clock = clock
        self._known_projects: set[str] = set()
        self._following: Following | None = None

    @cached_property
    def followers(self) -> list[Follower]:
        """What derives slowly from the journal; made when first asked for, as it is costly."""
        return [
            follower
            for capability in self.catalog.capabilities
            if capability.followers
            for follower in capability.followers(self.store)
        ]

    def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Result:
        """Do one operation for a caller, or refuse with a `Problem`."""
        operation = self.catalog.find(name)
        caller = self._proved(caller)
        self._authorize(operation, caller)
        if caller.session is not None:
            check_handle(caller.session, "session")
        request = validate(operation, arguments)
        context = self._place(operation, request, caller)
        if context.once and (first := self._first_answer(operation, context, context.once)):
            return first
        if self.limit:
            self.limit(operation, context)
        try:
            return operation.run(request, context)
        except AlreadyAnsweredError as answered:
            return operation.result.model_validate(answered.answer)

    def recover(self) -> list[Settled]:
        """Settle what a crash left open in the world outside, before anything is asked."""
        stamp = Stamp(SYSTEM, to_text(self._clock()))
        self.settled += [
            settled
            for capability in self.catalog.capabilities
            if capability.recover
            for settled in capability.recover(self.store, stamp)
        ]
        return self.settled

    def follow(self) -> None:
        """Keep up to date, from now on, what is derived slowly: for whoever runs for long.

        A command that ends soon leaves it to them; what it wrote is followed by the next.
        """
        if not self.read_only and self._following is None and self.followers:
            self._following = Following(self.store, self.followers)

    def close(self) -> None:
        """Let go of the store, and of what capabilities hold."""
        if self._following:
            self._following.close()
        for capability in self.catalog.capabilities:
            if capability.close:
                capability.close()
        self.store.engine.close()

    def _proved(self, caller: Caller) -> Caller:
        """Take whoever has proved the secret for an admin; an agent is still an agent."""
        if caller.secret is None or caller.actor.may("admin"):
            return caller
        proofs = (one.proves for one in self.catalog.capabilities if one.proves)
        if not any(proves(caller.secret) for proves in proofs):
            return caller
        return replace(caller, actor=replace(caller.actor, role="admin"))

    def _authorize(self, operation: Operation, caller: Caller) -> None:
        if not caller.actor.may(operation.role):
            raise PermissionDenied(
                f"{operation.name} needs the role {operation.role}", role=caller.actor.role
            )
        if self.read_only and operation.writes:
            raise PermissionDenied(f"{operation.name} writes, and this server only reads")

    def _place(self, operation: Operation, request: Request, caller: Caller) -> Context:
        now = to_text(self._clock())
        stamp = Stamp(caller.actor, now)
        project, session = _named(operation, request, caller)
        asked = seating.Asked(operation, caller, session, project, self.default_project)
        self._require_project(asked.project or self.default_project, now)
        seated = seating.seat(self.store, asked, stamp)
        project = CATALOG if operation.in_catalog else seated.project
        stamp = Stamp(caller.actor, now, seated.session)
        return Context(
            store=self.store,
            project=project,
            caller=caller,
            stamp=stamp,
            session=seated.session,
            as_of=self._as_of(project, request),
            once=_once(operation, request, caller),
            may_write=caller.actor.may("agent") and not self.read_only,
            open_session=seating.opening(self.store, seated, stamp),
        )

    def _require_project(self, project: str, now: str) -> None:
        """Refuse an unknown project, unless it is the configured one, which is made when needed."""
        if project in self._known_projects:
            return
        if directory.find_project(self.store, project) is None:
            if project != self.default_project or self.read_only:
                raise ProjectNotFound(f"There is no project {project}", project_id=project)
            directory.ensure_project(self.store, project, Stamp(SYSTEM, now))
        self._known_projects.add(project)

    def _as_of(self, project: str, request: Request) -> int | None:
        point: str | None = getattr(request, "as_of", None)
        if point is None:
            return None
        return self.store.read(project, lambda tx: as_of.resolve(tx, point))

    def _first_answer(self, operation: Operation, context: Context, once: Once) -> Result | None:
        answer = context.read(lambda tx: reply.recall(tx, once.key, once.arguments))
        return operation.result.model_validate(answer) if answer else None


def _named(operation: Operation, request: Request, caller: Caller) -> tuple[str | None, str | None]:
    """Say which project and session a call names, be it by what its caller last worked on."""
    project: str | None = getattr(request, "project_id", None)
    last = caller.last_context() if operation.follows_context else None
    if request.session_id is None and last and project in (None, last[0]):
        return last
    return project, request.session_id


def validate(operation: Operation, arguments: Mapping[str, Any]) -> Request:
    """Make the request model of arguments, or say which of them is wrong and why."""
    check_values(dict(arguments))
    try:
        return operation.request.model_validate(arguments)
    except ValidationError as error:
        faults = [_fault(one) for one in error.errors(include_url=False, include_input=False)]
        message = "; ".join(f"{path}: {why}" for path, why in faults[:5])
        raise InvalidInput(
            message, arguments=[{"argument": path, "why": why} for path, why in faults[:20]]
        ) from None


def _fault(error: Mapping[str, Any]) -> tuple[str, str]:
    path = ".".join(str(part) for part in error["loc"])[:200] or "arguments"
    if error["type"] == "extra_forbidden":
        return path, "there is no such argument"
    if error["type"] == "missing":
        return path, "is required"
    return path, str(error["msg"]).removeprefix("Value error, ")


def _once(operation: Operation, request: Request, caller: Caller) -> Once | None:
    key = caller.idempotency_key
    if key is None or not operation.writes:
        return None
    if not 0 < len(key) <= limits.IDEMPOTENCY_KEY_CHARS_MAX:
        raise InvalidInput(
            f"An idempotency key has 1 to {limits.IDEMPOTENCY_KEY_CHARS_MAX} characters"
        )
    asked = canonical_json(request.model_dump(mode="json", exclude_unset=True))
    return Once(
        reply.reply_key(caller.actor, operation.name, key), operation.name, digest_of(asked)
    )
