"""`hansard verify` and `hansard anchor`: exit codes, and what is said."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.sqlite.wal import HEADER_BYTES
from tests.app.damage import flipped
from tests.cli.running import WAIT_S, Hansard, write_sessions

WRITER = """
import sys
from tests.cli.running import Hansard, write_sessions
from pathlib import Path
hansard = Hansard(Path(sys.argv[1]))
for number in range(10_000):
    write_sessions(hansard, [f"default.w{number}-{each}" for each in range(20)])
    print(number, flush=True)
"""


def sql(hansard: Hansard, statement: str) -> None:
    connection = apsw.Connection(str(hansard.store / "hansard.db"))
    connection.execute(statement)
    connection.close()


def test_a_sound_store_is_0(filled: Hansard) -> None:
    ran = filled("verify")

    assert (ran.code, ran.err) == (0, "")
    assert "default: 3 entries, 0 blobs" in ran.out
    assert ran.out.endswith("Sound.\n")


def test_drift_is_1(filled: Hansard) -> None:
    sql(filled, "UPDATE heads SET views = 'sessions:0' WHERE project = 'default'")

    ran = filled("verify")

    assert ran.code == 1
    assert "drift default views" in ran.out


def test_a_broken_store_is_2_and_the_place_is_named(filled: Hansard) -> None:
    sql(filled, "UPDATE journal SET session = 'other' WHERE (number & 0xffff) = 2")

    ran = filled("verify", "--quick")

    assert ran.code == 2
    assert "broken default chain: s:2" in ran.out
    assert "Broken." in ran.out


def test_what_cannot_be_read_is_3(filled: Hansard) -> None:
    for path in filled.store.glob("hansard.db*"):
        path.unlink()
    (filled.store / "hansard.db").write_bytes(b"not a database " * 1_000)

    assert filled("verify").code == 3
    report = json.loads(filled("verify", "--json").out)
    assert (report["exit_code"], report["error"]["code"]) == (3, "STORAGE_UNAVAILABLE")


def test_damaged_pages_are_never_taken_for_an_empty_store(filled: Hansard) -> None:
    sql(filled, "PRAGMA wal_checkpoint(TRUNCATE)")
    path = filled.store / "hansard.db"
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 300] = b"\xff" * 300
    path.write_bytes(bytes(content))

    ran = filled("verify")

    assert ran.code in {2, 3}
    assert "Traceback" not in ran.err
    assert "a bug" not in ran.err


def test_as_json_it_is_one_object(filled: Hansard) -> None:
    report = json.loads(filled("verify", "--json").out)

    assert (report["sound"], report["exit_code"], report["quick"]) == (True, 0, False)
    assert [one["project"] for one in report["projects"]] == ["@catalog", "default"]


def test_one_project_can_be_asked_for(filled: Hansard) -> None:
    ran = filled("verify", "--project", "default")

    assert ran.code == 0
    assert "@catalog" not in ran.out
    assert filled("verify", "--project", "nowhere").code == 3


def test_an_anchor_is_a_receipt_that_verify_takes(filled: Hansard) -> None:
    [_, line] = filled("anchor").out.splitlines()
    project, receipt = line.split()

    ran = filled("verify", "--quick", "--receipt", receipt)

    assert (project, ran.code) == ("default", 0)
    assert f"receipt {receipt} is in default" in ran.out


def test_an_anchor_as_json_says_the_same(filled: Hansard) -> None:
    anchors = [json.loads(line) for line in filled("anchor", "--json").out.splitlines()]

    assert [(one["project"], one["seq"]) for one in anchors] == [("@catalog", 1), ("default", 3)]
    text = [f"{one['project']} {one['seq']}:{one['hash']}" for one in anchors]
    assert filled("anchor").out.splitlines() == text


def test_a_receipt_that_is_not_in_this_history_is_2(filled: Hansard) -> None:
    ran = filled("verify", "--quick", "--receipt", f"3:{'0' * 64}")

    assert ran.code == 2
    assert "is not in this history" in ran.out


def test_it_settles_nothing_and_leaves_a_log_as_a_kill_left_it(
    filled: Hansard, tmp_path: Path
) -> None:
    app = start(Settings(store=str(filled.store)))
    for number in range(3):
        write_sessions(filled, [f"default.more{number}"])
    killed = Hansard(tmp_path / "killed")
    shutil.copytree(filled.store, killed.store)
    app.close()
    log = killed.store / "hansard.db-wal"
    before = log.read_bytes()
    assert before

    assert (killed("verify").code, killed("log").code) == (0, 0)
    assert log.read_bytes() == before

    struck = flipped(before, HEADER_BYTES + 100)
    log.write_bytes(struck)
    ran = killed("verify")

    assert ran.code == 2
    assert "broken @catalog database: The write-ahead log is damaged at frame" in ran.out
    assert log.read_bytes() == struck


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="becoming someone else needs root")
@pytest.mark.parametrize("command", ["verify", "log"])
def test_a_store_of_someone_else_is_refused_in_a_sentence(filled: Hansard, command: str) -> None:
    assert filled(command).code == 0
    filled.store.chmod(0o700)

    os.seteuid(54_321)
    try:
        ran = filled(command)
    finally:
        os.seteuid(0)

    assert ran.code == (3 if command == "verify" else 1)
    assert "cannot be used: Permission denied" in ran.err
    assert "bug" not in ran.err


def test_a_receipt_that_is_none_is_refused(filled: Hansard) -> None:
    assert filled("verify", "--receipt", "three").code == 2


@pytest.mark.slow("runs a second process that writes all the while")
def test_it_is_sound_while_another_process_writes(filled: Hansard, tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline()
        reports = [json.loads(filled("verify", "--json").out) for _ in range(5)]
    finally:
        writer.kill()
        writer.communicate(timeout=WAIT_S)

    assert [(report["exit_code"], report["findings"]) for report in reports] == [(0, [])] * 5
    entries = [report["projects"][1]["entries"] for report in reports]
    assert entries == sorted(entries)
    assert entries[0] < entries[-1]
