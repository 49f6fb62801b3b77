"""What is taken in again changes nothing, and a refused path keeps no other from being taken."""

import json
from typing import Any

import pytest

from hansard.app import hook_files
from hansard.app.hook_recording import HookIntake
from hansard.hooks import spool
from hansard.kernel.problem import StorageUnavailable
from tests.hooks.hosting import Host
from tests.hooks.test_rewinding import CHAT, LONG, ask, changed, hansard_in, host, shell, where

__all__ = ["host", "where"]

LATER = {
    "the file is edited where it is now": "echo agent >> c.txt",
    "another is made where it was": "echo fresh > a.txt",
    "it is moved on": "mv c.txt d.txt",
    "it is moved back": "mv c.txt a.txt",
}
"""What happens after a file was moved, before the move is taken in again."""


def noted(host: Host) -> list[dict[str, Any]]:
    return host.see("timeline", CHAT)


@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_a_move_that_is_taken_in_again_changes_nothing(host: Host, where: str, later: str) -> None:
    (host.folder / "a.txt").write_text(LONG)
    ask(host, "first")
    shell(host, "mv a.txt c.txt")
    shell(host, later)
    folder = host.run.store / "hooks"
    # As a power cut leaves it after all was recorded: nothing that was written meanwhile is there.
    kept = (folder / "events").read_bytes()
    first = noted(host)
    (folder / "taking").write_bytes(kept)

    assert noted(host) == first
    assert ("file_move", "a.txt") in changed(host)
    assert not (folder / "taking").exists()


def test_after_a_move_was_taken_in_again_the_edit_that_followed_is_undone(
    host: Host, where: str
) -> None:
    (host.folder / "a.txt").write_text(LONG)
    shell(host, "mv a.txt c.txt")
    shell(host, "echo agent >> c.txt")
    folder = host.run.store / "hooks"
    kept = (folder / "events").read_bytes()
    changed(host)
    (folder / "taking").write_bytes(kept)

    done = hansard_in(host, "undo", "--session", CHAT, "--yes")

    assert done.code == 0, done
    assert (host.folder / "a.txt").read_text() == LONG
    assert not (host.folder / "c.txt").exists()


@pytest.mark.parametrize("done", [1, 2])
def test_a_move_that_an_older_program_had_begun_to_tell_as_two_is_told_so(
    host: Host, where: str, done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each side under its key, which it still has: of those that were recorded none is again."""
    (host.folder / "a.txt").write_text(LONG)
    shell(host, "mv a.txt c.txt")
    folder = host.run.store / "hooks"
    whole = (folder / "events").read_bytes()
    entry = json.loads(whole)
    (folder / "events").write_text(json.dumps(entry | {"files": entry["files"][:done]}) + "\n")
    with monkeypatch.context() as older:
        older.setattr("hansard.app.hook_files.moves", lambda _: {})
        first = changed(host)
    (folder / "taking").write_bytes(whole)

    told = changed(host)

    assert len(first) == done
    assert told[:done] == first
    assert sorted(told) == [("file_create", "c.txt"), ("file_delete", "a.txt")]


def test_what_an_older_program_took_for_a_move_is_one_when_it_is_taken_in_again(
    host: Host, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell(host, "rm a.txt; echo one > c.txt")
    shell(host, "echo agent >> c.txt")
    folder = host.run.store / "hooks"
    kept = (folder / "events").read_bytes()
    with monkeypatch.context() as older:
        older.setattr("hansard.app.hook_files.moves", hook_files.twins)
        first = noted(host)
    (folder / "taking").write_bytes(kept)

    assert noted(host) == first
    assert changed(host) == [("file_move", "a.txt"), ("file_edit", "c.txt")]


def test_where_the_store_fails_only_what_is_left_is_taken_again(host: Host) -> None:
    for text in ("first", "second", "third"):
        ask(host, text)
    folder = host.run.store / "hooks"
    taken: list[str] = []
    fails = iter((False, True))

    def record(entry: dict[str, Any]) -> None:
        if next(fails, False):
            raise StorageUnavailable("not now")
        taken.append(entry["prompt"])

    with pytest.raises(StorageUnavailable):
        spool.take(str(folder), record)
    left = spool.take(str(folder), record)

    assert taken == ["first", "second", "third"]
    assert left == 2
    assert not spool.waiting(str(folder))


def test_an_event_told_twice_is_known_though_only_one_of_them_was_taken(
    host: Host, where: str
) -> None:
    """By two settings files and with ids of their own, and killed with the second half done."""
    shell(host, "echo 1 >> a.txt")
    folder = host.run.store / "hooks"
    [entry] = host.waiting()
    spool.append(str(folder), entry | {"call": "another", "id": "another"})
    shell(host, "echo 2 >> a.txt")
    intake, count = HookIntake(str(folder)), 0

    def record(entry: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        intake.record(entry)

    shell(host, "echo 3 >> a.txt")
    with pytest.raises(KeyboardInterrupt):
        spool.take(str(folder), record)
    intake.close()

    assert changed(host) == [("file_edit", "a.txt")] * 3


REFUSED = {
    "a colon": "z:12.log",
    "a backslash": "z\\12.log",
    "a dot at its end": "z.",
    "another form of Unicode": "e\u0301.log",
    "a line break": "z\n12.log",
}


@pytest.mark.parametrize("name", REFUSED.values(), ids=REFUSED)
def test_a_path_that_is_refused_keeps_no_other_file_from_being_recorded(
    host: Host, where: str, name: str
) -> None:
    shell(host, f"echo 1 >> a.txt; echo log > '{name}'; echo 2 >> b.txt")

    assert changed(host) == [("file_edit", "a.txt"), ("file_edit", "b.txt")]
    [note] = [one["summary"] for one in noted(host) if "not_recorded" in one["summary"]]
    assert "The path" in note
    done = hansard_in(host, "undo", "--session", CHAT, "--yes")
    assert done.code == 0, done
    assert (host.folder / "a.txt").read_text() == "one\n"
    assert (host.folder / "b.txt").read_text() == "bee\n"


def test_a_name_that_is_no_text_keeps_no_other_file_from_being_recorded(
    host: Host, where: str
) -> None:
    shell(host, r"echo 1 >> a.txt; echo log > $(printf 'z\377.log'); echo 2 >> b.txt")

    assert changed(host) == [("file_edit", "a.txt"), ("file_edit", "b.txt")]


def test_a_file_that_moves_to_a_path_that_is_refused_is_recorded_as_gone(
    host: Host, where: str
) -> None:
    shell(host, "mv a.txt a:b.txt")

    assert changed(host) == [("file_delete", "a.txt")]


def test_a_refused_path_that_is_taken_in_again_is_noted_once(host: Host, where: str) -> None:
    shell(host, "mv a.txt a:b.txt; echo 1 >> b.txt")
    folder = host.run.store / "hooks"
    kept = (folder / "events").read_bytes()
    first = noted(host)
    (folder / "taking").write_bytes(kept)

    assert noted(host) == first
