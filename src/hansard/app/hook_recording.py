"""Records what hosts reported to their hooks: each event once, in the session of its chat."""

import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from hansard.app import home_projects
from hansard.app.application import Application
from hansard.app.hook_texts import brief
from hansard.app.settings import Settings, declarations, load
from hansard.app.start import gateway, start
from hansard.hooks import chats, client, event_details, files, hook_state, locations, spool
from hansard.kernel.blob import digest_of
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Actor
from hansard.kernel.limits import BODY_BYTES_MAX, DESCRIPTION_CHARS_MAX, TITLE_CHARS_MAX
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.kernel.reply import KeyReused
from hansard.kernel.session_holder import Holder
from hansard.recorder import renames
from hansard.recorder.contract import SessionExists
from hansard.recorder.events import FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.tables import REVISIONS
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.directory import parts
from hansard.sessions.views import SESSIONS

Entry = dict[str, Any]

OWN_NOTES = ("checkpoints.", "kernel.", "sessions.")
"""How the kinds of entries begin that are no work of a session: what is saved of it is no reason
to save it again."""

RECURRING = ("resume", "compact")
"""Beginnings that a chat has more than once."""

STORY_TOKENS = 1_500
"""What a checkpoint before compaction keeps of the session's story."""


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

    def take(self) -> int:
        """Record what waits, in order; gives how many events that were."""
        if not spool.waiting(self.folder):
            return 0
        chats.sweep(self.folder)
        for kind in (client.STARTS, client.BRIEFS, client.BRIEFED, event_details.LOOKS):
            hook_state.sweep(self.folder, kind)
        return spool.take(self.folder, self._recorded)

    def brief(self, asked: Mapping[str, Any]) -> str:
        """Say to a session that begins where its project stands."""
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
        Recording(application, hand, entry).run()

    def close(self) -> None:
        """Let go of what was opened."""
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
        # One event that we stumble over must not keep all that follow from being recorded.
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return f"a bug: {error!r}"
        return None


def take_all(folder: str, say: Callable[[str], None]) -> None:
    """Record all that waits in a store's spool; what goes wrong is only said."""
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
        """Record what became of each file."""
        told: list[Entry] = self.entry["files"]
        moves = self._moves(told)
        for number, file in enumerate(told, start=first):
            if size := file.get("bytes"):
                said = f"{file['path']} was changed; {size:,} bytes are too many to be recorded"
                with suppress(KeyReused):
                    self._call(number, "audit_event", type="not_recorded", description=said)
            elif file["path"] in moves.values() or self._is_recorded(file):
                continue
            else:
                with suppress(KeyReused):
                    operation, asked = _report(file, moves.get(file["path"]))
                    self._call(number, operation, **asked)

    def _moves(self, told: Sequence[Entry]) -> dict[str, str]:
        """Pair files that are gone with those that came and hold the same: where each was moved."""
        fresh = [file for file in told if "now" in file and not self._is_recorded(file)]
        gone = {file["path"]: _digest(file.get("was")) for file in fresh if not file["now"]}
        came = {
            file["path"]: digest_of(now)
            for file in fresh
            if "was" in file and not file["was"] and (now := files.as_bytes(file["now"]))
        }
        return renames.matched(gone, came)

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
        """Whether the last that is recorded of a file is this very change, told another way."""
        key = self.gateway.file(self.gateway.workspace.resolve(file["path"], for_agent=False))

        def latest(tx: ReadTx) -> list[str | None]:
            rows = tx.scan(REVISIONS, {"file": key}, order="seq", descending=True, limit=2)
            refs = (one.row["after"] for one in rows)
            return [FileRef.model_validate(ref).digest if ref else None for ref in refs]

        known = self.application.store.read(self.application.own_project(), latest)
        if not known or known[0] != _digest(file["now"]):
            return False
        return "was" not in file or known[1:] in ([], [_digest(file["was"])])

    def _call(self, number: int, operation: str, **asked: Any) -> Result:
        told = self.entry
        key = _key(told["session"], told["event"], told.get("call") or told["id"], str(number))
        caller = replace(self._caller, idempotency_key=key)
        return self.application.call(operation, asked, caller)

    @property
    def _caller(self) -> Caller:
        return _caller(self.entry["host"], self.entry["session"])


def _caller(host: str, session: str) -> Caller:
    return Caller(
        Actor("agent", host, "agent"),
        chat=session,
        holder=Holder(via="hook", client=host),
        # Whichever way an event came, it is the same one.
        scope=("hook",),
    )


def _report(file: Entry, moved_to: str | None) -> tuple[str, Entry]:
    """Say which operation reports a change to a file, and with which arguments."""
    asked: Entry = {"path": file["path"]}
    now, was = files.as_bytes(file["now"]), files.as_bytes(file.get("was"))
    told = [one for one in (now, was) if one is not None]
    is_text = all(_is_text(one) for one in told)
    if not is_text:
        asked["encoding"] = "base64"
    if was is not None:
        asked["old_content"] = _written(was, is_text=is_text)
    if moved_to is not None:
        return "record_file_move", asked | {"to": moved_to}
    if now is None:
        return "record_file_delete", asked
    asked["content"] = _written(now, is_text=is_text)
    if "was" in file and was is None:
        return "record_file_create", asked
    if was is None and is_text and file.get("edits"):
        asked["edits"] = file["edits"]
    return "record_file_edit", asked


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _written(data: bytes, *, is_text: bool) -> str:
    return data.decode() if is_text else b64encode(data).decode()


def _digest(content: object) -> str | None:
    data = files.as_bytes(content)
    return None if data is None else digest_of(data)


def _clean(text: str) -> str:
    """Give text that can be stored: hosts cut what they tell anywhere."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _key(*parts: str) -> str:
    """Name an event, so that it is recorded once."""
    return sha256("\0".join(parts).encode(errors="replace")).hexdigest()
