"""`hansard timeline`, `story` and `evolution`, as a person uses them."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.recorded.revision_browser import RevisionCursor
from hansard.cli.recorded.timeline import news
from hansard.kernel.operation import Caller, Seat
from hansard.recorder.answers import RevisionShown, Status, TimelineItem
from tests.cli.running import AGENT, WAIT_S, Hansard
from tests.launcher.programs import Popen, run
from tests.patience import is_readable

SESSION = "parser-work"


class Recorded:
    """The command, a workspace, and what an agent did in it."""

    def __init__(self, hansard: Hansard, folder: Path) -> None:
        folder.mkdir()
        hansard.environment["HANSARD_WORKSPACE"] = str(folder)
        self.run = hansard
        self.folder = folder

    def do(self, *calls: tuple[str, dict[str, Any]], session: str = SESSION) -> None:
        """Have an agent call operations, one after the other."""
        app = start(Settings(store=str(self.run.store), workspace=str(self.folder)))
        try:
            for name, arguments in calls:
                app.call(name, arguments, Caller(AGENT, session=session, seat=Seat()))
        finally:
            app.close()


def op(action: str, path: str, **rest: Any) -> tuple[str, dict[str, Any]]:
    return "file_op", {"action": action, "path": path, **rest}


@pytest.fixture
def recorded(hansard: Hansard, tmp_path: Path) -> Recorded:
    """Give a session with a plan of two steps, three edits and a note."""
    recorded = Recorded(hansard, tmp_path / "workspace")
    recorded.do(
        ("record_session_start", {"title": "A faster parser", "user_message": "Make it fast."}),
        ("record_plan", {"steps": ["Measure", "Change"]}),
        ("record_step", {"index": 0}),
        op("create", "a.py", content="one\n\ttwo\n"),
        ("audit_event", {"type": "decision", "description": "It is the lexer"}),
        ("record_step", {"index": 1}),
        op("edit", "a.py", content="one\n\tTWO\n"),
        op("create", "b.bin", content="AAEC/w==", encoding="base64"),
        op("edit", "a.py", content="one\n\tTWO\nthree\n"),
    )
    return recorded


@contextmanager
def terminal(hansard: Hansard, *arguments: str, **environment: str) -> Iterator["Typist"]:
    """Run the command on a terminal that one can type at."""
    ours, theirs = pty.openpty()
    process: Popen[bytes] = Popen(
        hansard.command(*arguments),
        env=hansard.environment | {"TERM": "xterm"} | environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield Typist(process, ours)
    finally:
        process.kill()
        process.wait(WAIT_S)
        os.close(ours)


class Typist:
    """Someone who types, and reads what comes of it."""

    def __init__(self, process: subprocess.Popen[bytes], line: int) -> None:
        self._process = process
        self._line = line

    def type(self, keys: str) -> None:
        os.write(self._line, keys.encode())

    def interrupt(self) -> None:
        """Do what the terminal does for Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def until(self, text: str) -> str:
        """Read until a text has come."""
        shown = ""
        deadline = time.monotonic() + WAIT_S
        while text not in shown and time.monotonic() < deadline:
            shown += self._read()
        assert text in shown, shown
        return shown

    def end(self) -> tuple[int, str]:
        """Read until the command ends; gives its exit code and what was shown last."""
        shown = ""
        deadline = time.monotonic() + WAIT_S
        while self._process.poll() is None and time.monotonic() < deadline:
            shown += self._read()
        return self._process.wait(WAIT_S), shown + self._read()

    def _read(self) -> str:
        if not is_readable(self._line, 0.2):
            return ""
        try:
            return os.read(self._line, 65536).decode(errors="replace")
        except OSError:  # the other end was closed
            return ""


def items(shown: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shown.splitlines()]


# timeline


def test_the_timeline_of_the_latest_session_is_told_oldest_first(recorded: Recorded) -> None:
    recorded.do(op("create", "c.py", content="c\n"), session="later")

    first = recorded.run("timeline", SESSION).out.splitlines()
    latest = recorded.run("timeline").out.splitlines()

    assert first[0] == f"Session {SESSION}"
    said = [line.split(" ", 4)[4] for line in first[1:] if "file" in line or ".py" in line]
    assert said == [
        "create a.py (+2 -0) (step 1)",
        "edit a.py (+1 -1) (step 2)",
        "edit a.py (+1 -0) (step 2)",
    ]
    assert latest[0] == "Session later"
    assert "create c.py (+1 -0)" in latest[-1]
    assert recorded.run("timeline", "--session", SESSION).out.splitlines() == first


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        (["--limit", "1"], ["file_edit"]),
        (["--kind", "file_edit"], ["file_edit", "file_edit"]),
        (["--kind", "audit_event", "--kind", "plan_step"], ["plan_step"] * 2 + ["audit_event"]),
        (["--path", "b.bin"], ["file_create"]),
        (["--actor", "human"], []),
    ],
)  # fmt: skip
def test_one_can_ask_for_less(recorded: Recorded, arguments: list[str], kinds: list[str]) -> None:
    ran = recorded.run("timeline", "--json", *arguments)

    assert [item["kind"] for item in items(ran.out)] == kinds
    assert (ran.code, ran.err) == (0, "")


def test_a_limit_over_a_page_gives_all(recorded: Recorded) -> None:
    ops = [{"action": "create", "path": f"many/{n}", "content": "x\n"} for n in range(100)]
    recorded.do(("file_op", {"ops": ops}))
    total = len(items(recorded.run("timeline", "--json", "--limit", "10000").out))

    some = items(recorded.run("timeline", "--json", "--limit", "70").out)

    assert total > 100
    assert [item["path"] for item in some][-1] == "many/99"
    assert len(some) == 70


def test_changes_from_outside_and_refusals_are_told(recorded: Recorded) -> None:
    (recorded.folder / "a.py").write_text("by hand\n")
    with pytest.raises(Exception, match="outside the workspace"):
        recorded.do(op("create", "../x", content="x"))
    recorded.do(op("edit", "a.py", content="two hands\n"))

    shown = recorded.run("timeline").out

    assert "outside a.py was changed from outside (+1 -3)" in shown
    assert "create ../x refused: PATH_OUTSIDE_WORKSPACE" in shown


def test_what_is_not_there_is_said(recorded: Recorded, hansard: Hansard, tmp_path: Path) -> None:
    nobody = recorded.run("timeline", "nobody")
    assert (nobody.code, nobody.out) == (1, "")
    assert recorded.run("timeline", "--kind", "nothing").code == 2
    unknown = recorded.run("story", "--project", "another")
    assert (unknown.code, unknown.out) == (1, "")
    assert "There is no project another" in unknown.err
    assert recorded.run("timeline", "--store", str(tmp_path / "none")).code == 1


def test_following_shows_what_others_do_once_it_is_done(recorded: Recorded) -> None:
    process = recorded.run.start("timeline", "--follow", "--json", "--kind", "file_create")
    try:
        assert process.stdout is not None
        before = [json.loads(process.stdout.readline())["path"] for _ in range(2)]
        recorded.do(op("create", "c.py", content="c\n"), op("create", "d.py", content="d\n"))

        done: list[str] = []
        while len(done) < 2:
            item = json.loads(process.stdout.readline())
            done += [item["path"]] if item["status"] == "done" else []
    finally:
        process.kill()
        process.communicate(timeout=WAIT_S)

    assert before == ["a.py", "b.bin"]
    assert done == ["c.py", "d.py"]


def test_an_operation_under_way_is_told_again_when_it_ends() -> None:
    def item(seq: int, status: Status) -> TimelineItem:
        return TimelineItem(seq=seq, at="", kind="file_edit", actor="a", summary="s", status=status)

    told = [item(9, "done"), item(7, "done"), item(6, "open"), item(5, "done"), item(4, "done")]

    found = list(news(lambda _: iter(told), newest=7, under_way={5, 6}))

    assert [one.seq for one in found] == [9, 5]


def test_a_timeline_is_cut_to_the_terminal_and_cannot_act_on_it(recorded: Recorded) -> None:
    words = "\x1b[2J" + "very " * 50
    recorded.do(("audit_event", {"type": "note", "description": words}))

    plain = recorded.run.on_a_terminal("timeline", NO_COLOR="1", COLUMNS="80").out
    wide = recorded.run.on_a_terminal("timeline", NO_COLOR="1", COLUMNS="120").out

    assert "\x1b" not in plain
    assert max(map(len, plain.splitlines())) == 80
    assert max(map(len, wide.splitlines())) == 120
    assert "\\x1b[2J" in recorded.run("timeline").out
    assert "\x1b[33ms:" in recorded.run.on_a_terminal("timeline").out


# story


def test_a_piped_story_is_markdown(recorded: Recorded) -> None:
    shown = recorded.run("story").out

    assert shown.startswith("# A faster parser\n> Make it fast.\n")
    assert "\n## Step 2: Change (in progress)\n" in shown
    assert "- **decision** (agent:stdio): It is the lexer" in shown
    assert "- `a.py`: 2 edits, +2 -1" in shown
    assert json.loads(recorded.run("story", "--json").out)["title"] == "A faster parser"


def test_on_a_terminal_a_story_is_drawn_and_wrapped(recorded: Recorded) -> None:
    recorded.do(("audit_event", {"type": "note", "description": "word " * 40}))

    plain = recorded.run.on_a_terminal("story", NO_COLOR="1", COLUMNS="60").out
    coloured = recorded.run.on_a_terminal("story", COLUMNS="60").out

    assert "A faster parser" in plain.splitlines()[0]
    assert "• a.py: 2 edits, +2 -1" in plain
    assert "• decision (agent:stdio): It is the lexer" in plain
    assert "**" not in plain
    assert "## " not in plain
    assert max(map(len, plain.splitlines())) <= 60
    assert "\x1b[36ma.py\x1b[0m: 2 edits" in coloured


def test_a_story_of_many_pages_is_told_as_one(recorded: Recorded) -> None:
    for chunk in range(3):
        ops = [
            {"action": "create", "path": f"many/{chunk}-{n}", "content": "x\n"} for n in range(100)
        ]
        recorded.do(("file_op", {"ops": ops}))

    shown = recorded.run("story").out

    assert shown.count("- `many/") == 1
    assert "- `many/` (300 files): 300 created, +300 -0" in shown
    assert shown.count("## Step 2: Change") == 1
    assert "continued" not in shown
    assert "more" not in shown


# evolution


def test_piped_every_revision_is_printed_with_its_diff(recorded: Recorded) -> None:
    shown = recorded.run("evolution", "a.py").out

    assert [line for line in shown.splitlines() if line.startswith("a.py revision")] == [
        "a.py revision 1",
        "a.py revision 2",
        "a.py revision 3",
    ]
    assert "-\ttwo\n+\tTWO\n" in shown
    assert "executed edit, +1 -1, step 2" in shown
    lines = items(recorded.run("evolution", "a.py", "--json").out)
    assert [line["revision"] for line in lines] == [1, 2, 3]
    assert "+three" in lines[-1]["diff"]


def test_without_a_path_the_files_are_listed(recorded: Recorded) -> None:
    assert recorded.run("evolution").out.splitlines() == [
        f"a.py: 3 revisions, 15 bytes, last s:{_last(recorded, 'a.py')}",
        f"b.bin: 1 revision, 4 bytes, last s:{_last(recorded, 'b.bin')}",
    ]
    assert "Nothing" in recorded.run("evolution", "--workspace", str(recorded.folder.parent)).out


def _last(recorded: Recorded, path: str) -> int:
    [*_, item] = items(recorded.run("timeline", "--json", "--path", path).out)
    return int(item["seq"])


def test_a_revision_comes_out_byte_for_byte(recorded: Recorded) -> None:
    text = recorded.run("evolution", "a.py", "--revision", "2").out
    binary = run(
        recorded.run.command("evolution", "b.bin", "--revision", "1"),
        env=recorded.run.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )

    assert text == "one\n\tTWO\n"
    assert binary.stdout == b"\x00\x01\x02\xff"


def test_any_two_revisions_can_be_compared(recorded: Recorded) -> None:
    shown = recorded.run("evolution", "a.py", "--from", "1", "--to", "3").out

    assert shown.startswith("--- a.py revision 1\n+++ a.py revision 3\n")
    assert shown.endswith("-\ttwo\n+\tTWO\n+three\n")
    assert recorded.run("evolution", "a.py", "--from", "2", "--to", "2").out == "No difference.\n"


def test_what_was_not_kept_is_said(recorded: Recorded) -> None:
    recorded.do(op("create", "s.env", content="API_KEY=abc123def456ghi\n"), op("delete", "a.py"))

    secret = recorded.run("evolution", "s.env", "--revision", "1")
    deleted = recorded.run("evolution", "a.py", "--revision", "4")

    assert (secret.code, secret.out) == (2, "")
    assert "held a secret" in secret.err
    assert "no file at revision 4" in deleted.err
    assert recorded.run("evolution", "nowhere.py").code == 1
    assert recorded.run("evolution", "a.py", "--revision", "9").code == 2


def test_on_a_terminal_one_steps_through_the_revisions(recorded: Recorded) -> None:
    with terminal(recorded.run, "evolution", "a.py") as typist:
        assert "\x1b[32m+three" in typist.until("q quit")
        typist.type("\x1b[D")
        assert "revision 2 of 3" in typist.until("+   TWO")
        typist.type("\x1b[H")
        typist.until("revision 1 of 3")
        typist.type("\x1b[D\x1b[C")
        typist.until("revision 2 of 3")
        typist.type("\x1b[F")
        typist.until("revision 3 of 3")
        typist.type("q")
        code, shown = typist.end()

    assert code == 0
    assert shown.endswith("\x1b[?25h\x1b[?1049l")


def test_ctrl_c_leaves_the_terminal_as_it_was(recorded: Recorded) -> None:
    with terminal(recorded.run, "evolution", "a.py", NO_COLOR="1") as typist:
        assert "\x1b[3" not in typist.until("q quit")
        typist.interrupt()
        code, shown = typist.end()

    assert code == 0
    assert shown.endswith("\x1b[?1049l")


@pytest.mark.parametrize(
    ("arguments", "environment"), [(["--all"], {"TERM": "xterm"}), ([], {"TERM": "dumb"})]
)
def test_one_need_not_step(
    recorded: Recorded, arguments: list[str], environment: dict[str, str]
) -> None:
    shown = recorded.run.on_a_terminal("evolution", "a.py", *arguments, **environment).out

    assert "a.py revision 1" in shown
    assert "a.py revision 3" in shown
    assert "\x1b[?1049h" not in shown


def stepper(diffs: Sequence[str]) -> RevisionCursor:
    revisions = [
        RevisionShown(
            revision=number, seq=number, at="2026-01-02T03:04:05Z", actor="agent:x",
            action="edit", source="executed", added=0, removed=0,
        )
        for number in range(1, len(diffs) + 1)
    ]  # fmt: skip
    return RevisionCursor("a.py", revisions, lambda number: diffs[number - 1])


def test_a_long_diff_scrolls_but_not_past_its_ends() -> None:
    shown = stepper(["--- a\n+++ b\n" + "".join(f"+{n}\n" for n in range(30))])

    for key in ("up", "page-down", "page-down", "page-down", "page-down", "j"):
        assert shown.press(key, 10)

    assert shown.frame(40, 10)[3:13] == [f"+{n}" for n in range(20, 30)]
    assert "below" not in shown.frame(40, 10)[-1]
    shown.press("k", 10)
    assert "1 more lines below" in shown.frame(80, 10)[-1]


def test_a_frame_fits_the_window_whatever_is_in_it() -> None:
    shown = stepper(["--- a\n+++ b\n+" + "漢" * 100 + "\n+\x1b[2J\ttab\n"])

    frame = shown.frame(20, 5)

    assert len(frame) == 10
    assert frame[3] == "+" + "漢" * 9 + "…"
    assert frame[4] == "+\\x1b[2J   tab"
    assert not shown.press("q", 5)
    assert not shown.press("escape", 5)
