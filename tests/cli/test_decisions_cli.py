"""`hansard decisions`, as a person uses it."""

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from hansard.app import start
from hansard.app.settings import Settings
from hansard.cli import commands
from tests.cli.running import Hansard, Ran, know_secret
from tests.decisions import known
from tests.decisions.known import SECRET
from tests.decisions.parties import Party, a_party
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S, is_readable

WAIT_S = PATIENCE_S
LIBFAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
PROMPT = re.compile(b"(?:[Ss]ecret|Again): ")
WHY = ("--rationale", "Because it was measured twice.")


class Decider(Hansard):
    """The command, where decisions are known, and a person who types."""

    def command(self, *arguments: str) -> Sequence[str]:
        return [sys.executable, "-m", "tests.decisions.command", *arguments]

    def typing(self, typed: str, *arguments: str, **environment: str) -> Ran:
        """Run it on a terminal of its own, and answer each prompt with the next line."""
        ours, theirs = pty.openpty()
        process: Popen[bytes] = Popen(
            self.command(*arguments),
            env=self.environment | environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        shown = b""
        lines = typed.split("\n")
        deadline = time.monotonic() + WAIT_S
        try:
            while time.monotonic() < deadline:
                if not is_readable(ours, 0.5):
                    continue
                try:
                    read = os.read(ours, 65536)
                except OSError:
                    # Linux says that the other end was closed in this way.
                    break
                shown += read
                asked = len(PROMPT.findall(shown)) + len(lines) - len(typed.split("\n"))
                if lines and asked > 0:
                    os.write(ours, f"{lines.pop(0)}\n".encode())
            return Ran(process.wait(WAIT_S), shown.decode().replace("\r\n", "\n"))
        finally:
            os.close(ours)
            process.kill()
            process.wait(WAIT_S)


@pytest.fixture
def hansard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Decider:
    monkeypatch.setattr(start, "catalog", known.known)
    monkeypatch.setitem(commands.COMMANDS, "decisions", "hansard.cli.contents.decisions")
    return Decider(tmp_path)


def ask(hansard: Hansard, *arguments: str) -> str:
    """Run the command, which must succeed; gives what it printed."""
    ran = hansard("decisions", *arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def record(hansard: Hansard, target: str, title: str, *more: str) -> None:
    ask(hansard, "record", "--target", target, "--title", title, *WHY, *more)


@contextmanager
def an_agent(hansard: Hansard, *, ago: timedelta = timedelta()) -> Iterator[Party]:
    """Have an agent at work on the store, perhaps a while ago."""
    settings = Settings(store=str(hansard.store))
    app = start.start(settings, clock=lambda: datetime.now(UTC) - ago)
    try:
        yield a_party(app, "agent")
    finally:
        app.close()


@pytest.fixture
def filled(hansard: Decider) -> Decider:
    """A store with a merged chain, and a decision about files."""
    record(hansard, "db", "Use SQLite", "--consequence", "One writer")
    ask(hansard, "supersede", "D001", "--title", "Use PostgreSQL", *WHY)
    record(hansard, "cache", "Use memory", "--cite", "s:1")
    ask(hansard, "supersede", "D003", "--title", "Use Redis", *WHY)
    ask(hansard, "supersede", "D002", "D004", "--title", "One database for all", *WHY)
    record(hansard, "path:src/", "Ask first", "--enforcement", "block")
    return hansard


def test_what_is_active_is_listed_newest_first(filled: Decider) -> None:
    lines = ask(filled, "list").splitlines()

    assert [line.split()[:2] for line in lines] == [["D006", "active"], ["D005", "active"]]
    assert "Ask first (path:src/), by " in lines[0]
    assert ask(filled) == ask(filled, "list")
    listed = [orjson.loads(line) for line in ask(filled, "list", "--all", "--json").splitlines()]
    assert [one["id"] for one in listed] == [f"D00{number}" for number in range(6, 0, -1)]


def test_an_empty_project_says_so_and_an_unknown_one_is_refused(filled: Decider) -> None:
    assert "No proposals" in ask(filled, "proposals")
    assert filled("decisions", "list", "--project", "elsewhere").code == 1


def test_a_decision_is_shown_with_its_chain_as_a_picture(filled: Decider) -> None:
    shown = ask(filled, "show", "D001")

    assert "One writer" in shown
    assert "Rests on s:1" in ask(filled, "show", "D003")
    picture = shown[shown.index("●") :].splitlines()
    assert [line.split(" agent:")[0] for line in picture] == [
        "● D005 active db: One database for all",
        "├─○ D004 superseded cache: Use Redis",
        "│ ○ D003 superseded cache: Use memory",
        "○ D002 superseded db: Use PostgreSQL",
        "○ D001 superseded db: Use SQLite",
    ]
    assert picture[-1].endswith(" <")


def test_a_picture_is_whole_however_long_the_chain(hansard: Decider) -> None:
    with an_agent(hansard) as agent:
        newest = agent.record()
        for _ in range(119):
            newest = agent.supersede(newest)

    drawn = [line for line in ask(hansard, "show", "D060").splitlines() if line[:1] in "●○"]

    assert [line.split()[1] for line in drawn] == [f"D{number:03d}" for number in range(120, 0, -1)]


def test_a_decision_is_shown_as_it_was(filled: Decider) -> None:
    entries = filled("log", "--kind", "decision_recorded", "--json").out.splitlines()
    then = f"s:{orjson.loads(entries[0])['seq']}"

    assert "(active)" in ask(filled, "show", "D001", "--as-of", then)
    assert orjson.loads(ask(filled, "show", "D001", "--json"))["head"]["id"] == "D005"


def test_decisions_are_found_by_their_words(filled: Decider) -> None:
    found = ask(filled, "search", "sqlite")

    assert "[D005] (active) db: One database for all" in found
    assert "via D001" in found
    assert "[D001] (superseded)" in ask(filled, "search", "--mode", "audit", "sqlite")
    assert orjson.loads(ask(filled, "search", "sqlite", "--json"))["index"]


def test_what_is_refused_is_said_in_a_sentence(filled: Decider) -> None:
    again = filled("decisions", "record", "--target", "db", "--title", "Again", *WHY)
    short = filled("decisions", "record", "--target", "x", "--title", "x", "--rationale", "x")

    assert (again.code, short.code) == (1, 2)
    assert "D005" in again.err
    assert "rationale" in short.err


def test_the_person_at_the_terminal_is_the_human_author(filled: Decider) -> None:
    arguments = ("--target", "ui", "--title", "Use HTML", *WHY)

    assert filled.on_a_terminal("decisions", "record", *arguments).code == 0

    shown = orjson.loads(ask(filled, "show", "D007", "--json"))
    assert shown["decision"]["author"].startswith("human:")
    refused = filled("decisions", "supersede", "D007", "--title", "Use Flash", *WHY)
    assert refused.code == 1
    assert "person" in refused.err


def test_proposals_are_listed_and_rejected_with_a_reason(filled: Decider) -> None:
    with an_agent(filled) as agent:
        agent.propose("queue", "Use a file")

    shown = ask(filled, "proposals")
    assert shown.split()[:2] == ["P001", "proposed"]
    assert "Use a file (queue), by " in shown
    refused = filled("decisions", "reject", "P001")
    rejected = filled.on_a_terminal("decisions", "reject", "P001", "--reason", "Not now")
    assert (refused.code, rejected.code) == (1, 0)

    assert "No proposals" in ask(filled, "proposals")
    assert ask(filled, "proposals", "--all").split()[:2] == ["P001", "rejected"]
    assert "Not now" in ask(filled, "show", "P001")


@pytest.mark.holds("ALL-10.11")
def test_a_person_accepts_a_proposal_by_typing_the_secret(hansard: Decider) -> None:
    with an_agent(hansard, ago=timedelta(hours=2)) as agent:
        agent.propose("queue")
    accept = ("decisions", "accept", "P001")

    unset = hansard.typing(SECRET, *accept)
    wrong = hansard.typing(SECRET[:-1], *accept, HANSARD_SECRET=SECRET)
    piped = hansard(*accept, HANSARD_SECRET=SECRET)
    right = hansard.typing(SECRET, *accept, HANSARD_SECRET=SECRET)

    assert [ran.code for ran in (wrong, unset, piped, right)] == [1, 1, 1, 0]
    assert "disabled" in unset.out
    assert "Only a person" in piped.err
    assert "[D001] (active) accepted from P001" in right.out
    assert SECRET not in wrong.out + right.out


@pytest.mark.slow("starts seven interpreters on terminals of their own")
@pytest.mark.holds("ALL-10.16", "ALL-10.11", "ALL-10.19")
def test_an_agent_that_runs_the_command_on_a_terminal_of_its_own_is_no_person(
    hansard: Decider, tmp_path: Path
) -> None:
    with an_agent(hansard) as agent:
        agent.propose("queue")
    know_secret(hansard.store, SECRET)
    made = ("decisions", "record", "--target", "db", "--title", "Use SQLite", *WHY)
    assert hansard.typing(SECRET, *made).code == 0
    other = "a secret of the agent's own"
    supersede = ("decisions", "supersede", "D001", "--title", "Use mine", *WHY)

    attacks = [
        hansard.typing("", *supersede),
        hansard.typing(other, *supersede, HANSARD_SECRET=other),
        hansard.typing("", "decisions", "reject", "P001", HANSARD_SECRET=SECRET),
        hansard.typing("", "token", "create", "--role", "admin", "--human"),
        hansard.typing("", "redact", "s:2", "--field", "title", "--reason", "why", "--yes"),
        hansard.typing(f"\n{other}\n{other}", "secret", "set"),
    ]

    assert [ran.code for ran in attacks] == [1] * len(attacks), [ran.out for ran in attacks]
    shown = orjson.loads(ask(hansard, "show", "D001", "--json"))["decision"]
    assert shown["author"].startswith("human:")
    assert (shown["status"], shown["proof"]) == ("active", "proved")


@pytest.mark.slow("starts interpreters on terminals of their own")
@pytest.mark.holds("ALL-10.20")
def test_the_secret_is_set_changed_and_recovered_by_typing(hansard: Decider) -> None:
    other = "another secret, long enough"
    again = f"{other}\n{other}"

    short = hansard.typing("short", "secret", "set")
    first = hansard.typing(f"{SECRET}\n{SECRET}", "secret", "set")
    unknown = hansard.typing("", "secret", "set")
    changed = hansard.typing(f"{SECRET}\n{again}", "secret", "set", "--wait", "1")
    begun = hansard.typing(f"{SECRET}\n{SECRET}", "secret", "recover")
    early = hansard.typing(SECRET, "secret", "recover")
    told = hansard("secret").out
    thief = hansard.typing(SECRET, "secret", "cancel")
    kept = hansard.typing(other, "secret", "cancel")
    shown = orjson.loads(hansard("secret", "--json").out)

    ran = (short, first, unknown, changed, begun, early, thief, kept)
    assert [one.code for one in ran] == [2, 0, 1, 0, 0, 1, 1, 0], [one.out for one in ran]
    assert "(unproved) began" in told
    assert (shown["secret"]["proof"], shown["secret"]["wait_s"]) == ("proved", 3600)
    assert shown["recovery"] is None


@pytest.mark.holds("ALL-10.16")
def test_a_key_file_that_only_its_owner_reads_proves_a_person(
    hansard: Decider, tmp_path: Path
) -> None:
    know_secret(hansard.store, SECRET)
    key = tmp_path / "person.key"
    key.write_text(SECRET)
    key.chmod(0o644)
    made = ("decisions", "record", "--target", "db", "--title", "Use SQLite", *WHY)
    given = {"HANSARD_PERSON_KEY": str(key)}

    open_to_all = hansard.on_a_terminal(*made, **given)
    key.chmod(0o600)
    proved = hansard.on_a_terminal(*made, **given)

    assert (open_to_all.code, proved.code) == (2, 0), proved.out
    shown = orjson.loads(ask(hansard, "show", "D001", "--json"))["decision"]
    assert shown["proof"] == "proved"


@pytest.mark.fault("clock set")
@pytest.mark.slow("starts interpreters under other clocks")
@pytest.mark.holds("DEC-proposal-7")
@pytest.mark.skipif(not LIBFAKETIME.exists(), reason="libfaketime is not installed")
def test_no_setting_of_the_machines_clock_opens_the_window_early(hansard: Decider) -> None:
    with an_agent(hansard) as agent:
        agent.propose("queue")

    def accept(shift: str) -> Ran:
        clock = {"LD_PRELOAD": str(LIBFAKETIME), "FAKETIME": shift, "DONT_FAKE_MONOTONIC": "1"}
        return hansard.typing(SECRET, "decisions", "accept", "P001", HANSARD_SECRET=SECRET, **clock)

    back = accept("-2h")
    with an_agent(hansard, ago=-timedelta(hours=3)) as agent:
        agent.record("db")  # the clock jumped ahead for a while
    now, later = accept("+0s"), accept("+61m")

    assert [ran.code for ran in (back, now, later)] == [1, 1, 0]
    for early in (back, now):
        assert "after its last edit" in early.out


def test_text_that_could_act_on_a_terminal_is_shown_as_text(hansard: Decider) -> None:
    hostile = ["--title", "Clear\x1b[2J\u202e", "--consequence", "\x1b]0;x\x07"]
    made = hansard("decisions", "record", "--target", "db\x1b[2J", *WHY, *hostile)

    assert made.code == 0
    assert "4 control, 1 bidi" in made.err
    for arguments in (("list",), ("show", "D001"), ("search", "clear")):
        ran = hansard("decisions", *arguments)
        assert ran.code == 0
        assert "\x1b" not in ran.out + ran.err
        assert "\\x1b" in ran.out


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_the_repository_is_there_to_be_pushed(filled: Decider) -> None:
    shown = ask(filled, "git")
    told = orjson.loads(ask(filled, "git", "--json"))

    assert told["exists"]
    assert told["path"] in shown
    assert "push URL main" in shown
    [look] = [line for line in shown.splitlines() if line.startswith("Look:")]
    log = subprocess.check_output(shlex.split(look.removeprefix("Look:")), encoding="utf-8")
    assert "One database for all" in log
    assert filled("decisions", "git", "--project", "elsewhere").code == 1


def test_no_command_leaves_a_session_open(filled: Decider) -> None:
    filled("decisions", "show", "D001")

    started = filled("log", "--kind", "session_started").out.splitlines()
    closed = filled("log", "--kind", "session_closed").out.splitlines()
    assert len(started) == len(closed) > 0
