"""Several processes write the same records at once: no word is lost, doubled or slipped in.

What the processes were answered is held against the versions that the store kept. A forced update
says "use this version", so it may leave out what others wrote since its base; nothing else may.
"""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.engine import ReadTx
from hansard.records import reading
from hansard.records.views import RECORDS
from tests.contract.requirements import ROOT
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S
from tests.records.chats import Chat

RECORDS_SHARED = 3
TIMEOUT_S = PATIENCE_S


@dataclass(frozen=True)
class Outcome:
    """What the processes were answered, and what the store has of each record by version."""

    lines: list[list[dict[str, Any]]]
    bodies: dict[str, dict[int, str]]
    tick: int

    @property
    def writes(self) -> list[dict[str, Any]]:
        return [line for log in self.lines for line in log if line["op"] == "write"]

    @property
    def applied(self) -> list[dict[str, Any]]:
        return [write for write in self.writes if write["applied"]]


def run(folder: Path, processes: int, count: int) -> Outcome:
    """Let processes append to the same records until all are done."""
    store = str(folder / "store")
    app = start(Settings(store=store))
    chat = Chat(app)
    records = [chat.create(f"Shared {number}", body="")["id"] for number in range(RECORDS_SHARED)]
    logs = [folder / f"{number}.jsonl" for number in range(processes)]
    running: list[Popen[bytes]] = [
        Popen(
            [sys.executable, "-m", "tests.records.appender", store, str(log), f"p{number}",
             str(count), *records],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number, log in enumerate(logs)
    ]  # fmt: skip
    try:
        for one in running:
            assert one.stdout
            assert one.stdout.readline() == b"ready\n"
        for one in running:
            assert one.stdin
            one.stdin.write(b"go\n")
            one.stdin.close()
        assert [one.wait(TIMEOUT_S) for one in running] == [0] * processes
    finally:
        for one in running:
            one.kill()
            one.wait()
            for pipe in filter(None, (one.stdin, one.stdout)):
                pipe.close()
    lines = [[json.loads(line) for line in log.read_text().splitlines()] for log in logs]
    bodies = {record: _bodies(app, record) for record in records}
    outcome = Outcome(lines, bodies, chat.tick())
    app.close()
    return outcome


def _bodies(app: Application, record: str) -> dict[int, str]:
    def work(tx: ReadTx) -> dict[int, str]:
        versions = tx.versions(RECORDS, record)
        return {one.row["tick"]: reading.body(tx, one.row) for one in versions}

    return app.store.read("default", work)


def check(outcome: Outcome) -> None:
    """Hold what was answered against what is there."""
    bodies = outcome.bodies
    by_version = {(one["record"], one["version"]): one for one in outcome.applied}
    assert len(by_version) == len(outcome.applied), "two writes were given the same version"
    assert outcome.tick == RECORDS_SHARED + len(outcome.applied)
    refused = {one["token"] for one in outcome.writes if not one["applied"]}
    for record, versions in bodies.items():
        before = ""
        for version, body in sorted(versions.items())[1:]:
            write = by_version.pop((record, version))
            assert body == write["body"], "a version is not what its writer was acknowledged"
            if not write["forced"]:
                assert body == f"{before}{write['token']}\n", "an update lost what was there"
            tokens = Counter(body.split())
            assert max(tokens.values()) == 1, "a token is there twice"
            assert not refused & tokens.keys(), "an update was applied after a conflict answer"
            before = body
    assert not by_version, "an acknowledged write is absent"
    for log in outcome.lines:
        seen: dict[str, int] = {}
        for line in log:
            if line["op"] == "read":
                assert line["body"] == bodies[line["record"]][line["version"]]
                assert line["version"] >= seen.get(line["record"], 0), "a read went back in time"
                seen[line["record"]] = line["version"]


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    outcome = run(tmp_path, processes=2, count=40)

    check(outcome)
    assert any(not write["applied"] for write in outcome.writes), "they never met"


@pytest.mark.slow("four processes with four hundred writes each")
def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    outcome = run(tmp_path, processes=4, count=400)

    check(outcome)
    assert sum(not write["applied"] for write in outcome.writes) > 100
    assert sum(write["forced"] for write in outcome.applied) > 100


@pytest.mark.parametrize("fault", ["lost", "doubled", "slipped in", "absent", "same version"])
def test_the_check_finds_what_it_looks_for(fault: str) -> None:
    def write(token: str, version: int, body: str, *, applied: bool = True) -> dict[str, Any]:
        return {
            "op": "write", "record": "R001", "token": token, "version": version, "body": body,
            "forced": False, "applied": applied,
        }  # fmt: skip

    writes = [write("a", 4, "a\n"), write("b", 5, "a\nb\n")]
    versions = {1: "", 4: "a\n", 5: "a\nb\n"}
    check(Outcome([writes], {"R001": versions, "R002": {2: ""}, "R003": {3: ""}}, 5))

    match fault:
        case "lost":
            writes[1] = write("b", 5, "b\n")
            versions[5] = "b\n"
        case "doubled":
            writes[1] = write("a", 5, "a\na\n")
            versions[5] = "a\na\n"
        case "slipped in":
            writes.append(write("b", 5, "a\nb\n", applied=False))
        case "absent":
            del versions[5]
        case "same version":
            writes.append(write("c", 5, "a\nb\n"))

    with pytest.raises(AssertionError):
        check(Outcome([writes], {"R001": versions, "R002": {2: ""}, "R003": {3: ""}}, 5))
