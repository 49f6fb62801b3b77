"""The command itself: what it does alone, what it says when it cannot, and how soon."""

import io
import json
import signal
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import typer

from hansard import __version__
from hansard.app.settings import declarations
from hansard.cli import flags, main
from hansard.cli.commands import COMMANDS, typer_app
from hansard.kernel.problem import InvalidInput
from tests.cli.running import WAIT_S, Hansard
from tests.launcher import programs

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


def test_looking_at_the_journal_loads_no_server(filled: Hansard) -> None:
    assert loaded(filled, ["log"]) & {"typer", "mcp", "uvicorn", "anyio", "rich"} == {"typer"}


def test_on_a_terminal_it_says_what_it_is_and_how_to_connect(hansard: Hansard) -> None:
    ran = hansard.on_a_terminal()

    assert ran.code == 0
    for words in ("claude mcp add", "mcpServers", "hansard serve", "hansard --help"):
        assert words in ran.out
    assert not hansard.store.exists()


def test_help_names_every_command_and_every_setting(hansard: Hansard) -> None:
    ran = hansard("--help")

    assert ran.code == 0
    assert all(name in ran.out for name in COMMANDS)
    assert all(one.flag in ran.out and one.variable in ran.out for one in declarations())


def test_help_lists_the_commands_as_they_describe_themselves_and_loads_none(
    hansard: Hansard,
) -> None:
    with redirect_stdout(io.StringIO()) as told:
        typer.main.get_command(typer_app()).main(
            ["--help"], prog_name="hansard", standalone_mode=False
        )

    assert hansard("--help").out == told.getvalue()
    assert loaded(hansard, ["--help"]) & {"typer", "pydantic", "hansard.cli.log"} == {"typer"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_the_settings(hansard: Hansard, command: str) -> None:
    ran = hansard(command, "--help")

    assert (ran.code, ran.err) == (0, "")
    if command != "export-schema":
        assert all(declared.flag in ran.out for declared in declarations())


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
    monkeypatch.delenv(main.DEBUG_VARIABLE, raising=False)

    assert main.run([]) == 1
    assert "a bug: ZeroDivisionError: oops" in capsys.readouterr().err
    monkeypatch.setenv(main.DEBUG_VARIABLE, "1")
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
    assert enough.stderr == ""
