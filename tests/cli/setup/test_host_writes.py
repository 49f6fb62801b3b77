"""A host's file while others write it: what they wrote stays, and who may read it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.cli.setup.files import look, write
from hansard.cli.setup.texts import LeftAloneError
from tests.cli.setup.person import Person


def when_synced(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have something happen while our file is brought to the disk."""
    sync = os.fsync

    def slow(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", sync)
        act()
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)


@pytest.mark.parametrize("was", ["{}", None])
def test_what_a_host_writes_while_ours_is_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was: str | None
) -> None:
    path = tmp_path / ".claude.json"
    if was is not None:
        path.write_text(was)
    found = look(path)
    when_synced(monkeypatch, lambda: path.write_text('{"token": "new"}'))

    with pytest.raises(LeftAloneError):
        write(found, b"ours")

    assert path.read_text() == '{"token": "new"}'
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_closed_while_ours_is_written_stays_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ".claude.json"
    path.write_text("{}")
    path.chmod(0o644)
    found = look(path)
    when_synced(monkeypatch, lambda: path.chmod(0o600))

    write(found, b"ours")

    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mask", [0o002, 0o022, 0o077])
def test_a_new_file_is_the_users_alone_in_a_home_and_as_others_are_in_a_project(
    person: Person, mask: int
) -> None:
    before = os.umask(mask)
    try:
        person("init", "--yes", "--no-guide", "--no-hooks", "cursor")
        person("init", "--yes", "--no-hooks", "--user", "gemini-cli")
    finally:
        os.umask(before)

    made, own = person.repository / ".cursor/mcp.json", person.home / ".gemini/settings.json"
    assert made.stat().st_mode & 0o777 == 0o666 & ~mask
    assert own.stat().st_mode & 0o777 == 0o600
