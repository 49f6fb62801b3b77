"""Records what hosts reported to their hooks: each event once, in the session of its chat."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from hansard.app import home_projects, hook_files, recorded_states
from hansard.app.application import Application
from hansard.app.hook_texts import brief
from hansard.app.recorded_states import State, TakenIn
from hansard.app.settings import Settings, declarations, load
from hansard.app.start import gateway, start
from hansard.hooks import chats, client, event_details, hook_state, locations, spool
from hansard.kernel import paging
from hansard.kernel.engine import ReadTx, Row, Where
from hansard.kernel.event import Actor
from hansard.kernel.limits import BODY_BYTES_MAX, DESCRIPTION_CHARS_MAX, TITLE_CHARS_MAX
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.kernel.reply import REPLIES, KeyReused, reply_key
from hansard.kernel.session_holder import Holder
from hansard.recorder.contract import SessionExists
from hansard.recorder.events import FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.tables import REVISIONS
from hansard.recorder.workspace.paths import FilePath
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.directory import parts
from hansard.sessions.views import SESSIONS

Entry = dict[str, Any]

OWN_NOTES = ("checkpoints.", "kernel.", "sessions.")
"""Prefixes of kinds of entries that are not a session's work: a checkpoint of it is no reason for
another."""

RECURRING = ("resume", "compact")
"""Ways in which a chat begins again."""

REPORTS = ("record_file_create", "record_file_edit", "record_file_delete")
"""Operations that report a single file."""

MOVE = ("record_file_move",)
"""The operation that reports two."""

STORY_TOKENS = 1_500
"""How much of the session's story a checkpoint before compaction keeps."""


def settings_of(given: Mapping[str, str]) -> Settings:
    """Make the settings that a hook was run with."""
    known = {one.name for one in declarations()}
    flags = {name: value for name, value in given.items() if name in known}
    config = given.get("config")
    return load(flags, {"HANSARD_CONFIG": config} if config else {})


class HookIntake:
    """Takes what waits in a store's spool; opens an application for each way it is set up."""

    def __init__(self, folder: str) -> None:
        """Take from this folder."""
        self.folder = folder
        self._opened: dict[Settings, tuple[Application, Gateway]] = {}
        self._taken_in = TakenIn()

    def take(self) -> int:
        """Record what waits, in order; gives how many events that were."""
        if not spool.waiting(self.folder):
            return 0
        chats.sweep(self.folder)
        for kind in (client.STARTS, client.BRIEFS, client.BRIEFED, event_details.LOOKS):
            hook_state.sweep(self.folder, kind)
        return spool.take(self.folder, self._recorded)

    def brief(self, asked: Mapping[str, Any]) -> str:
        """Brief a session that begins on the state of its project."""
        settings = settings_of(asked["given"])
        if not settings.brief_tokens:
            return ""
        application, _ = self._open(settings)
        caller = _caller(asked["host"], asked["session"])
        return brief(application, caller, settings.brief_tokens, asked.get("source", ""))

    def record(self, entry: Entry) -> None:
        """Record one event, or refuse it."""
        settings = settings_of(entry["given"])
        application, hand = self._open(settings)
        with self._taken_in.during(entry["at"]):
            Recording(application, hand, entry, self._taken_in).run()

    def close(self) -> None:
        """Close what was opened."""
        for application, hand in self._opened.values():
            hand.close()
            application.close()
        self._opened.clear()

    def _open(self, settings: Settings) -> tuple[Application, Gateway]:
        if settings not in self._opened:
            application = start(settings, home=home_projects.choose(settings))
            self._opened[settings] = application, gateway(settings)
        return self._opened[settings]

    def _recorded(self, entry: Entry) -> str | None:
        """Record an event; says why if it never can be."""
        try:
            self.record(entry)
        except StorageUnavailable:
            raise
        except Problem as problem:
            return f"{problem.code}: {problem}"
        # One event that we fail on must not keep the following ones from being recorded.
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return f"a bug: {error!r}"
        return None


def take_all(folder: str, say: Callable[[str], None]) -> None:
    """Record all that waits in a store's spool; failures are only reported."""
    intake = HookIntake(folder)
    try:
        intake.take()
    except (Problem, OSError) as error:
        say(f"hansard: What hooks told could not be taken in: {error}")
    finally:
        intake.close()


def brief_alone(asked: Mapping[str, Any]) -> str:
    """Say where a project stands, in a hook that found no server."""
    folder = locations.hooks_folder(dict(asked["given"]), {})
    if folder is None:
        return ""
    intake = HookIntake(folder)
    try:
        with suppress(OSError):
            intake.take()
        return intake.brief(asked)
    except Problem as problem:
        sys.stderr.write(f"hansard: {problem}\n")
        return ""
    finally:
        intake.close()


@dataclass(frozen=True, slots=True)
class Recording:
    """One event on its way into the journal."""

    application: Application
    gateway: Gateway
    entry: Entry
    taken_in: TakenIn

    def run(self) -> None:
        """Record it; what was recorded already is left alone."""
        match self.entry["event"]:
            case "edit":
                self._files(0)
            case "shell":
                self._shell()
            case "prompt":
                self._prompt(self.entry["prompt"].replace("\0", ""))
            case "subagent":
                self._note("subagent", f"{self.entry['source']} {self.entry['said']}".strip())
            case "compacting":
                self._checkpoint()
            case "compacted" if self.entry["said"]:
                self._note("compaction", self.entry["said"])
            case "end":
                with suppress(SessionNotFound):
                    self._call(0, "record_session_end")
        if begun := self.entry.get("begun"):
            self._begun(begun)

    def _begun(self, begun: Entry) -> None:
        """Note how the chat began: anew, resumed, after it was cleared or compacted."""
        source = begun["source"]
        moment = str(begun["at"]) if source in RECURRING else ""
        key = _key(self.entry["session"], "begun", source, moment)
        said = _clean(f"{source or 'start'} in {self.entry['host']}")
        with suppress(KeyReused):
            self.application.call(
                "audit_event",
                {"type": "session_start", "description": said},
                replace(self._caller, idempotency_key=key),
            )

    def _shell(self) -> None:
        told = self.entry
        failed = " (failed)" if told.get("failed") else ""
        more = f" (and {told['more']} more files, not recorded)" if told.get("more") else ""
        unseen = " (what it changed was not seen)" if told.get("unseen") else ""
        self._note("shell", f"{told['command'].strip()}{failed}{more}{unseen}")
        self._files(1)

    def _files(self, first: int) -> None:
        """Record what became of each file; one that is refused does not stop the others."""
        told = dict(enumerate(self.entry["files"], start=first))
        moves = self._moves(told)
        for number, file in told.items():
            if number in moves.values():
                continue
            try:
                self._file(number, file, told.get(moves.get(number, -1)))
            except StorageUnavailable:
                raise
            except Problem as problem:
                self._not_recorded(number, f"what became of a file was not recorded: {problem}")

    def _file(self, number: int, file: Entry, target: Entry | None) -> None:
        """Record what became of a file, or of one that was moved to where another came."""
        if size := file.get("bytes"):
            said = f"{file['path']} was changed; {size:,} bytes are too many to be recorded"
            self._not_recorded(number, said)
            return
        if target is None:
            known = self._known(file)
            if recorded_states.is_recorded(file, known):
                return
            file = self._own_part(file, known)
        operation, asked = hook_files.report(file, target)
        with suppress(KeyReused):
            self._call(number, operation, **asked)

    def _not_recorded(self, number: int, why: str) -> None:
        with suppress(KeyReused):
            self._call(number, "audit_event", type="not_recorded", description=_clean(why))

    def _moves(self, told: Mapping[int, Entry]) -> dict[int, int]:
        """Say which files were moved, and which others say where they came to."""
        named = {number: file for number, file in told.items() if self._is_named(file)}
        pairs = hook_files.moves(named)
        moves = {one: other for one, other in pairs.items() if self._is_one(told, one, other)}
        # What an older program recorded as a move is still one when it is read again.
        older = hook_files.twins(named).items() - pairs.items()
        return moves | {one: other for one, other in older if self._is_answered(one, MOVE)}

    def _is_named(self, file: Entry) -> bool:
        """Whether a file has a path that can be recorded."""
        try:
            self._resolved(file)
        except StorageUnavailable:
            raise
        except Problem:
            return False
        return True

    def _is_one(self, told: Mapping[int, Entry], source: int, target: int) -> bool:
        """Whether both sides are to be recorded as one, or were: not if one alone is recorded."""
        if self._is_answered(source, MOVE):
            return True
        sides = (source, target)
        is_begun = any(self._is_answered(side, REPORTS) for side in sides)
        return not is_begun and not any(self._is_recorded(told[side]) for side in sides)

    def _is_answered(self, number: int, operations: Sequence[str]) -> bool:
        """Whether a file of this event was recorded by one of these operations."""
        caller, key = self._caller, self._part_key(number)
        keys = [
            reply_key(caller.actor.kind, caller.scope, operation, key) for operation in operations
        ]
        project = self.application.own_project()
        return self.application.store.read(
            project, lambda tx: any(tx.get(REPLIES, each) is not None for each in keys)
        )

    def _prompt(self, text: str) -> None:
        """Give the session its title by the user's first words; later ones are notes."""
        if not text.strip():
            return
        title = text.strip().splitlines()[0][:TITLE_CHARS_MAX]
        message = text.encode(errors="replace")[:BODY_BYTES_MAX].decode(errors="ignore")
        try:
            self._call(0, "record_session_start", title=_clean(title), user_message=message)
        except SessionExists:
            self._note("user_message", text)

    def _note(self, kind: str, text: str) -> None:
        text = _clean(text).strip()[:DESCRIPTION_CHARS_MAX]
        if text:
            with suppress(KeyReused):
                self._call(0, "audit_event", type=kind, description=text)

    def _checkpoint(self) -> None:
        """Save where the session is, unless nothing was done in it since that was last saved."""
        session, done = self._work()
        if session is None or done is None:
            return
        asked = {"session_id": session, "budget_tokens": STORY_TOKENS}
        story = self.application.call("get_story", asked, self._caller).text()
        context = {"story": story, "saved_before": f"compaction ({self.entry['source']})"}
        metadata = {"name": "before compaction", "tags": ["compaction"]}
        caller = replace(self._caller, idempotency_key=_key(session, "compacting", str(done)))
        with suppress(KeyReused):
            self.application.call(
                "workflow_checkpoint_save", {"context": context, "metadata": metadata}, caller
            )

    def _work(self) -> tuple[str | None, int | None]:
        """Give the open session of the chat, and the seq of what was last done in it."""
        project = self.application.own_project()
        kinds = [
            one.kind for one in self.application.store.kinds if not one.kind.startswith(OWN_NOTES)
        ]

        def look(tx: ReadTx) -> tuple[str | None, int | None]:
            for session in parts(self.entry["session"]):
                row = tx.get(SESSIONS, session)
                if row is None:
                    return None, None
                if row["status"] != "closed":
                    found = tx.entries(session=session, kinds=kinds, descending=True, limit=1)
                    return session, found[0].seq if found else None
            raise AssertionError("there are more parts than numbers")

        return self.application.store.read(project, look)

    def _is_recorded(self, file: Entry) -> bool:
        """Whether the change of a file was told in another way, or was others' meanwhile."""
        return recorded_states.is_recorded(file, self._known(file))

    def _own_part(self, file: Entry, known: list[State]) -> Entry:
        """Tell of a file without what others recorded of it since the tool began."""
        if "since" not in self.entry:
            return file
        return recorded_states.own_part(file, known, recorded_states.moment(self.entry["at"]))

    def _known(self, file: Entry) -> list[State]:
        """Give what was recorded that a file held since the tool began, and until then."""
        where: Where = {"file": self.gateway.file(self._resolved(file))}
        began = self.entry.get("since")
        since = None if began is None else recorded_states.moment(began)

        def known(tx: ReadTx) -> list[State]:
            rows = paging.rows(tx, REVISIONS, where, order="seq", descending=True, first=2)
            recorded = (self._state(tx, one.row) for one in rows)
            return recorded_states.states(recorded, since, file)

        return self.application.store.read(self.application.own_project(), known)

    def _state(self, tx: ReadTx, revision: Row) -> State:
        """Say what a file held by a revision, and when that happened."""
        [entry] = tx.entries(after=revision["done"] - 1, limit=1)
        ref = FileRef.model_validate(revision["after"]) if revision["after"] else None
        return State(ref.digest if ref else None, self.taken_in.happened(entry.at))

    def _resolved(self, file: Entry) -> FilePath:
        return self.gateway.workspace.resolve(file["path"], for_agent=False)

    def _call(self, number: int, operation: str, **asked: Any) -> Result:
        caller = replace(self._caller, idempotency_key=self._part_key(number))
        return self.application.call(operation, asked, caller)

    def _part_key(self, number: int) -> str:
        """Name a part of this event, the same however often it is read."""
        told = self.entry
        return _key(told["session"], told["event"], told.get("call") or told["id"], str(number))

    @property
    def _caller(self) -> Caller:
        return _caller(self.entry["host"], self.entry["session"])


def _caller(host: str, session: str) -> Caller:
    return Caller(
        Actor("agent", host, "agent"),
        chat=session,
        holder=Holder(via="hook", client=host),
        # An event is the same one, whichever way it came.
        scope=("hook",),
    )


def _clean(text: str) -> str:
    """Give text that can be stored: hosts cut texts anywhere."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _key(*parts: str) -> str:
    """Name an event, so that it is recorded once."""
    return sha256("\0".join(parts).encode(errors="replace")).hexdigest()
