"""What can be asked of Hansard: operations, who asks, and in what circumstances they run."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import SkipJsonSchema

from hansard.kernel import ids, reply
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.effect import Settled
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Actor, Entry, Event, Role, Stamp
from hansard.kernel.follow import Follower
from hansard.kernel.meaning import Passages
from hansard.kernel.store import Store
from hansard.kernel.text import Id, Point
from hansard.kernel.view import View

T = TypeVar("T")


class Request(BaseModel):
    """Arguments of an operation: a closed model, so an unknown field is refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    session_id: Id | None = None
    project_id: SkipJsonSchema[Id | None] = None
    """Taken by every operation; listed, where a model reads it, only by those below."""


class ProjectRequest(Request):
    """Arguments of an operation to which the project matters."""

    project_id: Id | None = None


class TimedRequest(ProjectRequest):
    """Arguments of a read that can also be asked of the past."""

    as_of: Point | None = None
    """A tick `t:12`, a seq `s:340` or an ISO time; absent means now."""


class ReceiptShown(BaseModel):
    """The receipt as a caller sees it."""

    seq: int
    hash: str


class Result(BaseModel):
    """The answer of an operation: structured content, and a short text that suffices alone."""

    model_config = ConfigDict(extra="forbid")

    def text(self) -> str:
        """Say the answer in a few lines."""
        raise NotImplementedError


class Written(Result):
    """The answer of an operation that writes."""

    receipt: ReceiptShown | None = None
    """Absent only when there was nothing to write."""


SessionUse = Literal["none", "optional", "required", "begins"]
"""Whether an operation runs without a session, needs one, or begins one where there is none."""

Toolset = Literal["core", "default", "records"]
"""The tool lists an operation is part of, besides that of its capability.

The operations on projects and sessions are of 000 too, so `records` lists them with its own.
"""


class Seat:
    """Remembers which session this process began in each project, for a caller with one chat."""

    def __init__(self) -> None:
        """Start with no session."""
        self.sessions: dict[str, str] = {}
        self.contexts: dict[str | None, tuple[str, str]] = {}
        """By the session that comes along with calls: the project and session whose context was
        last saved or loaded."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as the connection proved, and what came along outside the arguments."""

    actor: Actor
    session: str | None = None
    """The session named by the request's metadata or the settings."""
    seat: Seat | None = None
    idempotency_key: str | None = None
    secret: str | None = field(default=None, repr=False)

    def session_in(self, project: str) -> str | None:
        """Name the caller's own session: the one that comes along, or the one this process has."""
        return self.session or (self.seat.sessions.get(project) if self.seat else None)

    def works_on(self, project: str, session: str) -> None:
        """Remember whose context the caller has before it, where there is one chat a process."""
        if self.seat:
            self.seat.contexts[self.session] = project, session

    def last_context(self) -> tuple[str, str] | None:
        """Give the project and session whose context the caller last saved or loaded."""
        return self.seat.contexts.get(self.session) if self.seat else None


class AlreadyAnsweredError(Exception):
    """The same request was answered while this one waited for its turn."""

    def __init__(self, answer: dict[str, Any]) -> None:
        """Carry the first answer."""
        super().__init__()
        self.answer = answer


class AlreadyAttemptedError(Exception):
    """The same request has announced its changes to the world before, and was not answered."""

    def __init__(self, intents: list[int]) -> None:
        """Carry the seqs of its intents."""
        super().__init__()
        self.intents = intents


@dataclass(frozen=True, slots=True)
class Once:
    """The idempotency key of a request, and a digest of what it asks."""

    key: str
    operation: str
    arguments: Digest


R = TypeVar("R", bound=Written)


@dataclass(frozen=True, slots=True)
class Context:
    """The circumstances in which one operation runs."""

    store: Store
    project: str
    caller: Caller
    stamp: Stamp
    session: str | None = None
    as_of: int | None = None
    once: Once | None = None
    may_write: bool = True
    """Whether the caller could also write here: a read may then leave a note of itself."""
    open_session: Callable[[WriteTx], None] | None = None
    """Records the beginning of a session in the operation's own transaction."""

    def read(self, work: Callable[[ReadTx], T]) -> T:
        """Run work on a consistent look at the project."""
        return self.store.read(self.project, work)

    def write(
        self, work: Callable[[WriteTx], R], *, blobs: Iterable[Blob] = (), urgent: bool = False
    ) -> R:
        """Do the operation's write: durable when this returns, its receipt in the result.

        The result is the operation's answer; it is kept with the write under the idempotency key.
        `urgent` is a write that records the outcomes of effects.
        """

        def whole(tx: WriteTx) -> R:
            return self._answer(tx, work)

        staged = tuple(blobs)
        while True:
            try:
                return self.store.write(self.project, whole, blobs=staged, urgent=urgent)
            except ids.BlockExhaustedError as exhausted:
                ids.grant(self.store, self.project, exhausted.prefix, self.stamp)

    def announce(
        self,
        work: Callable[[WriteTx], list[Entry]],
        *,
        blobs: Iterable[Blob] = (),
        goes_on: bool = False,
    ) -> list[Entry]:
        """Do the write that comes before an effect; `work` returns the entries of the intents.

        The idempotency key is kept with them, so that a repetition settles them and never acts.
        `goes_on` says that this request has announced something before.
        """

        def whole(tx: WriteTx) -> list[Entry]:
            if not goes_on:
                self.require_new(tx)
            if self.open_session:
                self.open_session(tx)
            intents = work(tx)
            if once := self.once:
                seqs = [intent.seq for intent in intents]
                attempted = reply.Attempted(
                    key=once.key, operation=once.operation, arguments=once.arguments, intents=seqs
                )
                self.record(tx, attempted)
            return intents

        return self.store.write(self.project, whole, blobs=blobs)

    def require_new(self, tx: ReadTx) -> None:
        """Raise what is known of this request if its key has come before."""
        if self.once is None:
            return
        if answer := reply.recall(tx, self.once.key, self.once.arguments):
            raise AlreadyAnsweredError(answer)
        if intents := reply.recall_attempt(tx, self.once.key, self.once.arguments):
            raise AlreadyAttemptedError(intents)

    def record(self, tx: WriteTx, event: Event) -> Entry:
        """Append an event under this operation's stamp."""
        return self.store.record(tx, event, self.stamp)

    def _answer(self, tx: WriteTx, work: Callable[[WriteTx], R]) -> R:
        if self.once and (answer := reply.recall(tx, self.once.key, self.once.arguments)):
            raise AlreadyAnsweredError(answer)
        before = tx.head().seq
        if self.open_session:
            self.open_session(tx)
        result = work(tx)
        head = tx.head()
        if head.seq > before:
            result = result.model_copy(
                update={"receipt": ReceiptShown(seq=head.seq, hash=head.hash)}
            )
        if self.once:
            shown = result.model_dump(mode="json", exclude_none=True)
            once = self.once
            self.record(tx, reply.keep_reply(tx, once.key, once.operation, once.arguments, shown))
        return result


Run = Callable[[Any, Context], Result]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked, declared once: tools, routes and commands are made from it."""

    name: str
    description: str
    request: type[Request]
    result: type[Result]
    run: Run
    writes: bool
    role: Role = "viewer"
    """The least role that may ask. Whatever writes needs at least `agent`."""
    in_catalog: bool = False
    """Whether it is about the whole store rather than one project."""
    session: SessionUse = "optional"
    creates_session: bool = False
    """Whether an id that no session has yet begins one of that id."""
    follows_context: bool = False
    """Whether, if no session is named, it is about the one whose context was last before it."""
    reopens_session: bool = False
    """Whether a closed session is started afresh rather than refused."""
    destructive: bool = False
    repeatable: bool = False
    """Whether asking twice has the effect of asking once."""
    toolsets: tuple[Toolset, ...] = ()
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep declarations honest."""
        assert not (self.writes and self.role == "viewer"), f"{self.name} writes as a viewer"
        assert not self.writes or issubclass(self.result, Written), f"{self.name} has no receipt"


@dataclass(frozen=True, slots=True)
class Capability:
    """One folder's worth of operations, with the events and views behind them."""

    name: str
    operations: tuple[Operation, ...]
    events: tuple[type[Event], ...] = ()
    views: tuple[View, ...] = ()
    recover: Callable[[Store, Stamp], Sequence[Settled]] | None = None
    """Settles what a crash left open; called once, before anything is asked."""
    close: Callable[[], None] | None = None
    """Lets go of what it holds outside the store."""
    proves: Callable[[str], bool] | None = None
    """Whether a secret that came along with a call proves its caller to be an admin."""
    passages: Passages = field(default_factory=dict)
    """The texts by which its things are found by meaning."""
    followers: Callable[[Store], Sequence[Follower]] | None = None
    """Makes what derives slowly from the journal, after it."""
