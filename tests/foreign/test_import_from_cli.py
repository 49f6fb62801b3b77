"""`hansard import-from`, as a person or a script runs it."""

import json
import signal
from pathlib import Path

import pytest

from tests.cli.running import WAIT_S, Hansard
from tests.foreign.taking_over import FOLDER, SAMPLES

CLAUDE = str(SAMPLES / "claude-code.jsonl")


@pytest.fixture
def hansard(tmp_path: Path) -> Hansard:
    made = Hansard(tmp_path)
    (tmp_path / "workspace").mkdir()
    made.environment["HANSARD_WORKSPACE"] = str(tmp_path / "workspace")
    return made


def test_a_dry_run_says_what_would_be_made_and_makes_no_store(hansard: Hansard) -> None:
    ran = hansard("import-from", CLAUDE, "--folder", FOLDER, "--dry-run", "--json")

    told = json.loads(ran.out)
    assert (told["format"], told["dry_run"]) == ("claude-code", True)
    assert told["new"] == {"sessions": 1, "prompts": 1, "edits": 5, "notes": 1}
    assert not hansard.store.exists()


def test_a_format_that_is_named_wrongly_or_cannot_be_seen_is_said(
    hansard: Hansard, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("words\n")

    assert hansard("import-from", "claude", CLAUDE).code == 2
    assert "claude-code" in hansard("import-from", "claude", CLAUDE).err
    assert "none of the formats" in hansard("import-from", str(plain)).err
    assert "There is no" in hansard("import-from", str(tmp_path / "absent")).err
    assert not hansard.store.exists()


def test_decisions_are_an_agents_unless_a_person_signs_them(
    hansard: Hansard, tmp_path: Path
) -> None:
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "0001-a.md").write_text("# 1. A\n\nStatus: accepted\n\nWe have a reason for this.\n")
    (folder / "0002-b.md").write_text("# 2. B\n\nStatus: accepted\n\nWe have a reason for that.\n")

    assert hansard("import-from", "adr", str(folder / "0001-a.md")).code == 0
    signed = hansard.on_a_terminal("import-from", "adr", str(folder / "0002-b.md"), "--sign")

    assert signed.code == 0, signed.out
    entries = [json.loads(line) for line in hansard("log", "--json").out.splitlines()]
    decided = [one["actor"] for one in entries if "decision" in one["kind"]]
    assert [who["kind"] for who in decided] == ["agent", "human"]
    assert decided[0]["id"] == "import:adr"


@pytest.mark.slow("kills the import again and again until it is done")
def test_killed_half_way_and_repeated_it_finishes_with_each_thing_once(
    hansard: Hansard, tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    names = [f"thing {number}" for number in range(60)]
    lines = [
        json.dumps({"type": "entity", "name": name, "entityType": "x", "observations": ["is"]})
        for name in names
    ]
    path.write_text("\n".join(lines))
    for _ in range(4):
        process = hansard.start("import-from", str(path))
        while process.poll() is None and not _grows(hansard, by=10):
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=WAIT_S)

    ran = hansard("import-from", str(path), "--json")
    again = hansard("import-from", str(path), "--json")

    assert ran.code == 0, ran.err
    assert json.loads(again.out)["new"] == {}
    assert json.loads(again.out)["known"] == {"records": 60}
    made = hansard("log", "--json", "--kind", "records", "--limit", "500").out.splitlines()
    assert len(made) == len(names)
    assert hansard("verify").code == 0


_seen: dict[Path, int] = {}


def _grows(hansard: Hansard, *, by: int) -> bool:
    """Whether the journal has grown by so many entries since this was last so."""
    if not (hansard.store / "hansard.db").exists():
        return False
    ran = hansard("log", "--json", "--limit", "1")
    lines = ran.out.splitlines()
    seq = json.loads(lines[0])["seq"] if lines and ran.code == 0 else 0
    if seq < _seen.get(hansard.store, 0) + by:
        return False
    _seen[hansard.store] = seq
    return True
