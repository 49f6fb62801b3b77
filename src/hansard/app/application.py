"""`Application.call`: find, authorize, validate, place, answer once, run."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from pydantic import ValidationError

from hansard.app import argument_faults, people, secret_news
from hansard.app.anchoring import Anchoring
from hansard.app.catalog import Catalog, whole
from hansard.app.home_projects import NamedHome
from hansard.app.preflight import refusal
from hansard.decisions.secret import KeptSecret as NoSecret
from hansard.kernel import as_of, effect, limits, reply
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.blob_references import NotKeptError
from hansard.kernel.clock import Clock, to_text, utc_now
from hansard.kernel.cursor import Listing
from hansard.kernel.deferred import Deferred, Part
from hansard.kernel.dry_run import TrialPassedError
from hansard.kernel.effect import Settled
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import SYSTEM, Head, Stamp
from hansard.kernel.follow import Follower, FollowerFailure, Following
from hansard.kernel.hidden_characters import hidden_chars
from hansard.kernel.idempotency import AlreadyAnsweredError, Once
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.opener import OpeningProcess
from hansard.kernel.operation import (
    Caller,
    Context,
    Flagged,
    Home,
    Operation,
    Request,
    Result,
    Seat,
    Written,
)
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem, StorageUnavailable
from hansard.kernel.secret import Secret
from hansard.kernel.store import CATALOG, UNMADE, Store
from hansard.kernel.values import check_handle, check_values
from hansard.sessions import call_project, call_session, directory, presence, projects
from hansard.sessions.call_project import CallPlace
from hansard.sessions.citations import IsThere, missing_in, naming
from hansard.sessions.naming import DEFAULT_PROJECT

Limit = Callable[[Operation, Context], None]
"""Refuses a call that is about to run, if its session or its caller has reached a limit."""


SETTLE_AGAIN_S = 60.0
"""How long after its start a process settles again: some dead processes looked alive then."""

LOOKS_MAX = 3
"""How often a call reads again if garbage collection came between its read and its write."""


class Application:
    """What every adapter talks to."""

    def __init__(
        self,
        catalog: Catalog,
        store: Store,
        *,
        home: Home | None = None,
        read_only: bool = False,
        clock: Clock = utc_now,
        limit: Limit | None = None,
        redact: bool = False,
        anchoring: Anchoring | None = None,
        is_there: IsThere | None = None,
    ) -> None:
        """Join a catalog and a store that was made for it.

        `home` is the project of calls that name none; `limit` refuses calls beyond a quota;
        `redact` removes secrets from callers' texts, or reports them where texts are kept as given;
        `anchoring` writes the heads of the journals elsewhere; `is_there` knows what can be cited.
        """
        self.catalog = catalog
        self.store = store
        self.home: Home = home or NamedHome(DEFAULT_PROJECT)
        self.read_only = read_only
        self.limit = limit
        self._redact, self._is_there = redact, is_there
        self._anchoring = None if read_only else anchoring
        self.settled: list[Settled] = []
        """Open intents that were settled since this application started."""
        self._clock = clock
        self.opener = OpeningProcess()
        # The store's own counts wherever it knows one, also for what knows no decisions.
        self._secret: Secret = catalog.secret or NoSecret(None)
        self._following: Following | None = None
        self._settling: threading.Timer | None = None

    @cached_property
    def followers(self) -> list[Follower]:
        """The followers; created on first use, as that is costly."""
        return [
            follower
            for part in self.catalog.parts
            if (make := part.followers)
            for follower in make(self.store)
        ]

    def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Result:
        """Do one operation for a caller, or refuse with a `Problem`."""
        with self.store.engine.steady():
            return self._called(name, arguments, caller)

    def _called(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Result:
        operation = self.catalog.find(name)
        caller = self.judged(caller)
        self._authorize(operation, caller)
        for session in (caller.session, caller.default_session, caller.chat):
            if session is not None:
                check_handle(session, "session")
        request, flagged = self._looked_through(operation, arguments)
        caller = caller if caller.home else replace(caller, home=self.home)
        try:
            context = self._place(operation, request, caller)
        except Problem:
            # A call that ended its session has no place any more, but its first answer is kept.
            if first := self._answered_before(operation, request, caller):
                return flagged(first)
            raise
        try:
            answer = self._answer(operation, request, context)
        except TrialPassedError:
            assert caller.home, "every caller has a home by now"
            caller.home.make(self.store, Stamp(SYSTEM, context.stamp.at))
            context = self._place(operation, request, caller)
            answer = _run(operation, request, context)
        call_session.adopt(operation, request, context)
        return flagged(_paged(answer, operation, request, context))

    def _looked_through(
        self, operation: Operation, arguments: Mapping[str, Any]
    ) -> tuple[Request, Callable[[Result], Result]]:
        """Build the request without secrets that must not be kept, and what reports them later."""
        request = validate(operation, arguments)
        if not (self._redact and operation.writes):
            return request, lambda answer: _flagged(answer, operation, arguments)
        # The table of secrets is loaded with the first write.
        from hansard.app import secret_texts

        redacted, kept = list[str](), list[str]()
        if self.catalog.keeps_text(operation):
            kept = secret_texts.kinds_in(arguments)
        else:
            request, redacted = secret_texts.masked(request)

        def flagged(answer: Result) -> Result:
            shown = _flagged(answer, operation, arguments)
            return secret_texts.told(shown, redacted, kept) if isinstance(shown, Written) else shown

        return request, flagged

    @property
    def default_project(self) -> str:
        """The key of the home; if it does not exist yet, the key it will get."""
        return self.home.find(self.store) or self.home.name(self.store)

    def home_for(self, caller: Caller) -> Home:
        """Give the project of a caller's calls that name none."""
        return caller.home or self.home

    def own_project(self) -> str:
        """Give the key of the home, for reads outside `call`; it may not exist yet."""
        return call_project.home_key(self.store, self.home)

    def leave(self, seat: Seat, lifeline: Lifeline) -> None:
        """Record that a process ends normally, which ends the sessions it began for itself."""
        if not self.read_only:
            presence.leave(self.store, seat.begun, lifeline.name, to_text(self._clock()))

    def recover(self) -> list[Settled]:
        """Settle the effects that a crash left open, before any call."""
        stamp = Stamp(SYSTEM, to_text(self._clock()))
        for part in self.catalog.parts:
            if self._may_settle(part) and (recover := whole(part).recover):
                self.settled += recover(self.store, stamp)
        return self.settled

    def _may_settle(self, part: Part) -> bool:
        """Whether a capability must look for open effects; none is loaded without need."""
        if isinstance(part, Deferred) and not part.is_loaded:
            return part.declared.recovers and effect.is_any_open(self.store)
        return True

    def follow(self) -> None:
        """Run the followers from now on: for a process that runs for long.

        A short command leaves it to such processes; the next one follows its writes.
        """
        if not self.read_only and self._following is None and self.followers:
            self._following = Following(self.store, self.followers)
        if not self.read_only and self._settling is None:
            self._settling = threading.Timer(SETTLE_AGAIN_S, self._settle_again)
            self._settling.daemon = True
            self._settling.start()
        if self._anchoring:
            self._anchoring.follow(self.store.engine)

    def _settle_again(self) -> None:
        """Settle what was left by processes that may still have been alive at the start."""
        with suppress(StorageUnavailable):
            self.recover()

    def troubles(self) -> list[FollowerFailure]:
        """List which followers of this process fail, and why."""
        return self._following.troubles() if self._following else []

    def behind(self, heads: Mapping[str, Head]) -> dict[str, int]:
        """Say by follower how far it is behind, of those whose work this process does."""
        return self._following.behind(heads) if self._following else {}

    def close(self) -> None:
        """Close the store, and what capabilities hold open; a fork has only copies of locks."""
        if not self.opener.is_this():
            self.store.engine.close()
            return
        if self._settling:
            self._settling.cancel()
            self._settling.join()
        if self._following:
            self._following.close()
        if self._anchoring:
            self._anchoring.close(self.store.engine)
        for capability in self.catalog.loaded:
            if capability.close:
                capability.close()
        self.store.engine.close()

    def wants_proof(self) -> bool:
        """Whether a secret is set here, so that people are asked to prove it."""
        return self.secret().is_set

    def news(self) -> list[str]:
        """Tell the operator who starts a server what to know about people and their proof."""
        now = to_text(self._clock())
        return secret_news.at_start(self.store, now, is_set=self.wants_proof())

    def secret(self) -> Secret:
        """Give the secret by which people prove to be people, as the store knows it."""
        if people.is_derived(self.store):
            people.learn(self._secret, self.store)
        return self._secret

    def judged(self, caller: Caller) -> Caller:
        """Say what a caller is: a person, an admin or an agent, as it has proved; or refuse."""
        if caller.secret is None and caller.actor.kind != "human" and not caller.is_vouched:
            return caller
        secret = self.secret()
        is_proved = secret.is_set and caller.secret is not None
        if caller.secret is not None and is_proved:
            secret.prove(caller.secret)
        return people.judged(
            caller, is_set=secret.is_set, is_known=secret.is_learned, is_proved=is_proved
        )

    def _authorize(self, operation: Operation, caller: Caller) -> None:
        if not caller.actor.may(operation.role):
            raise PermissionDenied(
                f"{operation.name} needs the role {operation.role}", role=caller.actor.role
            )
        if self.read_only and operation.writes:
            raise PermissionDenied(f"{operation.name} writes, and this server only reads")

    def _place(self, operation: Operation, request: Request, caller: Caller) -> Context:
        now = to_text(self._clock())
        looks = not (operation.writes or operation.in_catalog)
        place = call_project.find_place(self.store, request.project_id, caller, looks=looks)
        place, session = _followed(operation, request, caller, place)
        seated = call_session.seat(
            self.store, call_session.Asked(operation, caller, session, place)
        )
        project = CATALOG if operation.in_catalog else seated.project
        if operation.writes:
            self._require_open(project)
        stamp = Stamp(caller.actor, now, seated.session)
        missing = missing_in(self.store, project, request, self._is_there)
        return Context(
            store=self.store,
            project=project,
            caller=caller,
            stamp=stamp,
            session=seated.session,
            as_of=self._as_of(project, request),
            once=_once(operation, request, caller),
            writable=lambda: self._is_writable(project, caller),
            is_trial=operation.writes and project == place.project and _is_unsettled(place, caller),
            open_session=self._opening(operation, seated, caller, stamp),
            end_session=call_session.closing(self.store, seated, caller, stamp),
            complete=partial(naming, missing),
        )

    def _opening(
        self, operation: Operation, seated: call_session.Seating, caller: Caller, stamp: Stamp
    ) -> Callable[[WriteTx], None] | None:
        if not operation.writes:
            return None
        joins = not operation.ends_session
        return call_session.opening(self.store, seated, caller, stamp, joins=joins)

    def _require_open(self, project: str) -> None:
        if line := projects.line(self.store, project):
            projects.require_open(line)

    def _is_writable(self, project: str, caller: Caller) -> bool:
        if project == UNMADE or self.read_only or not caller.actor.may("agent"):
            return False
        line = projects.line(self.store, project)
        return line is None or not line["is_archived"]

    def _as_of(self, project: str, request: Request) -> int | None:
        point: str | None = vars(request).get("as_of")
        if point is None:
            return None
        return self.store.read(project, lambda tx: as_of.resolve(tx, point))

    def _answer(self, operation: Operation, request: Request, context: Context) -> Result:
        if context.once and (first := self._first_answer(operation, context, context.once)):
            return first
        if self.limit:
            self.limit(operation, context)
        return _run(operation, request, context)

    def _answered_before(
        self, operation: Operation, request: Request, caller: Caller
    ) -> Result | None:
        """Give the first answer to a request that has lost its place since."""
        once = _once(operation, request, caller)
        if once is None or operation.in_catalog:
            return None
        place = call_project.find_place(self.store, request.project_id, caller, looks=True)
        named = (request.session_id, caller.session)
        led = (directory.project_of(one) for one in named if one and not place.is_named)
        for project in dict.fromkeys([place.project, *filter(None, led)]):
            if caller.sees(project) and (answer := self.store.read(project, once.recall)):
                return operation.result.model_validate(answer)
        return None

    def _first_answer(self, operation: Operation, context: Context, once: Once) -> Result | None:
        answer = context.read(once.recall)
        return operation.result.model_validate(answer) if answer else None


def _followed(
    operation: Operation, request: Request, caller: Caller, place: CallPlace
) -> tuple[CallPlace, str | None]:
    """Say which project a call is about, by default the one its caller last worked on."""
    last = caller.last_context() if operation.follows_context else None
    if request.session_id is not None or last is None or not caller.sees(last[0]):
        return place, request.session_id
    if place.is_named and place.project != last[0]:
        return place, None
    return CallPlace(last[0], is_named=True, is_home=False), last[1]


def _is_unsettled(place: CallPlace, caller: Caller) -> bool:
    """Whether a write here must first make the caller's home, or note whose it is."""
    assert caller.home, "every caller has a home by now"
    return place.is_home and (place.project == UNMADE or not caller.home.is_settled)


def _run(operation: Operation, request: Request, context: Context) -> Result:
    if cursor := vars(request).get("cursor"):
        place = _listing(operation, request, context).place(cursor)
        request = request.model_copy(update={"cursor": place})
    try:
        return _looked_at_anew(operation, request, context)
    except AlreadyAnsweredError as answered:
        return operation.result.model_validate(answered.answer)
    except OSError as error:
        outcome = "unknown" if operation.writes else "not_written"
        problem = refusal(error, f"{operation.name} cannot be done", outcome=outcome)
        if problem is None:
            raise
        raise problem from error


def _looked_at_anew(operation: Operation, request: Request, context: Context) -> Result:
    for _ in range(LOOKS_MAX):
        try:
            return operation.run(request, context)
        except NotKeptError:
            # Nothing of that write has landed. Run again, it packs what it needs.
            continue
    raise StorageUnavailable(
        "What this was to rest on was collected each time just before it was written",
        hint="Nothing was written; ask again when `hansard gc` is done",
        outcome="not_written",
    )


def _paged(answer: Result, operation: Operation, request: Request, context: Context) -> Result:
    """Bind the cursor of an answer to the list that it goes on with."""
    place = vars(answer).get("nextCursor")
    if place is None or "cursor" not in operation.request.model_fields:
        return answer
    cursor = _listing(operation, request, context).cursor(place)
    return answer.model_copy(update={"nextCursor": cursor})


def _flagged(answer: Result, operation: Operation, arguments: Mapping[str, Any]) -> Result:
    """Warn of invisible characters in what is written or given to a model."""
    if not isinstance(answer, Flagged):
        return answer
    hidden = hidden_chars(answer if operation.gives_context else arguments)
    return answer.model_copy(update={"hidden_chars": hidden}) if hidden else answer


def _listing(operation: Operation, request: Request, context: Context) -> Listing:
    session = context.session if operation.lists_session else None
    return Listing(operation.name, context.project, request, session)


def validate(operation: Operation, arguments: Mapping[str, Any]) -> Request:
    """Build the request model from arguments, or say which of them is wrong and why."""
    check_values(dict(arguments))
    try:
        return operation.request.model_validate(arguments)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        faults = [argument_faults.fault(operation, one) for one in found]
        message = "; ".join(f"{one['argument']}: {one['why']}" for one in faults[:5])
        raise InvalidInput(message, arguments=faults[:20]) from None


def _once(operation: Operation, request: Request, caller: Caller) -> Once | None:
    key = caller.idempotency_key
    if key is None or not operation.writes:
        return None
    if not 0 < len(key) <= limits.IDEMPOTENCY_KEY_CHARS_MAX:
        raise InvalidInput(
            f"An idempotency key has 1 to {limits.IDEMPOTENCY_KEY_CHARS_MAX} characters"
        )
    asked = canonical_json(request.model_dump(mode="json", exclude_unset=True))
    name, kind = operation.name, caller.actor.kind
    former = reply.reply_key(kind, caller.former_scope, name, key) if caller.former_scope else None
    own = reply.reply_key(kind, caller.scope or (caller.actor.id,), name, key)
    return Once(own, name, digest_of(asked), former)
