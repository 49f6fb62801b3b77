"""`hansard watch`: what others do to files is recorded as it happens."""

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.cli.recorded.watch import WatchState, begin_watching
from hansard.recorder import limits
from hansard.recorder.gateway import Gateway
from hansard.recorder.watching import IGNORED, FileSeen, Ignoring
from hansard.recorder.workspace.paths import FilePath
from tests.cli.running import WAIT_S, Hansard
from tests.cli.test_recorder_cli import Recorded, items, op


@pytest.fixture
def recorded(hansard: Hansard, tmp_path: Path) -> Recorded:
    """Give a workspace with one file that an agent made and one that nobody recorded."""
    recorded = Recorded(hansard, tmp_path / "workspace")
    recorded.do(op("create", "a.py", content="one\n"))
    (recorded.folder / "old.txt").write_text("old\n")
    return recorded


class Watching:
    """The command at work."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "it ended"
        return dict(json.loads(line))

    def seen(self, number: int) -> set[tuple[str, str]]:
        """Read what it says of so many files."""
        told = [self.next() for _ in range(number)]
        return {(one["what"], one["path"]) for one in told}

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        self._process.send_signal(how)
        out, err = self._process.communicate(timeout=WAIT_S)
        assert out == ""
        return self._process.returncode, err


@contextmanager
def watching(recorded: Recorded, *arguments: str) -> Iterator[Watching]:
    process = recorded.run.start("watch", "--json", *arguments)
    try:
        assert process.stderr is not None
        assert "Watching" in process.stderr.readline()
        yield Watching(process)
    finally:
        process.kill()
        process.communicate(timeout=WAIT_S)


def put(recorded: Recorded, name: str, text: str) -> None:
    """Give a file its content at one stroke, so that no half of it can be seen."""
    draft = recorded.folder.parent / "draft"
    draft.write_text(text)
    draft.rename(recorded.folder / name)


def sources(recorded: Recorded, path: str) -> list[str]:
    return [str(one["source"]) for one in items(recorded.run("evolution", path, "--json").out)]


def test_each_change_is_recorded_once_with_its_content(recorded: Recorded) -> None:
    with watching(recorded) as watch:
        put(recorded, "old.txt", "new\n")
        changed = watch.next()
        put(recorded, "b.py", "b\n")
        created = watch.next()
        (recorded.folder / "a.py").unlink()
        deleted = watch.next()
        code, said = watch.end()

    assert (changed["what"], changed["added"], changed["removed"]) == ("changed", 1, 1)
    assert (created["what"], created["path"]) == ("created", "b.py")
    assert deleted["what"] == "deleted"
    assert code == 0
    assert "Recorded 3 changes" in said
    assert sources(recorded, "old.txt") == ["found", "external"]
    assert recorded.run("evolution", "old.txt", "--revision", "1").out == "old\n"
    told = items(recorded.run("timeline", "--json", "--kind", "external_change").out)
    assert [item["path"] for item in told] == ["old.txt", "b.py", "a.py"]


def test_ctrl_c_ends_it_and_its_session(recorded: Recorded) -> None:
    with watching(recorded) as watch:
        put(recorded, "b.py", "b\n")
        watch.next()
        code, _ = watch.end(signal.SIGINT)

    assert code == 0
    assert "closed" in recorded.run("timeline").out.splitlines()[-1]


def test_what_changed_while_nobody_watched_is_seen_at_the_start(recorded: Recorded) -> None:
    recorded.do(op("create", "gone.py", content="g\n"))
    put(recorded, "a.py", "by hand\n")
    (recorded.folder / "gone.py").unlink()

    process = recorded.run.start("watch", "--json")
    try:
        seen = Watching(process).seen(2)
    finally:
        process.kill()
        process.communicate(timeout=WAIT_S)

    assert seen == {("changed", "a.py"), ("deleted", "gone.py")}


def test_what_goes_through_hansard_is_not_taken_for_anothers(recorded: Recorded) -> None:
    with watching(recorded) as watch:
        recorded.do(op("edit", "a.py", content="two\n"), op("create", "b.py", content="b\n"))
        put(recorded, "last", "last\n")

        assert watch.seen(1) == {("created", "last")}

    assert sources(recorded, "a.py") == ["executed", "executed"]


def test_what_is_ignored_protected_or_no_plain_file_is_not_recorded(recorded: Recorded) -> None:
    with watching(recorded, "--ignore", "*.log", "--ignore", "docs/build") as watch:
        for name in ("node_modules/x/a.js", ".git/config", ".claude/settings.json", "docs/build/o"):
            (recorded.folder / name).parent.mkdir(parents=True)
            put(recorded, name, "x")
        put(recorded, "x.log", "x")
        (recorded.folder / "link").symlink_to("a.py")
        assert watch.seen(1) == {("skipped", "link")}
        put(recorded, "last", "last\n")

        assert watch.seen(1) == {("created", "last")}


def test_a_folder_that_moves_takes_its_files_along(recorded: Recorded, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "one").write_text("1")
    (outside / "two").write_text("2")

    with watching(recorded) as watch:
        outside.rename(recorded.folder / "inside")
        came = watch.seen(2)
        (recorded.folder / "inside").rename(outside)
        went = watch.seen(2)

    assert came == {("created", "inside/deep/one"), ("created", "inside/two")}
    assert went == {("deleted", "inside/deep/one"), ("deleted", "inside/two")}


def test_a_burst_of_files_is_taken_in_batches(recorded: Recorded, tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(250):
        (many / f"{number}").write_text(f"{number}\n")

    with watching(recorded) as watch:
        shutil.copytree(many, recorded.folder / "many")
        seen = watch.seen(250)

    assert seen == {("created", f"many/{number}") for number in range(250)}
    edits = [file for file in recorded.run("evolution").out.splitlines() if "many/" in file]
    assert len(edits) == 250


def test_a_secret_is_recorded_without_its_content(recorded: Recorded) -> None:
    with watching(recorded) as watch:
        put(recorded, ".env", "API_KEY=abc123def456ghi\n")
        told = watch.next()

    assert "environment_secret" in told["redacted"]
    assert "abc123def456ghi" not in recorded.run("evolution", ".env").out


def test_without_a_first_look_old_files_are_left_alone(recorded: Recorded) -> None:
    with watching(recorded, "--no-first-look") as watch:
        put(recorded, "b.py", "b\n")
        watch.next()

    assert "old.txt" not in recorded.run("evolution").out


def test_a_file_that_is_busy_is_tried_again_and_holds_up_no_other(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "FILE_WAIT_S", 0.05)
    settings = Settings(store=str(recorded.run.store), workspace=str(recorded.folder))
    put(recorded, "a.py", "two\n")
    put(recorded, "b.py", "b\n")
    shown: list[FileSeen] = []

    with begin_watching(settings, recorded.folder, Ignoring(()), shown.append) as watch_state:
        watch_state.note([(False, "a.py"), (True, "b.py")])
        with held(watch_state, recorded.folder, "a.py"):
            watch_state.look()
            watch_state.look()
            while_busy = [file.path for file in shown]
        watch_state.look()

    assert while_busy == ["b.py"]
    assert [file.path for file in shown] == ["b.py", "a.py"]
    assert capsys.readouterr().err.count("tried again") == 1


def held(watch_state: WatchState, folder: Path, name: str) -> AbstractContextManager[None]:
    """Be at a file, as an operation is."""
    gateway = Gateway(folder, store=None, redact=True)
    file = gateway.file(FilePath((name,)))
    gateway.close()
    lock = watch_state.application.store.engine.hold(f"file-{file}")
    assert lock is not None
    return lock


def test_a_workspace_that_is_no_folder_is_refused(recorded: Recorded) -> None:
    ran = recorded.run("watch", "--workspace", str(recorded.folder / "a.py"))

    assert ran.code == 2
    assert "no folder" in ran.err


@pytest.mark.parametrize(
    ("path", "is_left_out"),
    [
        ("src/a.py", False),
        ("src/node_modules/a.js", True),
        (".venv/bin/python", True),
        ("notes.txt~", True),
        ("logs/today.log", True),
        ("docs/build/x/y", True),
        ("other/docs/build", False),
        ("building/x", False),
    ],
)
def test_patterns_are_names_or_with_a_slash_paths(path: str, *, is_left_out: bool) -> None:
    ignoring = Ignoring((*IGNORED, "*.log", "docs/build"))

    assert ignoring.leaves_out(path) is is_left_out


def test_without_a_first_look_git_says_what_a_file_held_before(recorded: Recorded) -> None:
    for arguments in (["init", "-q"], ["add", "old.txt"]):
        subprocess.run(["git", "-C", str(recorded.folder), *arguments], check=True)
    put(recorded, "old.txt", "new\n")
    settings = Settings(store=str(recorded.run.store), workspace=str(recorded.folder))
    shown: list[FileSeen] = []

    with begin_watching(settings, recorded.folder, Ignoring(()), shown.append) as watch_state:
        watch_state.note([(False, "old.txt")])
        watch_state.look()
    change = next(file for file in shown if file.what == "changed")
    recorded.run("undo", f"s:{change.seq}", "--yes")

    assert (change.added, change.removed) == (1, 1)
    assert (recorded.folder / "old.txt").read_text() == "old\n"


def test_permissions_that_somebody_changes_are_seen(recorded: Recorded) -> None:
    settings = Settings(store=str(recorded.run.store), workspace=str(recorded.folder))
    shown: list[FileSeen] = []
    (recorded.folder / "a.py").chmod(0o755)

    with begin_watching(settings, recorded.folder, Ignoring(()), shown.append) as watch_state:
        watch_state.note([(False, "a.py")])
        watch_state.look()
    recorded.run("undo", f"s:{shown[0].seq}", "--yes")

    assert "permissions" in shown[0].summary
    assert (recorded.folder / "a.py").stat().st_mode & 0o777 == 0o644
