"""Writers that are clients: each asks a real `hansard` on pipes, and notes what it was told.

A writer does what agents do, with the tools of every capability in turn. When its server is killed
it starts another, and asks again under the same idempotency key.
"""

import json
import os
import random
import signal
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from hansard.kernel.blob import canonical_json, digest_of
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S

Json = dict[str, Any]
Latest = dict[str, str]
"""By what sort of thing it is: the id or path of what a writer wrote last."""

END_S = PATIENCE_S

REPEAT_EVERY = 17
"""Each so many calls, an answer counts as lost on its way, and the call is repeated. A prime, so
that it comes to every deed."""

LARGE_EVERY = 10
"""Each so many checkpoints, one is too large for the database and becomes a file."""

LARGE_CHARS, SMALL_CHARS = 150_000, 500


class GoneError(Exception):
    """The server ended before it answered."""


class RefusedError(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        """Keep what it said; an error of the protocol has it beside its number."""
        super().__init__(json.dumps(error))
        problem = error.get("data") or error
        self.code = problem.get("code")
        self.outcome = (problem.get("details") or {}).get("outcome")


class Server:
    """A `hansard` on pipes, asked one thing at a time."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], said: Path) -> None:
        """Start it; what it writes to its standard error is added to the file `said`."""
        with said.open("ab") as errors:
            self.process: Popen[bytes] = Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        self._last_id = 0

    def open(self) -> None:
        """Do the handshake."""
        info = {"name": "endurance", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self._ask("initialize", params)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Json, key: str | None = None) -> Json:
        """Call a tool; gives its structured content, and its receipt."""
        params: Json = {"name": tool, "arguments": arguments}
        if key is not None:
            params["_meta"] = {"hansard/idempotency-key": key}
        result = self._ask("tools/call", params)
        content: Json = result["structuredContent"]
        if result.get("isError"):
            raise RefusedError(content["error"])
        receipt = (result.get("_meta") or {}).get("hansard/receipt")
        return content | ({"receipt": receipt} if receipt else {})

    def end(self) -> int:
        """Leave; gives the exit code."""
        assert self.process.stdin
        assert self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(END_S)
        finally:
            self.process.kill()
            self.process.wait(END_S)
            self.process.stdout.close()

    def _ask(self, method: str, params: Json) -> Json:
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise GoneError
        answer = json.loads(line)
        assert answer["id"] == self._last_id, "an answer came to nobody's question"
        if "error" in answer:
            raise RefusedError(answer["error"])
        result: Json = answer["result"]
        return result

    def _send(self, message: Json) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise GoneError from None


@dataclass(frozen=True, slots=True)
class Ack:
    """What a writer was told is durable."""

    worker: int
    project: str
    deed: int
    """Its place in `DEEDS`."""
    number: int
    subject: str
    """The id or path by which it is found again."""
    digest: str
    """Of what is to be read back."""
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One way of writing, and how it is read back."""

    capability: str
    tool: str
    kind: str
    """The kind of entry of which each acknowledgement has exactly one."""
    thing: str
    """The sort of thing that it writes."""
    ask: Callable[[str, int, Latest], Json]
    """Makes the arguments, of the writer's name and a number."""
    subject: tuple[str | int, ...]
    """Where in the answer its id or path is."""
    said: tuple[str, ...] = ()
    """The arguments that are read back."""
    look: Callable[[Ack], tuple[str, Json]] | None = None
    """Says how to read it back."""
    shown: tuple[str | int, ...] = ()
    """Where in the answer to that they are."""
    how_often: Literal["always", "first"] = "always"
    is_replaced: bool = False
    """Whether a later write with the same subject takes its place."""

    def told(self, arguments: Json) -> str:
        """Give the digest of what is to be read back."""
        return digest_of(canonical_json({name: arguments[name] for name in self.said}))

    def read(self, answer: Json) -> str:
        """Give the digest of what was read back."""
        found = dig(answer, self.shown)
        return digest_of(canonical_json({name: found.get(name) for name in self.said}))


def dig(value: Any, path: tuple[str | int, ...]) -> Any:
    """Give what lies at a path in a value."""
    for step in path:
        value = value[step]
    return value


def words(name: str, number: int, chars: int = SMALL_CHARS) -> str:
    """Write something that is never written twice and hardly shrinks."""
    noise = random.Random(f"{name} {number}")
    return f"{name} {number} {noise.randbytes(chars // 2).hex()}"


def _record(name: str, number: int, _: Latest) -> Json:
    title = f"{name} {number}"
    return {"type": "note", "title": title, "summary": title, "body": words(name, number)}


def _change(name: str, number: int, latest: Latest) -> Json:
    return {"id": latest["record"], "body": words(name, number)}


def _context(name: str, number: int, _: Latest) -> Json:
    is_large = number // len(DEEDS) % LARGE_EVERY == 0
    chars = LARGE_CHARS if is_large else SMALL_CHARS
    return {"context": {"step": number, "notes": words(name, number, chars)}}


def _decision(name: str, number: int, _: Latest) -> Json:
    target = f"{name}/{number}"
    return {"title": target, "target": target, "rationale": words(name, number)}


def _open_thread(*_: object) -> Json:
    return {"type": "messageThread", "data": {}}


def _turn(name: str, number: int, latest: Latest) -> Json:
    part = {"type": "text", "payload": {"content": words(name, number)}}
    # Whoever goes on speaking goes on with the same turn, so each is another's.
    return {"thread_id": latest["thread"], "sender": f"{name} {number}", "partials": [part]}


def _sample(name: str, number: int, _: Latest) -> Json:
    return {"samples": [{"name": name, "value": number}]}


def _new_file(name: str, number: int, _: Latest) -> Json:
    path = f"{number // 1_000}/{number}.txt"
    return {"path": path, "action": "create", "content": words(name, number)}


def _edit(name: str, number: int, latest: Latest) -> Json:
    return {"path": latest["file"], "action": "edit", "content": words(name, number)}


def _as_recorded(ack: Ack) -> tuple[str, Json]:
    return "activate", {"id": ack.subject, "as_of": f"s:{ack.seq}"}


def _as_decided(ack: Ack) -> tuple[str, Json]:
    return "get_decision", {"decision_id": ack.subject}


def _as_saved(ack: Ack) -> tuple[str, Json]:
    return "workflow_checkpoint_load", {"checkpointId": ack.subject}


def _as_said(ack: Ack) -> tuple[str, Json]:
    return "entity_get", {"id": ack.subject, "limit": 1}


def _as_written(ack: Ack) -> tuple[str, Json]:
    return "file_read", {"path": ack.subject}


_TARGET = ("context", "target")
_DECIDED = ("title", "target", "rationale")
_FILE: Any = {"said": ("content",), "look": _as_written, "is_replaced": True}

# fmt: off
DEEDS = (
    Deed("entities", "entity_create", "entities.thread_extended.v1", "thread", _open_thread,
         ("entity", "id"), how_often="first"),
    Deed("records", "create_record", "records.record_created.v1", "record", _record,
         ("record", "id"), ("title", "summary", "body"), _as_recorded, _TARGET),
    Deed("records", "update_record", "records.record_updated.v1", "record", _change,
         ("record", "id"), ("body",), _as_recorded, _TARGET),
    Deed("checkpoints", "workflow_checkpoint_save", "checkpoints.checkpoint_saved.v1", "context",
         _context, ("checkpointId",), ("context",), _as_saved),
    Deed("decisions", "record_decision", "decisions.decision_recorded.v1", "decision", _decision,
         ("decision_id",), _DECIDED, _as_decided, ("decision",)),
    Deed("decisions", "propose_decision", "decisions.proposal_made.v1", "proposal", _decision,
         ("proposal_id",), _DECIDED, _as_decided, ("decision",)),
    Deed("entities", "thread_append", "entities.thread_extended.v1", "thread", _turn,
         ("entity", "id"), ("partials",), _as_said, ("entity", "turns", -1)),
    Deed("entities", "metric_record", "entities.metrics_recorded.v1", "metric", _sample,
         ("recorded",)),
    Deed("recorder", "file_op", "recorder.file_op_done.v1", "file", _new_file,
         ("results", 0, "path"), **_FILE),
    Deed("recorder", "file_op", "recorder.file_op_done.v1", "file", _edit,
         ("results", 0, "path"), **_FILE),
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Place:
    """Where a writer works, and what it starts."""

    worker: int
    project: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    is_mortal: bool
    is_cut: bool = False
    """Whether connections to its database are cut: what is refused for that is asked again."""

    @property
    def name(self) -> str:
        """What its session and its metric are called."""
        return f"writer-{self.worker}"

    @property
    def workspace(self) -> Path:
        """The folder whose files it changes."""
        return self.folder / self.name

    @property
    def said(self) -> Path:
        """The file into which its servers complain."""
        return self.folder / f"{self.name}.said"

    @property
    def ledger(self) -> Path:
        """The file in which it notes what was acknowledged."""
        return self.folder / f"{self.name}.jsonl"

    def start(self) -> Server:
        """Start a server for it."""
        self.workspace.mkdir(exist_ok=True)
        own = {
            "HANSARD_PROJECT": self.project,
            "HANSARD_SESSION": self.name,
            "HANSARD_WORKSPACE": str(self.workspace),
        }
        return Server(self.command, {**self.environment, **own}, self.said)


def read_ledger(place: Place) -> list[Ack]:
    """Give what a writer noted."""
    return [Ack(**json.loads(line)) for line in place.ledger.read_text().splitlines()]


@dataclass(slots=True)
class Tale:
    """What happened to a writer."""

    acks: list[Ack] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)
    lost: int = 0
    """Calls whose server was killed before it answered, and that were asked again."""
    repeats: int = 0
    """Calls that were answered, and asked again as if they had not been."""
    interrupted: int = 0
    """Changes to files of which the repetition said that they never came about."""
    refused: int = 0
    """Calls that were refused since a connection was lost, and that were asked again."""
    faults: list[str] = field(default_factory=list)


class Writer(threading.Thread):
    """Writes until it is told to stop, whatever happens to its servers."""

    def __init__(self, place: Place) -> None:
        """Be ready to start."""
        super().__init__(name=place.name, daemon=True)
        self.place = place
        self.tale = Tale()
        self.server: Server | None = None
        self.active_at = time.monotonic()
        self.is_served = False
        """Whether the server that it has now has answered a call."""
        self._halt = threading.Event()
        self._latest: Latest = {}
        self._ledger = os.open(place.ledger, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def halt(self) -> None:
        """End after the call that is under way is answered."""
        self._halt.set()

    def run(self) -> None:
        """Write with one tool after the other."""
        number = 0
        try:
            while not self._halt.is_set():
                index = number % len(DEEDS)
                if DEEDS[index].how_often == "always" or number < len(DEEDS):
                    self._write(index, number)
                number += 1
            self._leave()
        except BaseException:  # noqa: BLE001 - whoever started the writer reports it
            self.tale.faults.append(f"{self.name}: {traceback.format_exc()}")
            if self.server:
                self.server.process.kill()
                self.server.end()
        finally:
            os.close(self._ledger)

    def _leave(self) -> None:
        """End the server; if it was killed just now, end another, which tidies up after it."""
        code = self._alive().end()
        if code == -signal.SIGKILL and self.place.is_mortal:
            self.server = None
            code = self._alive().end()
        if code:
            self.tale.faults.append(f"{self.name}: its server ended with {code}")

    def _write(self, index: int, number: int) -> None:
        deed = DEEDS[index]
        arguments = deed.ask(self.name, number, self._latest)
        answer, key = self._insist(deed, arguments, f"{self.name} {number}")
        if number % REPEAT_EVERY == 0:
            self._repeat(deed, arguments, answer, key)
        subject = str(dig(answer, deed.subject))
        self._latest[deed.thing] = subject
        receipt = answer["receipt"]
        self._note(
            Ack(
                worker=self.place.worker,
                project=self.place.project,
                deed=index,
                number=number,
                subject=subject,
                digest=deed.told(arguments),
                seq=receipt["seq"],
                hash=receipt["hash"],
            )
        )

    def _note(self, ack: Ack) -> None:
        """Note durably what was acknowledged, before anything else is done."""
        os.write(self._ledger, json.dumps(asdict(ack)).encode() + b"\n")
        os.fdatasync(self._ledger)
        self.tale.acks.append(ack)

    def _repeat(self, deed: Deed, arguments: Json, answer: Json, key: str) -> None:
        """Ask again what was answered: it must be answered the same, and not be done again."""
        self.tale.repeats += 1
        again, _ = self._insist(deed, arguments, key)
        if again != answer:
            self.tale.faults.append(f"{self.name}: {deed.tool} under {key} has two answers")

    def _insist(self, deed: Deed, arguments: Json, key: str) -> tuple[Json, str]:
        """Ask until there is an answer; gives it, and the key under which it came."""
        while True:
            server = self._alive()
            began = self.active_at = time.monotonic()
            try:
                answer = server.call(deed.tool, arguments, key)
            except GoneError:
                self._bury()
                self.tale.lost += 1
            except RefusedError as refusal:
                if self.place.is_cut and refusal.code == "STORAGE_UNAVAILABLE":
                    self.tale.refused += 1
                    continue
                # The change that the kill cut off never came about, and this key says so for ever.
                if deed.thing != "file" or refusal.outcome != "unchanged":
                    raise
                self.tale.interrupted += 1
                key += "+"
            else:
                self.is_served = True
                self.tale.took_s.append(time.monotonic() - began)
                return answer, key

    def _alive(self) -> Server:
        """Give the server; start another if there is none."""
        while self.server is None:
            self.active_at = time.monotonic()
            self.server = self.place.start()
            try:
                self.server.open()
            except GoneError:
                self._bury()
        return self.server

    def _bury(self) -> None:
        """Make sure that the server that is gone was killed, and did not end by itself."""
        assert self.server is not None, "a server that is gone was there"
        was_served = self.is_served
        code, self.server, self.is_served = self.server.end(), None, False
        if self.place.is_cut and not was_served:
            return  # without its connection it cannot open the store, says so, and ends
        if code != -signal.SIGKILL or not self.place.is_mortal:
            said = self.place.said.read_text()[-2_000:]
            raise AssertionError(f"a server ended by itself, with {code}: {said}")
