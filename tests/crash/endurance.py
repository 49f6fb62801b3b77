"""Clients with a real server each write to one store for minutes, and servers are killed.

Meanwhile backups are taken and brought back, projects exported, garbage collected and the store
verified. At the end nothing that was acknowledged may be missing or there twice, and the servers
that were let live may not have grown.

    python -m tests.crash.endurance --minutes 10 --writers 8 [--store postgresql://… [--cut 0.5]]
"""

import argparse
import json
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.crash import endured
from tests.crash.conftest import new_database
from tests.crash.endured import Look, last_receipts, ran
from tests.crash.writers import DEEDS, Ack, Json, Place, Tale, Writer
from tests.patience import PATIENCE_S

PROJECTS = ("even", "odd")
STEADY = 2
"""How many writers are never killed, to see whether their servers grow."""

ACKS_PER_KILL = 10
"""What must be acknowledged between two kills, so that a slow machine gets on all the same."""

STARTING_SHARE = 0.2
"""How many of the kills may strike a server that is only starting, and settles and tidies up."""

POLL_S = 0.1
HANG_S = PATIENCE_S
"""A writer that hears nothing for so long waits for ever."""

KEEPING_PAUSE_S = 5.0
SAY_EVERY_S = 10.0

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Plan:
    """How many write, where, for how long, and what happens to them."""

    folder: Path
    """An empty folder, for the workspaces, the ledgers and the backups."""
    store: str
    seconds: float
    """How long they write at least."""
    writes_min: int = 50
    """How much each of them writes at least: on a busy machine nothing may happen for long."""
    writers: int = 8
    steady: int = STEADY
    kill_every_s: float = 1.0
    look_every_s: float = 1.0
    cut_every_s: float | None = None
    """How often a connection to the database is cut, whosever it is; `None` means never."""
    is_kept: bool = True
    """Whether the store is backed up, exported, collected and verified meanwhile."""
    seed: int = 0
    program: Sequence[str] = endured.PROGRAM

    @property
    def places(self) -> list[Place]:
        """Say where each of them works."""
        return [
            Place(
                worker,
                PROJECTS[worker % len(PROJECTS)],
                self.program,
                endured.environment(self.store),
                self.folder,
                is_mortal=worker >= self.steady,
                is_cut=self.cut_every_s is not None,
            )
            for worker in range(self.writers)
        ]


@dataclass(slots=True)
class Report:
    """How it went."""

    seconds: float = 0.0
    kills: int = 0
    cuts: int = 0
    """Connections to the database that were cut."""
    tales: list[Tale] = field(default_factory=list)
    looks: dict[int, list[Look]] = field(default_factory=dict)
    commands: Counter[str] = field(default_factory=Counter)
    """The commands that were run meanwhile."""
    open_intents: int = 0
    """Restored backups in which somebody was in the midst of changing a file."""
    settled: int = 0
    """Changes to files that a killed server had left open, and the next one settled."""
    faults: list[str] = field(default_factory=list)
    checked_s: float = 0.0

    @property
    def acks(self) -> list[Ack]:
        """All that was acknowledged."""
        return [ack for tale in self.tales for ack in tale.acks]


def endure(plan: Plan, say: Say = lambda _: None) -> Report:
    """Let them write and die, then look whether all is as it was said to be."""
    writers = [Writer(place) for place in plan.places]
    report = Report(tales=[writer.tale for writer in writers])
    keeper = Keeper(plan, report)
    began = time.monotonic()
    for writer in writers:
        writer.start()
    if plan.is_kept:
        keeper.start()
    _watch(plan, writers, report, say)
    keeper.halt()
    for writer in writers:
        writer.halt()
    _await(writers, report)
    report.seconds = time.monotonic() - began
    say(f"looking through {len(report.acks):,} writes")
    report.faults += [fault for tale in report.tales for fault in tale.faults]
    report.faults += endured.creeping(report.looks)
    report.faults += endured.amiss(plan.store, plan.places)
    report.settled = sum(endured.settled(place) for place in plan.places)
    report.checked_s = time.monotonic() - began - report.seconds
    return report


def _watch(plan: Plan, writers: list[Writer], report: Report, say: Say) -> None:
    """Kill one now and then, and look at those that live, until it is enough."""
    death = Death(plan, [writer for writer in writers if writer.place.is_mortal])
    knife = Knife(plan)
    began = look_at = time.monotonic()
    say_at = began + SAY_EVERY_S
    while not (_is_enough(plan, began, report) or _has_failed(writers, report)):
        now = time.monotonic()
        report.kills += death.come(now)
        report.cuts += knife.cut(now)
        if now >= look_at:
            look_at = now + plan.look_every_s
            _look_at(writers, report)
        if now >= say_at:
            say_at = now + SAY_EVERY_S
            say(f"{now - began:5.0f} s: {len(report.acks):,} writes, {report.kills} kills")
        time.sleep(POLL_S)


class Death:
    """Kills a server now and then, by chance, but lets them get on."""

    def __init__(self, plan: Plan, mortals: list[Writer]) -> None:
        """Wait a while before the first."""
        self._chance = random.Random(plan.seed)
        self._mortals = mortals
        self._pause_s = plan.kill_every_s
        self._next_at = time.monotonic() + plan.kill_every_s
        self._paid = 0

    def come(self, now: float) -> bool:
        """Kill one if it is time; says whether one died."""
        acks = sum(len(writer.tale.acks) for writer in self._mortals)
        if now < self._next_at or acks < self._paid + ACKS_PER_KILL:
            return False
        self._next_at, self._paid = now + self._pause_s, acks
        return _kill(self._victim())

    def _victim(self) -> Writer:
        """Choose mostly among those at work: where starting takes long, most would be starting."""
        at_work = [writer for writer in self._mortals if writer.is_served]
        is_anyone = not at_work or self._chance.random() < STARTING_SHARE
        return self._chance.choice(self._mortals if is_anyone else at_work)


class Knife:
    """Cuts a connection to the database now and then, by chance."""

    def __init__(self, plan: Plan) -> None:
        """Wait a while before the first."""
        self._chance = random.Random(plan.seed)
        self._pause_s = plan.cut_every_s
        self._store = plan.store
        self._next_at = time.monotonic()

    def cut(self, now: float) -> bool:
        """Cut one if it is time; says whether one was cut."""
        if self._pause_s is None or now < self._next_at:
            return False
        self._next_at = now + 2 * self._pause_s * self._chance.random()
        with psycopg.connect(self._store, autocommit=True, application_name="knife") as knife:
            cut = knife.execute(
                "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE "
                "datname = current_database() AND application_name = 'hansard' "
                "ORDER BY random() LIMIT 1) chosen"
            ).fetchone()
        return cut == (True,)


def _is_enough(plan: Plan, began: float, report: Report) -> bool:
    if time.monotonic() < began + plan.seconds or not report.kills:
        return False
    if plan.is_kept and not report.commands["restore-backup"]:
        return False
    return all(len(tale.acks) >= plan.writes_min for tale in report.tales)


def _has_failed(writers: list[Writer], report: Report) -> bool:
    now = time.monotonic()
    for writer in writers:
        if now - writer.active_at > HANG_S:
            report.faults.append(f"{writer.name} has waited for {HANG_S:g} s")
    return bool(report.faults) or any(writer.tale.faults for writer in writers)


def _kill(writer: Writer) -> bool:
    server = writer.server
    if server is None or server.process.poll() is not None:
        return False
    server.process.kill()
    return True


def _look_at(writers: list[Writer], report: Report) -> None:
    for writer in writers:
        if not writer.place.is_mortal and writer.server and writer.tale.acks:
            seen = endured.look(writer.server.process.pid)
            report.looks.setdefault(writer.place.worker, []).append(seen)


def _await(writers: list[Writer], report: Report) -> None:
    for writer in writers:
        writer.join(HANG_S)
        if writer.is_alive():
            report.faults.append(f"{writer.name} does not end")
            _kill(writer)


class Keeper(threading.Thread):
    """Keeps the store as its owner would, with the commands, while others write."""

    def __init__(self, plan: Plan, report: Report) -> None:
        """Be ready to start."""
        super().__init__(name="keeper", daemon=True)
        self._plan = plan
        self._report = report
        self._halt = threading.Event()

    def halt(self) -> None:
        """End after the round that is under way."""
        self._halt.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Keep, one round after the other."""
        number = 0
        try:
            while not self._halt.wait(KEEPING_PAUSE_S):
                if {ack.project for ack in self._report.acks} == set(PROJECTS):
                    self._round(number)
                    number += 1
        except BaseException:  # noqa: BLE001 - it is reported with all the rest
            self._report.faults.append(f"the keeper: {traceback.format_exc()}")

    def _round(self, number: int) -> None:
        folder = self._plan.folder
        receipts = last_receipts(self._report.acks)
        self._run("backup", str(folder / "backups"), "--keep", "2")
        with self._elsewhere(f"restored-{number}") as restored:
            self._run("restore-backup", str(folder / "backups"), store=restored)
            checked = self._run("verify", *receipts, "--json", store=restored)
            self._report.open_intents += bool(checked["open_intents"])
        bundle = folder / f"{number}.bundle"
        self._run("export", PROJECTS[number % len(PROJECTS)], str(bundle))
        with self._elsewhere(f"imported-{number}") as imported:
            self._run("import", str(bundle), store=imported)
        bundle.unlink()
        self._run("gc", "--apply", "--json")
        self._run("verify", *receipts, "--json")

    @contextmanager
    def _elsewhere(self, name: str) -> Iterator[str]:
        """Name a new store of the same sort, which goes afterwards, or with its server."""
        if self._plan.store.startswith("postgres"):
            yield new_database(self._plan.store)
        else:
            folder = self._plan.folder / name
            yield str(folder)
            shutil.rmtree(folder)

    def _run(self, command: str, *arguments: str, store: str | None = None) -> Json:
        """Run a command; gives what it printed, if that is JSON."""
        done = ran(store or self._plan.store, command, *arguments)
        shown: Json = json.loads(done.stdout) if "--json" in arguments and done.stdout else {}
        if done.returncode and not _is_only_at_work(done.returncode, shown):
            said = done.stdout[-2_000:] + done.stderr[-2_000:]
            raise AssertionError(f"`hansard {command}` ended with {done.returncode}: {said}")
        self._report.commands[command] += 1
        return shown


def _is_only_at_work(code: int, shown: Json) -> bool:
    """Whether `verify` found no more than that others are at work.

    A killed writer's intent stands open until somebody comes to its file again, and Git follows
    the journal at its own pace.
    """
    findings = shown.get("findings", [None])
    return code == 1 and all(one and one["check"] == "git" for one in findings)


def summary(plan: Plan, report: Report) -> Iterator[str]:
    """Say in lines what was tried and what came of it."""
    tales = report.tales
    counts = Counter(DEEDS[ack.deed].capability for ack in report.acks)
    took_ms = sorted(1000 * took for tale in tales for took in tale.took_s) or [0.0]
    p99_ms = took_ms[int(len(took_ms) * 0.99)]
    yield f"{plan.writers} writers for {report.seconds:.0f} s; checked in {report.checked_s:.0f} s"
    yield f"acknowledged  {counts.total():,} writes: {_counted(counts)}"
    yield f"killed        {report.kills} servers"
    yield f"cut           {report.cuts} connections"
    yield f"refused       {sum(tale.refused for tale in tales)} calls for that, and asked again"
    yield f"asked again   {sum(tale.lost for tale in tales)} calls whose server was killed"
    yield f"              {sum(tale.interrupted for tale in tales)} of them were not done, it said"
    yield f"              {sum(tale.repeats for tale in tales)} calls that had been answered"
    p50_ms, most_ms = statistics.median(took_ms), took_ms[-1]
    yield f"answered in   p50 {p50_ms:.0f} ms, p99 {p99_ms:.0f} ms, at most {most_ms:.0f} ms"
    for worker, looks in report.looks.items():
        for typical in endured.thirds(looks) if len(looks) >= endured.LOOKS_MIN else ():
            yield f"writer-{worker}      {typical.kib:,} KiB, {typical.descriptors} descriptors"
    yield f"meanwhile     {_counted(report.commands)}"
    yield f"              {report.open_intents} backups caught somebody amid a change"
    yield f"              {report.settled} changes of files were settled after their server died"
    yield f"violations    {len(report.faults)}"
    yield from report.faults


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def main() -> int:
    """Run it from the command line; returns the exit code."""
    asked = argparse.ArgumentParser(prog="python -m tests.crash.endurance")
    asked.add_argument("--minutes", type=float, default=10.0)
    asked.add_argument("--writers", type=int, default=8)
    asked.add_argument("--store", default="", help="a postgresql:// URL; else a new folder")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--cut", type=float, help="seconds between cuts of connections")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="endurance-") as name:
        folder = Path(name, "ground")
        folder.mkdir()
        plan = Plan(
            folder,
            new_database(given.store) if given.store else str(Path(name, "store")),
            seconds=given.minutes * 60,
            writers=given.writers,
            seed=given.seed,
            cut_every_s=given.cut,
            # A command whose connection is cut is refused, as it should be.
            is_kept=given.cut is None,
        )
        report = endure(plan, lambda line: sys.stderr.write(line + "\n"))
    sys.stdout.writelines(f"{line}\n" for line in summary(plan, report))
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
