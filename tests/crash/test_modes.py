"""A store that takes no writes, as its disk is read-only or failed: it is read, and says so."""

import itertools
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.follow import lag
from hansard.mcp.callers import IDEMPOTENCY_KEY
from tests.crash.harness import SOON_S, needs_strace
from tests.crash.loops import DISK_BYTES
from tests.hostile.serving import HansardServer, findings, serving_stdio
from tests.http.serving import let_in, serving
from tests.launcher import programs
from tests.mcp.processes import Json, environment
from tests.recorder.ground import needs_root

pytestmark = [pytest.mark.root, needs_strace]

TEXTS = {"title": "Kept", "summary": "s", "body": "b"}
DOCUMENT = {"title": "Paper", "content": "words"}

WRITES: dict[str, tuple[str, Json]] = {
    "records": ("create_record", {"type": "task", **TEXTS}),
    "recorder": ("file_op", {"action": "edit", "path": "a", "content": "new\n"}),
    "checkpoints": ("workflow_checkpoint_save", {"force": True, "context": {"step": 1}}),
    "decisions": ("record_decision", {"title": "Keep it", "rationale": "It must last"}),
    "entities": ("entity_create", {"type": "textDocument", "data": DOCUMENT}),
}
SESSION = "one"
READS: dict[str, tuple[str, Json]] = {
    "records": ("list_records", {}),
    "recorder": ("get_evolution", {}),
    "checkpoints": ("workflow_checkpoint_list", {"sessionId": SESSION}),
    "decisions": ("search_decisions", {"query": "keep"}),
    "entities": ("entity_list", {"type": "textDocument"}),
}
_numbers = itertools.count()
SLOW = pytest.mark.slow("starts several processes to show once more what others have shown")
READ_ONLY, STOPPED = "read-only", "writing has stopped"


class Disk:
    """An ext4 of its own, which can be made read-only, politely or as a failure does it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._image = folder, folder.with_suffix(".ext4")
        folder.mkdir()
        with self._image.open("wb") as file:
            file.truncate(DISK_BYTES)
        run("mkfs.ext4", "-q", "-F", self._image)
        self.mount()

    @property
    def store(self) -> Path:
        return self.folder / "store"

    def mount(self) -> None:
        run("mount", "-o", "loop,errors=remount-ro", self._image, self.folder)

    def unmount(self) -> None:
        run("umount", self.folder)

    def remount(self, mode: str) -> None:
        run("mount", "-o", f"remount,{mode}", self.folder)

    def fail(self) -> None:
        """Have the file system find an error, whereupon it lets nobody write any more."""
        device = run("findmnt", "-no", "SOURCE", self.folder).strip()
        trigger = Path("/sys/fs/ext4") / Path(device).name / "trigger_fs_error"
        if not trigger.exists():
            pytest.skip("this kernel cannot be made to find an error")
        trigger.write_text("1")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    needs_root("mounts a disk")
    disk = Disk(tmp_path / "disk")
    yield disk
    disk.unmount()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Holds the workspace, on a disk of another kind than the store's."""
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a").write_text("old\n")
    return tmp_path


def run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def served(home: Path, store: Path) -> Iterator[HansardServer]:
    with serving_stdio(home, store=str(store), session=SESSION) as server:
        yield server


def write_everything(server: HansardServer) -> None:
    # It begins the session, or finds that it has begun.
    server.asked("record_session_start", title="One")
    for capability in WRITES:
        tool, arguments = a_write(capability)
        server.done(tool, **arguments)
    settle(server.store)


def settle(store: Path) -> None:
    """Wait for who follows the journal: what they write would meet a fault meant for another."""
    last = time.monotonic() + SOON_S
    with closing(start(Settings(store=str(store), embedder="none"))) as app:
        projects = app.store.engine.heads()
        while any(lag(app.store, one, name) for one in app.followers for name in projects):
            assert time.monotonic() < last, "a follower never came to the end"
            time.sleep(0.01)


def a_write(capability: str) -> tuple[str, Json]:
    """Give a tool, and arguments that nothing before stands in the way of."""
    tool, arguments = WRITES[capability]
    target = {"target": f"docs/{next(_numbers)}"} if tool == "record_decision" else {}
    return tool, arguments | target


def read_everything(server: HansardServer) -> Json:
    return {name: server.done(tool, **given) for name, (tool, given) in READS.items()}


def refusal(server: HansardServer, capability: str) -> Json:
    """Try to write, and give what that was refused with."""
    tool, arguments = a_write(capability)
    result = server.asked(tool, **arguments)["result"]
    assert result.get("isError"), f"{tool} was done: {result}"
    error: Json = result["structuredContent"]["error"]
    return error


def not_refused(server: HansardServer, words: str) -> list[str]:
    """Try to write in each capability; gives what is amiss with the refusals."""
    found = []
    for capability in WRITES:
        error = refusal(server, capability)
        said = (error["code"], words in error["message"], error["details"].get("outcome"))
        if said != ("STORAGE_UNAVAILABLE", True, "not_written"):
            found.append(f"{capability}: {error}")
        if "start Hansard again" not in error["recovery_hint"]:
            found.append(f"{capability}: does not say what to do: {error['recovery_hint']}")
    return found


def doctor(home: Path, store: Path) -> tuple[int, dict[str, list[Json]]]:
    """Ask the doctor; gives its exit code, and its checks by what they are of."""
    settings = {"store": str(store), "workspace": str(home / "ws"), "embedder": "none"}
    done = programs.run(
        [sys.executable, "-m", "hansard.cli.main", "doctor", "--json"],
        env=environment(settings),
        capture_output=True,
        text=True,
        check=False,
    )
    checks: dict[str, list[Json]] = {}
    for check in json.loads(done.stdout)["checks"]:
        checks.setdefault(check["what"], []).append(check)
    return done.returncode, checks


def writing_says(checks: dict[str, list[Json]]) -> list[tuple[str, str]]:
    return [(one["status"], one["says"]) for one in checks["writing"]]


# Read-only.


@pytest.mark.fault("read-only")
@pytest.mark.holds("ALL-06.41")
@pytest.mark.parametrize("end", ["killed", pytest.param("closed", marks=SLOW)])
def test_a_store_on_a_read_only_disk_is_read_and_says_so(
    disk: Disk, home: Path, end: str, record_property: Any
) -> None:
    record_property("points", len(WRITES))
    with served(home, disk.store) as server:
        write_everything(server)
        before = read_everything(server)
        server.end(None if end == "closed" else signal.SIGKILL)
    disk.remount("ro")

    with served(home, disk.store) as server:
        assert not_refused(server, READ_ONLY) == []
        assert read_everything(server) == before
        code, checks = doctor(home, disk.store)
        assert (code, writing_says(checks)[0][0]) == (1, "fail")
        assert READ_ONLY in writing_says(checks)[0][1]

        disk.remount("rw")
        assert not_refused(server, READ_ONLY) == [], "it must be started again, and says so"
    with served(home, disk.store) as server:
        write_everything(server)
    assert findings(disk.store) == []


@pytest.mark.fault("read-only")
def test_a_disk_that_becomes_read_only_is_read_on_and_said_so(
    disk: Disk, home: Path, record_property: Any
) -> None:
    record_property("points", len(WRITES))
    with served(home, disk.store) as server:
        write_everything(server)
        before = read_everything(server)
        disk.fail()

        assert not_refused(server, READ_ONLY) == []
        assert read_everything(server) == before
        assert (home / "ws" / "a").read_text() == "new\n"
        code, checks = doctor(home, disk.store)
        assert (code, writing_says(checks)[0][0]) == (1, "fail")
        assert server.end() == 0

    disk.unmount()
    disk.mount()
    assert findings(disk.store) == []
    with served(home, disk.store) as server:
        assert read_everything(server) == before
        write_everything(server)


@pytest.mark.fault("read-only")
def test_readiness_says_that_the_store_is_read_only(disk: Disk, home: Path) -> None:
    with serving(home, HANSARD_STORE=str(disk.store)) as server:
        let_in(server).call("create_record", type="task", **TEXTS)
        assert server.request("GET", "/readyz").status == 200
        disk.fail()

        answer = server.request("GET", "/readyz")

        assert (answer.status, READ_ONLY in answer.body.decode()) == (503, True)
        assert server.request("GET", "/healthz").status == 200


# A failed sync.


@contextmanager
def failing(process: "subprocess.Popen[Any]", fault: str, log: Path) -> Iterator[None]:
    """Have a running server meet a fault, once, while the block runs."""
    command = ["strace", "-f", "-o", str(log), "-e", f"trace={fault.partition(':')[0]}"]
    command += ["-e", f"inject={fault}", "-p", str(process.pid)]
    strace = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert strace.stderr is not None
    try:
        assert "attached" in strace.stderr.readline(), "strace could not attach"
        yield
    finally:
        strace.terminate()
        strace.communicate(timeout=SOON_S)
    assert "(INJECTED)" in log.read_text(), "the fault was never met"


@pytest.mark.fault("sync fails (EIO)")
@pytest.mark.holds("ALL-04.1")
@pytest.mark.parametrize(
    "first",
    ["recorder", *(pytest.param(name, marks=SLOW) for name in WRITES if name != "recorder")],
)
def test_after_a_failed_sync_writing_stops_until_the_next_start(
    first: str, home: Path, record_property: Any
) -> None:
    record_property("points", len(WRITES))
    store = home / "store"
    # Of a file the intent is synced first: here it is the outcome that fails.
    nth = 2 if first == "recorder" else 1
    with served(home, store) as server:
        write_everything(server)
        before = read_everything(server)
        (home / "ws" / "a").write_text("old\n")
        with failing(server.process, f"fdatasync:error=EIO:when={nth}", home / "strace"):
            assert refusal(server, first)["details"]["outcome"] == "unknown"

        assert not_refused(server, STOPPED) == []
        assert read_everything(server).keys() == before.keys()
        code, checks = doctor(home, store)
        [(status, says)] = writing_says(checks)
        assert (code, status) == (1, "fail")
        assert f"process {server.process.pid} has stopped" in says
        assert server.end() == 0

    with served(home, store) as server:
        write_everything(server)
        code, checks = doctor(home, store)
        assert writing_says(checks) == [("ok", "goes on")]
        assert checks["intents"][0]["says"].startswith("0 open")
    assert findings(store) == []


@pytest.mark.fault("sync fails (EIO)")
def test_who_was_told_unknown_repeats_the_call_under_its_key_and_knows(home: Path) -> None:
    store, key = home / "store", {IDEMPOTENCY_KEY: "once"}
    tool, arguments = WRITES["records"]
    with served(home, store) as server:
        write_everything(server)
        with failing(server.process, "fdatasync:error=EIO:when=1", home / "strace"):
            result = server.asked(tool, key, **arguments)["result"]
            error = result["structuredContent"]["error"]
            assert error["details"]["outcome"] == "unknown"
            assert "idempotency key" in error["recovery_hint"]

    with served(home, store) as server:
        answers = [server.done(tool, key, **arguments) for _ in range(2)]
        [found] = [server.done("list_records")]

    assert answers[0] == answers[1]
    assert len(found["records"]) == 2, "the one from before, and this one"


@pytest.mark.fault("sync fails (EIO)")
def test_readiness_says_that_writing_has_stopped(home: Path) -> None:
    with serving(home) as server:
        browser = let_in(server)
        browser.call("create_record", type="task", **TEXTS)
        log = home / "strace"
        with failing(server.process, "fdatasync:error=EIO:when=1", log):
            status, error = browser.post("create_record", {"type": "task", **TEXTS})

        assert (status, error["error"]["details"]["outcome"]) == (503, "unknown")
        answer = server.request("GET", "/readyz")
        assert (answer.status, STOPPED in answer.body.decode()) == (503, True)
        assert server.request("GET", "/healthz").status == 200
