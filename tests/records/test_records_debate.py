"""Five chats in three processes conflict, force, merge, sync and end at random: nothing is buried.

What each chat was shown is held against every version that the store kept. A version that takes
away a line which its writer was never shown has buried it.
"""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.engine import ReadTx
from hansard.records import reading
from hansard.records.views import RECORDS
from tests.contract.requirements import ROOT
from tests.depth import deep
from tests.launcher.programs import Popen
from tests.records.chats import Chat
from tests.records.debaters import WORD

PROCESSES = ("ann,ben", "cem,dee", "eve")
RECORDS_SHARED = 2
TIMEOUT_S = 280

Json = dict[str, Any]


@dataclass(frozen=True)
class Debate:
    """What was written, by whom, and what the store has of each record by version."""

    writes: list[Json]
    versions: dict[str, dict[int, tuple[str, str]]]
    """The title and the body of each."""
    tick: int
    ways: Counter[str] = field(default_factory=Counter)


def held(folder: Path, count: int) -> Debate:
    """Let the processes run until each has done so many things."""
    store = str(folder / "store")
    app = start(Settings(store=store))
    chat = Chat(app)
    records = [chat.create(f"Shared {number}", body="")["id"] for number in range(RECORDS_SHARED)]
    logs = [folder / f"{number}.jsonl" for number in range(len(PROCESSES))]
    program = [sys.executable, "-m", "tests.records.debaters", store]
    running: list[Popen[bytes]] = [
        Popen(
            [*program, str(log), names, str(count), *records],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for log, names in zip(logs, PROCESSES, strict=True)
    ]
    try:
        _let_run(running)
    finally:
        for one in running:
            one.kill()
            one.wait()
            for pipe in filter(None, (one.stdin, one.stdout)):
                pipe.close()
    writes = [json.loads(line) for log in logs for line in log.read_text().splitlines()]

    kept = app.store.read("default", lambda tx: {one: _versions(tx, one) for one in records})
    debate = Debate(writes, kept, chat.tick(), Counter(one["how"] for one in writes))
    app.close()
    return debate


def _versions(tx: ReadTx, record: str) -> dict[int, tuple[str, str]]:
    rows = [one.row for one in tx.versions(RECORDS, record)]
    return {row["tick"]: (row["title"], reading.body(tx, row)) for row in rows}


def _let_run(running: list[Popen[bytes]]) -> None:
    for one in running:
        assert one.stdout
        assert one.stdout.readline() == b"ready\n"
    for one in running:
        assert one.stdin
        one.stdin.write(b"go\n")
        one.stdin.close()
    assert [one.wait(TIMEOUT_S) for one in running] == [0] * len(running)


def check(debate: Debate) -> None:
    """Hold every version against the one before it, and against what its writer was shown."""
    written = {(one["record"], one["version"]): one for one in debate.writes}
    assert len(written) == len(debate.writes), "two writes were given the same version"
    assert debate.tick == RECORDS_SHARED + len(written), "something else moved the clock"
    for record, versions in debate.versions.items():
        before, last = "", min(versions)
        for version in sorted(versions)[1:]:
            _, body = versions[version]
            write = written.pop((record, version))
            gone = set(WORD.findall(before)) - set(WORD.findall(body))
            assert gone <= set(write["seen"]), f"{write['by']} buried {gone - set(write['seen'])}"
            if write["title"]:
                assert body == before, "a change of the title touched the body"
            if write["how"] == "force":
                _check_replaced(write, last, sorted(versions))
            before, last = body, version
    assert not written, "an acknowledged write is absent"


def _check_replaced(write: Json, last: int, versions: list[int]) -> None:
    """What a forced write says it replaced are the latest versions before it, without a gap."""
    replaced = [one["version"] for one in write["replaced"]]
    assert replaced[0] == last, "a forced write did not name the version before it"
    before = [version for version in reversed(versions) if version <= last]
    assert replaced == before[: len(replaced)]


@pytest.mark.holds("REC-conflict-23")
def test_five_chats_in_three_processes_bury_nothing(tmp_path: Path) -> None:
    debate = held(tmp_path, count=60)

    check(debate)
    assert debate.ways["plain"], "nobody wrote anything"


@pytest.mark.slow("five chats do thousands of things in three processes")
@pytest.mark.holds("REC-conflict-23")
def test_five_chats_in_three_processes_bury_nothing_in_the_long_run(tmp_path: Path) -> None:
    debate = held(tmp_path, count=deep(400, 1_200))

    check(debate)
    assert min(debate.ways[way] for way in ("plain", "merge", "force")) > deep(5, 20)
    assert not {"blind", "old"} & debate.ways.keys(), "force was taken without the right version"


@pytest.mark.parametrize("fault", ["buried", "reverted", "unnamed", "absent", "doubled"])
def test_the_check_finds_what_it_looks_for(fault: str) -> None:
    def write(version: int, how: str = "plain", *seen: str, **more: Any) -> Json:
        kept = {"record": "R001", "by": "ann", "title": False, "replaced": None}
        return kept | {"version": version, "how": how, "seen": list(seen)} | more

    forced = write(5, "force", "<a>", "<b>", replaced=[{"version": 4}])
    writes = [write(3, "plain", "<a>"), write(4, "plain", "<a>", "<b>"), forced]
    versions = {1: ("", ""), 3: ("", "<a>\n"), 4: ("", "<a>\n<b>\n"), 5: ("", "<b>\n")}
    debate = Debate(writes, {"R001": versions, "R002": {2: ("", "")}}, 5)
    check(debate)

    match fault:
        case "buried":
            forced["seen"] = ["<b>"]
        case "reverted":
            forced["title"] = True
        case "unnamed":
            forced["replaced"] = [{"version": 3}]
        case "absent":
            del versions[5]
        case "doubled":
            writes.append(write(5))

    with pytest.raises(AssertionError):
        check(debate)
