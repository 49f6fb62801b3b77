"""`hansard top`: a lane for each session that has not ended."""

import json
import os
import pty
import time

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.recorded.lanes import SessionLane, frame
from hansard.recorder.story.plans import PlannedStep
from tests.cli.running import WAIT_S, Hansard
from tests.conftest import a_caller
from tests.launcher.programs import Popen
from tests.patience import is_readable

NOW, AGO = "2026-01-02T03:04:05.000000Z", "2026-01-02T03:03:05.000000Z"


def plain(text: str, _: str) -> str:
    return text


def a_lane(session: str = "p.1", title: str | None = "Fix the parser") -> SessionLane:
    steps = (PlannedStep("Find the loop", "done"), PlannedStep("Break it", "begun"))
    deed = "edit src/a.py (+1 -1)"
    return SessionLane(session, title, "agent:builder", "active", AGO, ["R004"], steps, deed)


def test_a_lane_says_who_is_at_what() -> None:
    shown = frame([a_lane()], 2, plain, now=NOW, columns=80, rows=24)

    assert shown == [
        "1 here, 0 away, 2 waiting for you: hansard decisions proposals",
        "",
        "● builder: Fix the parser  (active, 1 min ago)  R004",
        "    ▰▱ 1 of 2  step 2: Break it",
        "    edit src/a.py (+1 -1)",
        "",
    ]


def test_lanes_fit_the_window_and_the_others_are_counted() -> None:
    lanes = [a_lane(f"p.{number}", "漢字" * 40) for number in range(10)]

    shown = frame(lanes, 0, plain, now=NOW, columns=40, rows=12)

    assert len(shown) <= 12
    assert shown[-1] == "and 8 more"
    assert all(len(line) <= 40 for line in shown)


def working(hansard: Hansard) -> None:
    app = start(Settings(store=str(hansard.store)))
    try:
        caller = a_caller()
        app.call("record_session_start", {"title": "Fix the parser"}, caller)
        app.call("record_plan", {"steps": ["Find the loop", "Break it"]}, caller)
    finally:
        app.close()


def test_it_is_shown_once_in_a_pipe(hansard: Hansard) -> None:
    working(hansard)

    ran, for_programs = hansard("top"), hansard("top", "--json")

    assert (ran.code, for_programs.code) == (0, 0)
    assert "Fix the parser" in ran.out
    [lane] = map(json.loads, for_programs.out.splitlines())
    assert [step["text"] for step in lane["steps"]] == ["Find the loop", "Break it"]


def test_on_a_terminal_it_changes_until_q(hansard: Hansard) -> None:
    working(hansard)
    ours, theirs = pty.openpty()
    process: Popen[bytes] = Popen(
        hansard.command("top"),
        env=hansard.environment | {"TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        read_until(ours, "Fix the parser")
        app = start(Settings(store=str(hansard.store)))
        app.call("record_session_start", {"title": "Another one"}, a_caller())
        app.close()
        read_until(ours, "Another one")
        os.write(ours, b"q")

        assert process.wait(WAIT_S) == 0
    finally:
        os.close(ours)
        process.kill()
        process.wait(WAIT_S)


def read_until(terminal: int, words: str) -> None:
    shown, deadline = "", time.monotonic() + WAIT_S
    while words not in shown:
        assert time.monotonic() < deadline, shown
        if is_readable(terminal, 0.5):
            shown += os.read(terminal, 65536).decode(errors="replace")
