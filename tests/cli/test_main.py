"""The command itself: what it does alone, what it says when it cannot, and how soon."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hansard import __version__
from hansard.app.settings import declarations
from hansard.cli import flags, main, program
from hansard.cli.commands import COMMANDS
from hansard.cli.help_command import GROUPS, names_in, overview
from hansard.kernel.problem import InvalidInput
from tests.cli.running import WAIT_S, Hansard
from tests.launcher import programs

SCREEN_LINES = 40

DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def ask(hansard: Hansard, *arguments: str) -> dict[str, object]:
    done = programs.run(
        hansard.command(*arguments),
        env=hansard.environment,
        input=json.dumps(DISCOVER) + "\n",
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    answer: dict[str, object] = json.loads(line)
    return answer


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], marks=pytest.mark.cold("as a client starts it")),
        ["--toolsets", "all"],
        ["--toolsets=all", "--read-only"],
    ],
)
def test_without_a_command_it_serves_mcp_on_stdio(hansard: Hansard, arguments: list[str]) -> None:
    assert ask(hansard, *arguments)["id"] == 1


def loaded(hansard: Hansard, arguments: list[str]) -> set[str]:
    """Run a command line and give the modules that it took."""
    script = (
        "import json, sys; from hansard.cli.main import run; code = run(sys.argv[1:]); "
        "print(json.dumps([*sys.modules]), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=hansard.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {*json.loads(done.stderr.splitlines()[-1])}


def test_the_stdio_server_loads_no_command_line_framework(hansard: Hansard) -> None:
    assert loaded(hansard, []) & {"hansard.mcp.stdio", "typer", "rich", "argparse"} == {
        "hansard.mcp.stdio"
    }


NOT_TO_LIST = {
    *("mcp", "uvicorn", "anyio", "asyncio", "rich", "pygments", "numpy", "cryptography", "psycopg"),
    *("hansard.entities.events", "hansard.checkpoints.commands", "hansard.kernel.words"),
}
"""What no command needs that lists something: servers, what draws, what finds words."""


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("records", {"records"}),
        ("decisions", {"decisions"}),
        ("sessions", {"recorder", "sessions"}),
        ("projects", set[str]()),
        ("log", set[str]()),
    ],
)
def test_a_listing_loads_what_it_lists_and_nothing_else(
    filled: Hansard, command: str, needed: set[str]
) -> None:
    modules = loaded(filled, [command])

    assert "typer" in modules
    assert sorted(modules & NOT_TO_LIST) == []
    assert {name.split(".")[1] for name in modules if name.endswith(".capability")} <= needed


def test_on_a_terminal_it_says_what_it_is_and_how_to_connect(hansard: Hansard) -> None:
    ran = hansard.on_a_terminal()

    assert ran.code == 0
    for words in ("claude mcp add", "mcpServers", "hansard serve", "hansard --help"):
        assert words in ran.out
    assert not hansard.store.exists()


def test_help_names_every_command_on_one_screen(hansard: Hansard) -> None:
    ran = hansard("--help")
    lines = list(overview(COMMANDS, lambda text, _: text, 80))

    assert (ran.code, ran.err) == (0, "")
    assert len(lines) <= SCREEN_LINES
    assert max(map(len, lines)) <= 80
    named = [name for rows in GROUPS.values() for label in rows for name in names_in(label)]
    assert {*COMMANDS} <= {*named}
    assert all(re.search(rf"\b{name}\b", ran.out) for name in COMMANDS)
    assert hansard("help").out == hansard("-h").out == hansard("--help").out


def test_help_is_shown_without_loading_any_command(hansard: Hansard) -> None:
    heavy = {"typer", "pydantic", "apsw", "mcp", "rich"}

    assert not loaded(hansard, ["--help"]) & heavy


def test_help_tells_of_every_setting_by_itself(hansard: Hansard) -> None:
    ran = hansard("help", "settings")

    assert ran.code == 0
    assert all(one.flag in ran.out and one.variable in ran.out for one in declarations())


def test_help_of_a_command_is_also_asked_by_its_name(hansard: Hansard) -> None:
    asked, flagged = hansard("help", "records", "show"), hansard("records", "show", "--help")

    assert (asked.code, asked.out) == (0, flagged.out)
    assert hansard("help", "nonsense").code == 2
    assert "claude mcp add" in hansard("help", "start").out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_its_own_options_first(hansard: Hansard, command: str) -> None:
    ran = hansard(command, "--help")

    assert (ran.code, ran.err) == (0, "")
    assert "hansard help settings" in ran.out
    if command in ("export-schema", "completion", "serve"):
        return
    assert "--store" in ran.out
    assert "--checkpoint-max-mib" not in ran.out
    assert ran.out.find("\n  --json") < ran.out.index("\n  --store")


def test_a_setting_that_help_does_not_name_is_still_taken(filled: Hansard) -> None:
    assert filled("log", "--checkpoint-max-mib", "5").code == 0


GROUPED = ["checkpoints", "decisions", "entities", "metrics", "projects", "records", "sessions"]


@pytest.mark.parametrize("group", GROUPED)
def test_a_group_alone_lists(filled: Hansard, group: str) -> None:
    before = filled("anchor").out

    plain, for_programs = filled(group), filled(group, "--json")

    assert filled("anchor").out == before, "looking wrote something"
    assert (plain.code, plain.err) == (0, "")
    assert (for_programs.code, for_programs.err) == (0, "")
    for line in for_programs.out.splitlines():
        json.loads(line)


@pytest.mark.parametrize("group", GROUPED)
def test_settings_before_a_group_count_for_its_commands(
    filled: Hansard, tmp_path: Path, group: str
) -> None:
    elsewhere = str(tmp_path / "elsewhere")
    command = {"records": "history", "sessions": "show"}.get(group, "list")
    about = ["R001"] if group == "records" else ["@latest"] if group == "sessions" else []
    about += ["chatThread"] if group == "entities" else []

    before = filled("--store", elsewhere, group, command, *about)
    between = filled(group, "--store", elsewhere, command, *about)

    assert (before.code, between.code) == (1, 1)
    assert "no store" in before.err
    assert "no store" in between.err


def test_the_version_is_said(hansard: Hansard) -> None:
    assert hansard("--version").out == f"hansard {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["vrify"], "hansard verify"),
        (["--bogus"], "--bogus"),
        (["--store"], "--store"),
        (["log", "--bogus"], "--bogus"),
        (["log", "--limit", "many"], "--limit"),
        (["log", "--limit", "0"], "--limit"),
        (["--port", "many", "doctor"], "--port"),
        (["--read-only=yes"], "--read-only"),
    ],
)
def test_a_wrong_command_line_is_a_sentence_and_exit_code_2(
    hansard: Hansard, arguments: list[str], words: str
) -> None:
    ran = hansard(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_a_wrong_setting_is_a_sentence_and_exit_code_2(hansard: Hansard) -> None:
    ran = hansard("doctor", HANSARD_PORT="many")

    assert ran.code == 2
    assert "HANSARD_PORT" in ran.err


@pytest.mark.parametrize("command", ["log", "verify", "rebuild", "anchor"])
def test_looking_at_a_store_that_is_not_there_does_not_make_one(
    hansard: Hansard, command: str
) -> None:
    ran = hansard(command)

    assert ran.code == (3 if command == "verify" else 1)
    assert "no store" in ran.err
    assert not hansard.store.exists()


def test_a_bug_is_a_sentence_and_with_debug_a_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> flags.Line:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(flags, "read", fail)
    monkeypatch.delenv(program.DEBUG_VARIABLE, raising=False)

    assert main.run([]) == 1
    assert "a bug: ZeroDivisionError: oops" in capsys.readouterr().err
    monkeypatch.setenv(program.DEBUG_VARIABLE, "1")
    with pytest.raises(ZeroDivisionError):
        main.run([])


@pytest.mark.cold("how a process ends")
def test_a_reader_that_leaves_early_is_no_error(filled: Hansard) -> None:
    process = filled.start("log", "--limit", "3")
    assert process.stdout is not None
    assert process.stderr is not None

    process.stdout.close()
    process.wait(WAIT_S)

    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.fault("signals and ends")
@pytest.mark.cold("a signal")
def test_ctrl_c_ends_a_command_quietly(filled: Hansard) -> None:
    with filled.start("log", "--follow") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)

        assert process.wait(WAIT_S) in {0, 130}
        assert process.stderr.read() == ""


# The settings' flags before a command.


def test_leading_settings_are_read_up_to_the_command() -> None:
    line = flags.read(["--store", "a b", "--read-only", "--port=1", "log", "--store", "x"])

    assert line.flags == {"store": "a b", "read_only": True, "port": "1"}
    assert line.leading == ["--store", "a b", "--read-only", "--port=1"]
    assert line.rest == ["log", "--store", "x"]


def test_a_switch_can_be_turned_off() -> None:
    assert flags.read(["--no-read-only"]).flags == {"read_only": False}
    assert flags.read(["--no-store"]).rest == ["--no-store"]


def test_a_flag_without_its_value_is_refused() -> None:
    with pytest.raises(InvalidInput, match="--store"):
        flags.read(["--store"])


def test_a_setting_may_stand_before_the_command(filled: Hansard, tmp_path: Path) -> None:
    elsewhere = str(tmp_path / "elsewhere")

    assert filled("anchor").code == 0
    assert filled("--store", elsewhere, "anchor").code == 1
    assert filled("anchor", "--store", elsewhere).code == 1


def test_a_server_without_a_secret_says_at_its_start_that_nothing_can_be_accepted(
    hansard: Hansard,
) -> None:
    without, short, enough = (
        programs.run(
            [sys.executable, "-m", "hansard.cli.main"],
            env=hansard.environment | {"HANSARD_SECRET": secret},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
        for secret in ("", "short", "long enough for this")
    )

    assert [ran.returncode for ran in (without, short, enough)] == [0, 2, 0]
    assert "No proposal can be accepted" in without.stderr
    assert "at least 16" in short.stderr
    assert "hansard secret set" in enough.stderr
