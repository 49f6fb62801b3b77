"""`backup`, `restore-backup`, `export`, `import`, `redact`, `gc`, `repair` at the command line."""

import json
from pathlib import Path

import apsw
import pytest

from tests.cli.running import Hansard, write_sessions


def sql(hansard: Hansard, statement: str) -> None:
    connection = apsw.Connection(str(hansard.store / "hansard.db"))
    connection.execute(statement)
    connection.close()


@pytest.fixture
def other(tmp_path: Path) -> Hansard:
    """The command on another store, which is not there yet."""
    (tmp_path / "elsewhere").mkdir()
    return Hansard(tmp_path / "elsewhere")


def anchors(hansard: Hansard) -> list[str]:
    return hansard("anchor").out.splitlines()


def test_a_backup_is_taken_and_restored(filled: Hansard, other: Hansard, tmp_path: Path) -> None:
    taken = filled("backup", str(tmp_path / "backups"))
    restored = other("restore-backup", str(tmp_path / "backups"))

    assert (taken.code, taken.err, restored.code, restored.err) == (0, "", 0, "")
    assert taken.out.splitlines()[1:] == anchors(filled) == restored.out.splitlines()[1:]
    assert other("verify").code == 0


def test_a_store_is_copied_elsewhere_and_what_is_new_follows(
    filled: Hansard, other: Hansard
) -> None:
    copied = filled("copy-store", str(other.store))
    write_sessions(filled, ["default.4"])
    again = filled("copy-store", str(other.store), "--json")

    assert (copied.code, copied.err, again.code, again.err) == (0, "", 0, "")
    heads = json.loads(again.out)["heads"]
    assert anchors(other) == anchors(filled)
    assert len(heads) == len(anchors(filled)) == len(copied.out.splitlines()) - 1
    assert other("verify").code == 0


def test_a_store_is_copied_into_no_other_s_and_not_onto_itself(
    filled: Hansard, other: Hansard
) -> None:
    write_sessions(other, ["elsewhere.1"])
    before = anchors(other)

    refused = filled("copy-store", str(other.store))
    onto_itself = filled("copy-store", str(filled.store))

    assert (refused.code, onto_itself.code) == (1, 2)
    assert "default" in refused.err
    assert anchors(other) == before


@pytest.mark.postgres
def test_a_store_is_moved_into_a_database_and_back(
    filled: Hansard, other: Hansard, emptied_postgres: str
) -> None:
    there = filled("copy-store", emptied_postgres)
    back = other("copy-store", str(other.store), "--store", emptied_postgres)

    assert (there.code, there.err, back.code) == (0, "", 0), back.err
    assert anchors(other) == anchors(filled)
    assert other("verify").code == 0


def test_backups_are_kept_to_a_number_and_said_as_json(filled: Hansard, tmp_path: Path) -> None:
    filled("backup", str(tmp_path / "backups"))
    said = json.loads(filled("backup", str(tmp_path / "backups"), "--keep", "1", "--json").out)

    assert (said["form"], said["copied"], len(said["removed"])) == ("store", 0, 1)
    assert [path.name for path in (tmp_path / "backups").glob("[0-9]*")] == [
        Path(said["folder"]).name
    ]


def test_a_store_in_place_is_kept_unless_forced(filled: Hansard, tmp_path: Path) -> None:
    filled("backup", str(tmp_path / "backups"))
    before = anchors(filled)
    write_sessions(filled, ["default.4"])

    refused = filled("restore-backup", str(tmp_path / "backups"))
    forced = filled("restore-backup", str(tmp_path / "backups"), "--force", "--json")

    assert refused.code == 1
    assert "--force" in refused.err
    assert Path(json.loads(forced.out)["set_aside"]).is_dir()
    assert anchors(filled) == before


def test_a_folder_without_backups_is_a_sentence(filled: Hansard, tmp_path: Path) -> None:
    ran = filled("restore-backup", str(tmp_path / "nothing"))

    assert ran.code == 1
    assert "There is no backup in" in ran.err


def test_a_project_moves_to_another_store(filled: Hansard, other: Hansard, tmp_path: Path) -> None:
    file = str(tmp_path / "default.bundle")
    exported = filled("export", "default", file)
    imported = other("import", file)

    assert (exported.code, imported.code) == (0, 0)
    assert exported.out.splitlines()[1] == imported.out.splitlines()[1] == anchors(filled)[1]
    again = json.loads(other("import", file, "--json").out)
    assert (again["entries"], again["renamed"]) == (0, False)
    named = json.loads(other("import", file, "--as", "copy", "--json").out)
    assert (named["project"], named["renamed"]) == ("copy", True)
    assert other("verify").code == 0


def test_what_cannot_be_moved_is_a_sentence(filled: Hansard, tmp_path: Path) -> None:
    (tmp_path / "not").write_bytes(b"a bundle")

    assert filled("export", "nowhere", str(tmp_path / "x")).code == 1
    assert filled("export", "default", str(tmp_path / "not")).code == 2
    refused = filled("import", str(tmp_path / "not"))
    assert (refused.code, "damaged" in refused.err) == (1, True)


def test_an_agent_may_not_redact(filled: Hansard) -> None:
    ran = filled("redact", "s:1", "--field", "id", "--reason", "leaked", "--yes")

    assert ran.code == 1
    assert "Only a person" in ran.err


def test_a_person_redacts_on_a_terminal(filled: Hansard) -> None:
    write_sessions(filled, ["default.secret"])

    ran = filled.on_a_terminal(
        "redact", "s:4", "--field", "id", "--reason", "leaked", "--yes", "--json"
    )

    assert ran.code == 0, ran.out
    said = json.loads(ran.out.splitlines()[-1])
    assert (said["payloads"][0]["seq"], said["scrubbed"]) == (4, True)
    verified = filled("verify")
    assert (verified.code, "1 redacted" in verified.out) == (0, True)
    assert "Redacted s:4: leaked" in filled("log").out


@pytest.mark.parametrize(
    "asked",
    [
        ("s:1",),
        ("s:1", "name", "--field", "id"),
        ("blob", "xyz"),
        ("blob",),
        ("file", "x"),
    ],
)
def test_what_cannot_be_redacted_is_refused(filled: Hansard, asked: tuple[str, ...]) -> None:
    assert filled("redact", *asked, "--reason", "leaked", "--yes").code == 2


def test_a_path_that_was_never_recorded_is_a_sentence(filled: Hansard) -> None:
    ran = filled("redact", "path", "x.txt", "--reason", "leaked", "--yes")

    assert ran.code == 1
    assert "x.txt" in ran.err


def test_gc_shows_first_and_acts_when_told(filled: Hansard) -> None:
    sql(
        filled,
        f"INSERT INTO blobs SELECT number, '{'a' * 64}', 4, 'raw', NULL, 0, x'61626364' FROM heads "
        "WHERE project = 'default'",
    )

    shown = filled("gc")
    assert "Would free 4 bytes in 1 blobs." in shown.out
    assert json.loads(filled("gc", "--json").out)["unnamed"] == {"default": ["a" * 64]}
    assert "Freed 4 bytes" in filled("gc", "--apply").out
    assert "Would free 0 bytes" in filled("gc").out
    assert filled("verify").code == 0


def test_a_sound_store_needs_no_repair(filled: Hansard) -> None:
    ran = filled("repair")

    assert (ran.code, ran.out) == (0, "Nothing is broken.\n")


def test_views_are_repaired_in_place(filled: Hansard) -> None:
    sql(filled, "DELETE FROM rows_sessions_v2 WHERE key = 'default.2'")

    ran = filled("repair", "--yes")

    assert ran.code == 0
    assert "broken default views" in ran.out
    assert filled("verify").code == 0


def test_a_broken_chain_is_repaired_with_a_backup(filled: Hansard, tmp_path: Path) -> None:
    filled("backup", str(tmp_path / "backups"))
    before = anchors(filled)
    sql(filled, "UPDATE journal SET session = 'other' WHERE (number & 0xffff) = 2")

    assert filled("repair", "--yes").code == 1
    ran = filled.on_a_terminal("repair", "--from", str(tmp_path / "backups"), "--yes")

    assert ran.code == 0, ran.out
    assert "1 of them from the backup" in ran.out
    assert anchors(filled) == before
    assert filled("verify").code == 0


def test_nothing_is_done_that_is_not_agreed_to(filled: Hansard) -> None:
    sql(filled, "UPDATE journal SET session = 'other' WHERE (number & 0xffff) = 2")

    asked = filled("repair")
    assert (asked.code, "nobody is there to answer" in asked.err) == (2, True)
    assert filled("verify", "--quick").code == 2
