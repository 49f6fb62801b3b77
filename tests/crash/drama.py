"""Workers that write to one store while one of them is killed now and then.

Run as `python -m tests.crash.drama`, with the plan as its argument. It opens no store and has one
thread, so that starting a worker again is a fork and costs no import.
"""

import json
import os
import random
import secrets
import signal
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.operation import Seat
from hansard.kernel.store import CATALOG
from tests.crash import toys
from tests.crash.checks import Ack
from tests.crash.hasty import open_hasty

POLL_S = 0.005

ACKS_PER_KILL = 20
"""What must be acknowledged between two kills, so that a slow machine gets on all the same."""

Part = Literal["everything", "projects", "hasty"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How many write how much, where, and how often one of them dies."""

    location: str
    ledgers: str
    """The folder in which each worker notes what was acknowledged to it."""
    workers: int
    writes: int
    interval_s: float
    deadline_s: float
    seed: int
    part: Part
    """`projects` writes only what the program itself knows, so that its own commands can look.
    `hasty` acknowledges too early, to see that it is found out."""


@dataclass(slots=True)
class Report:
    """How it went."""

    kills: int = 0
    wall_s: float = 0.0
    failures: list[str] = field(default_factory=list)


class Ledger:
    """A worker's own file of acknowledged writes: each is noted, durably, before it is counted."""

    def __init__(self, plan: Plan, worker: int) -> None:
        """Go on where the worker's former life ended."""
        path = Path(plan.ledgers) / f"{worker}.jsonl"
        self._file = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND)
        noted = path.read_bytes()
        # A kill may cut off what is being written where a page of the file ends.
        os.ftruncate(self._file, noted.rfind(b"\n") + 1)
        self.count = noted.count(b"\n")

    def note(self, ack: Ack) -> None:
        """Note one write."""
        os.write(self._file, json.dumps(asdict(ack)).encode() + b"\n")
        os.fdatasync(self._file)
        self.count += 1


def read_ledgers(folder: Path) -> list[Ack]:
    """Gather what all workers were told."""
    texts = [path.read_text() for path in folder.glob("*.jsonl")]
    lines = [line for text in texts for line in text.splitlines(keepends=True)]
    return [Ack(**json.loads(line)) for line in lines if line.endswith("\n")]


def play(plan: Plan) -> Report:
    """Run the workers to the end of their quotas, whatever happens to them on the way."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    report, chance, begun = Report(), random.Random(plan.seed), time.monotonic()
    alive = {_start(plan, worker): worker for worker in range(plan.workers)}
    paid, next_kill = 0, begun
    while alive and not report.failures:
        now, acks = time.monotonic(), _ack_count(plan)
        if now - begun > plan.deadline_s:
            report.failures.append(f"{len(alive)} workers were not done in time")
        elif now >= next_kill and acks >= paid + ACKS_PER_KILL:
            paid, next_kill = acks, now + plan.interval_s
            _replace(plan, alive, chance.choice(sorted(alive)))
            report.kills += 1
        else:
            _bury(plan, alive, report, max(next_kill - now, POLL_S))
    for process in alive:
        _kill(process)
    report.wall_s = time.monotonic() - begun
    return report


def _ack_count(plan: Plan) -> int:
    return sum(path.read_bytes().count(b"\n") for path in Path(plan.ledgers).glob("*.jsonl"))


def _start(plan: Plan, worker: int) -> int:
    process = os.fork()
    if process:
        return process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    status = 1
    try:
        _work(plan, worker)
        status = 0
    except BaseException:  # noqa: BLE001 - the parent reports it
        _last_words(plan, worker).write_text(traceback.format_exc())
    os._exit(status)


def _replace(plan: Plan, alive: dict[int, int], victim: int) -> None:
    """Kill one and start it again."""
    worker = alive.pop(victim)
    _kill(victim)
    alive[_start(plan, worker)] = worker


def _kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _bury(plan: Plan, alive: dict[int, int], report: Report, timeout_s: float) -> None:
    """Wait a while for someone to end, and take off the list who have ended by themselves."""
    signal.sigtimedwait({signal.SIGCHLD}, timeout_s)
    for process in list(alive):
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            worker = alive.pop(process)
            if status:
                report.failures.append(_last_words(plan, worker).read_text())


def _last_words(plan: Plan, worker: int) -> Path:
    return Path(plan.ledgers) / f"{worker}.error"


def _work(plan: Plan, worker: int) -> None:
    app, ledger, seat = _open(plan), Ledger(plan, worker), Seat()
    while ledger.count < plan.writes:
        kind = 0 if plan.part == "projects" else ledger.count % 3
        ledger.note(_write(app, worker, ledger.count, kind, seat))
    app.close()


def _open(plan: Plan) -> Application:
    match plan.part:
        case "everything":
            return toys.open_application(plan.location)
        case "projects":
            return start.start(Settings(store=plan.location))
        case "hasty":
            return open_hasty(plan.location)


def _write(app: Application, worker: int, number: int, kind: int, seat: Seat) -> Ack:
    """Write once: a project, a note, or a note whose repetition after a crash must be harmless."""
    fresh = f"w{worker}-{number}-{secrets.token_hex(4)}"
    if kind == 0:
        project, token = CATALOG, fresh
        result = app.call("create_project", {"id": token, "name": token}, toys.a_caller())
    elif kind == 1:
        project, token = app.default_project, fresh
        result = app.call("toy_note", {"text": token}, toys.a_caller(seat=seat))
    else:
        project, token = app.default_project, f"w{worker}-{number}"
        caller = toys.a_caller(idempotency_key=token, seat=seat)
        result = app.call("toy_note", {"text": token}, caller)
    receipt = result.model_dump()["receipt"]
    return Ack(project, token, receipt["seq"], receipt["hash"])


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(play(Plan(**json.loads(sys.argv[1]))))))
