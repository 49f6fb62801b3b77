"""Operations: what can be asked, who asks, and the context in which they run."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar

from pydantic import ConfigDict
from pydantic.json_schema import SkipJsonSchema

from hansard.kernel import ids, reply
from hansard.kernel.blob import Blob
from hansard.kernel.dry_run import TrialPassedError, try_out
from hansard.kernel.effect import Settled
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Actor, Entry, Event, Proof, Role, Stamp
from hansard.kernel.follow import Follower
from hansard.kernel.hidden_characters import warning
from hansard.kernel.idempotency import AlreadyAnsweredError, AlreadyAttemptedError, Once
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.meaning import Passages
from hansard.kernel.model import Model
from hansard.kernel.model_answer import PROOF
from hansard.kernel.origin import Origin, TakenOver, require_not_taken
from hansard.kernel.secret import Secret
from hansard.kernel.session_holder import Holder
from hansard.kernel.store import Store
from hansard.kernel.text import Id, Point
from hansard.kernel.view import View

T = TypeVar("T")


class Request(Model):
    """Arguments of an operation: a closed model, so an unknown field is refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    session_id: Id | None = None
    project_id: SkipJsonSchema[Id | None] = None
    """Every operation accepts it; only those below list it to a model."""


class ProjectRequest(Request):
    """Arguments of an operation that depends on the project."""

    project_id: Id | None = None


class TimedRequest(ProjectRequest):
    """Arguments of a read that can also read the past."""

    as_of: Point | None = None
    """A tick `t:12`, a seq `s:340` or an ISO time; absent means now."""


class ReceiptShown(Model):
    """The receipt as a caller gets it."""

    seq: int
    hash: str


class Result(Model):
    """The answer of an operation: structured content, and a short text that stands alone."""

    model_config = ConfigDict(extra="forbid")

    def text(self) -> str:
        """Give the answer as a few lines of text."""
        raise NotImplementedError

    def briefly(self) -> Self:
        """Give the answer as a model gets it, without repetitions."""
        return self


class Flagged(Result):
    """An answer that reports invisible characters."""

    hidden_chars: dict[str, int] | None = None
    """How many invisible characters are in the text, by kind; absent if there are none."""

    def cautions(self) -> list[str]:
        """Give warnings about the text, a line each."""
        return [warning(self.hidden_chars)] if self.hidden_chars else []


class Written(Flagged):
    """The answer of an operation that writes."""

    receipt: Annotated[ReceiptShown | None, PROOF] = None
    """Absent only when there was nothing to write."""
    redacted: list[str] | None = None
    """The kinds of secrets that were given and are not recorded in plain text."""
    secrets: list[str] | None = None
    """The kinds of secrets in a text that is kept as it was given."""

    def cautions(self) -> list[str]:
        """Also name the secrets that were removed or kept."""
        lines = super().cautions()
        if self.redacted:
            lines.append(f"Recorded without the secrets in it: {', '.join(self.redacted)}")
        if self.secrets:
            lines.append(
                f"Warning: what looks like a secret ({', '.join(self.secrets)}) is kept as it was "
                "given, for everyone who reads this store."
            )
        return lines


SessionUse = Literal["none", "optional", "required", "begins"]
"""Whether an operation runs without a session, needs one, or begins one where there is none."""

Toolset = Literal["core", "default", "records"]
"""The tool lists an operation is in besides its capability's; `records` has projects' too."""


class Seat:
    """Remembers which session this process is in in each project, for a caller with one chat."""

    def __init__(self, *, adopts: bool = False) -> None:
        """Start with no session; `adopts` continues those that a call opens by naming them."""
        self.adopts = adopts
        self.sessions: dict[str, str] = {}
        self.contexts: dict[str | None, tuple[str, str]] = {}
        """By the session of a call: the project and session whose context was last saved or
        loaded."""
        self.opened: dict[str, str] = {}
        """The sessions among these that were opened by naming them."""
        self.begun: dict[tuple[str, str], Actor] = {}
        """The sessions that were begun for this process alone, by project and id, and by whom."""

    def open(self, project: str, session: str) -> None:
        """Continue a session that was named."""
        self.sessions[project] = self.opened[project] = session

    def forget(self, project: str, session: str) -> None:
        """Leave a session."""
        for known in (self.sessions, self.opened):
            if known.get(project) == session:
                del known[project]


class Home(Protocol):
    """The project of calls that name none. The first write creates it, a read never does."""

    @property
    def is_chosen(self) -> bool:
        """Whether the operator has chosen it, so that it is everyone's."""

    @property
    def must_exist(self) -> bool:
        """Whether it was just typed: reading an unknown one is then refused."""

    @property
    def is_settled(self) -> bool:
        """Whether, once found, the next write has nothing to record about it."""

    def find(self, store: Store) -> str | None:
        """Give its key; `None` if it does not exist yet."""

    def name(self, store: Store) -> str:
        """Give its name, or the name it would get."""

    def make(self, store: Store, stamp: Stamp) -> str:
        """Create it unless it exists; gives its key."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller, as the connection proved, and what came with the call outside its arguments."""

    actor: Actor
    session: str | None = None
    """The session named by the request's metadata or the settings."""
    default_session: str | None = None
    """The session of the settings; one that a call opened by naming it has priority."""
    chat: str | None = None
    """The chat that the host names; a closed one continues in its next part."""
    seat: Seat | None = None
    idempotency_key: str | None = None
    secret: str | None = field(default=None, repr=False)
    is_vouched: bool = False
    """Whether a token, or a secret entered there, has proved who it is."""
    proof: Proof | None = None
    """Whether its person is proved, as judged here; never its own claim."""
    scope: tuple[str, ...] = ()
    """The owner of its idempotency keys; if empty, its actor."""
    former_scope: tuple[str, ...] = ()
    """Their owner for older programs, which could not distinguish clients."""
    holder: Holder | None = None
    """What a session that it joins records about it."""
    lifeline: Lifeline | None = field(default=None, repr=False)
    """The lock of that holder, taken when it first joins a session."""
    activating: Mapping[str, int] = field(default_factory=dict)
    """The records that a write rests on, each with the version it knows: active with the write."""
    ends_with_write: bool = False
    """Whether a session that begins with its write also ends with it."""
    projects: Collection[str] | None = None
    """The keys of the projects it may see; `None` means all."""
    home: Home | None = None
    """The project of its calls that name none; else the application's."""
    origin: Origin | None = None
    """The item of another program that its write imports."""

    def sees(self, project: str) -> bool:
        """Whether it may see a project."""
        return self.projects is None or project in self.projects

    def session_in(self, project: str) -> str | None:
        """Name the caller's own session: from the request, opened here, or from the settings."""
        opened = self.seat.opened.get(project) if self.seat else None
        own = self.seat.sessions.get(project) if self.seat else None
        return self.session or opened or self.default_session or self.chat or own

    def works_on(self, project: str, session: str) -> None:
        """Remember whose context the caller works on, where a process has one chat."""
        if self.seat:
            self.seat.contexts[self.session] = project, session

    def last_context(self) -> tuple[str, str] | None:
        """Give the project and session whose context the caller last saved or loaded."""
        return self.seat.contexts.get(self.session) if self.seat else None


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
    writable: Callable[[], bool] = lambda: True
    """Asks whether the caller could also write here."""
    is_trial: bool = False
    """Whether the project does not exist yet: the first write runs as a trial, and says so."""
    open_session: Callable[[WriteTx], None] | None = None
    """Records the beginning of a session in the operation's own transaction."""
    end_session: Callable[[WriteTx], None] | None = None
    """Records its end there, if the session is for one write."""
    complete: Callable[[Any], Any] = lambda answer: answer
    """Adds to the answer of a write what was known before it; a repetition is told the same."""

    @property
    def may_write(self) -> bool:
        """Whether the caller could also write here: a read may then record itself."""
        return self.writable()

    def read(self, work: Callable[[ReadTx], T]) -> T:
        """Run work on a consistent snapshot of the project."""
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
        self._pass_trial(whole, staged)
        while True:
            try:
                return self.store.write(self.project, whole, blobs=staged, urgent=urgent)
            except ids.BlockExhaustedError as exhausted:
                try_out(self.store, self.project, whole, self.stamp, blobs=staged)
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

        staged = tuple(blobs)
        self._pass_trial(whole, staged)
        return self.store.write(self.project, whole, blobs=staged)

    def note(self, work: Callable[[WriteTx], object], *, urgent: bool = False) -> None:
        """Do a write that no answer depends on; it creates no project."""
        if not self.is_trial:
            self.store.write(self.project, work, urgent=urgent)

    def require_new(self, tx: ReadTx) -> None:
        """Raise the earlier answer or attempt of this request if its key is known."""
        if self.once is None:
            return
        if answer := self.once.recall(tx):
            raise AlreadyAnsweredError(answer)
        if intents := self.once.recall_attempt(tx):
            raise AlreadyAttemptedError(intents)

    def record(self, tx: WriteTx, event: Event) -> Entry:
        """Append an event under this operation's stamp."""
        return self.store.record(tx, event, self.stamp)

    def _pass_trial(self, whole: Callable[[WriteTx], Any], blobs: tuple[Blob, ...]) -> None:
        """If the project does not exist yet, report that the write would succeed, or refuse."""
        if self.is_trial:
            try_out(self.store, self.project, whole, self.stamp, blobs=blobs)
            raise TrialPassedError

    def _answer(self, tx: WriteTx, work: Callable[[WriteTx], R]) -> R:
        if self.once and (answer := self.once.recall(tx)):
            raise AlreadyAnsweredError(answer)
        before = tx.head().seq
        if self.caller.origin:
            require_not_taken(tx, self.caller.origin)
        if self.open_session:
            self.open_session(tx)
        result: R = self.complete(work(tx))
        if self.caller.origin and tx.head().seq > before:
            self.record(tx, _taken_over(self.caller.origin, before + 1, result))
        if self.end_session:
            self.end_session(tx)
        head = tx.head()
        if head.seq > before:
            receipt = ReceiptShown(seq=head.seq, hash=head.hash)
            result = result.model_copy(update={"receipt": receipt})
        if once := self.once:
            shown = result.model_dump(mode="json", exclude_none=True)
            self.record(tx, reply.keep_reply(tx, once.key, once.operation, once.arguments, shown))
        return result


def _taken_over(item: Origin, first: int, result: Written) -> TakenOver:
    """Record what a write made of an imported item."""
    # Writes of records answer with the whole record.
    written = getattr(result, "record", result)
    known = (getattr(written, name, None) for name in _MADE)
    return TakenOver(
        source=item.source,
        item=item.item,
        digest=item.digest,
        at=item.at,
        first=first,
        made=next((one for one in known if isinstance(one, str)), None),
    )


_MADE = ("id", "decision_id", "proposal_id", "session_id")
"""The fields in which answers give the id of a written thing, most specific first."""

Run = Callable[[Any, Context], Result]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation, declared once: tools, routes and commands are generated from it."""

    name: str
    description: str
    request: type[Request]
    result: type[Result]
    run: Run
    writes: bool
    role: Role = "viewer"
    """The least role that may call it. A write needs at least `agent`."""
    in_catalog: bool = False
    """Whether it is about the whole store rather than one project."""
    session: SessionUse = "optional"
    creates_session: bool = False
    """Whether an unknown session id begins a session of that id."""
    follows_context: bool = False
    """Whether, without a named session, it concerns the one whose context was last used."""
    reopens_session: bool = False
    """Whether a closed session is started afresh rather than refused."""
    ends_session: bool = False
    """Whether it ends the session, so that its caller does not first join it."""
    gives_context: bool = False
    """Whether a model works with its answer."""
    lists_session: bool = False
    """Whether it lists things of its session, so that its cursor fits no other session's list."""
    needs_secret: bool = False
    """Whether it needs a secret to be set; then any caller that proves it may ask."""
    destructive: bool = False
    repeatable: bool = False
    """Whether a repeated call has no further effect."""
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
    """Settles what a crash left open; called once, before any operation."""
    close: Callable[[], None] | None = None
    """Releases what it holds outside the store."""
    secret: Secret | None = None
    """The secret by which a caller proves to be a person, or an admin."""
    keeps_text: bool = False
    """Whether its texts come back byte for byte, so that no secret can be removed."""
    passages: Passages = field(default_factory=dict)
    """The texts by which its things are found by meaning."""
    followers: Callable[[Store], Sequence[Follower]] | None = None
    """Makes its followers."""

    @property
    def operation_names(self) -> tuple[str, ...]:
        """Name the operations, each with its aliases."""
        return tuple(name for one in self.operations for name in (one.name, *one.aliases))

    @property
    def passage_kinds(self) -> frozenset[str]:
        """Name the kinds of events that add or remove passages."""
        return frozenset(event.kind for event in self.passages)
