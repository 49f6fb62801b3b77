"""The README says nothing that is not so: its commands, settings, tools and figures are tried."""

import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings, declarations
from hansard.app.start import catalog
from hansard.cli import demo
from hansard.cli.welcome import welcome
from hansard.kernel.event import Actor
from hansard.mcp.tools import Toolbox, budget_tokens
from tests.cli.running import Hansard
from tests.launcher.programs import PROGRAM, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

BLOCKS: list[tuple[str, str]] = re.findall(
    r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL
)

RUNS_ON = {"watch", "open", "log --follow", "demo", "serve"}
"""What goes on until it is ended, or needs a browser: asked only whether it is there."""

STANDS_FOR = {"DIR": "backups"}


def console(program: str) -> list[str]:
    """Give the arguments of every command line that runs a program."""
    lines = [line for kind, text in BLOCKS if kind == "console" for line in text.splitlines()]
    commands = (line.removeprefix("$ ").partition("  #")[0].strip() for line in lines)
    return [line.removeprefix(program).strip() for line in commands if line.startswith(program)]


def snippets(kind: str) -> Iterator[str]:
    return (text for found, text in BLOCKS if found == kind)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of `hansard demo`, which has something for each command to show."""
    folder = tmp_path_factory.mktemp("readme")
    demo.fill(demo.settings_in(folder))
    return folder


@pytest.mark.parametrize("arguments", console("hansard "))
def test_each_command_of_a_person_does_what_it_is_told(
    arguments: str, example: Path, tmp_path: Path
) -> None:
    hansard = Hansard(example)
    words = [STANDS_FOR.get(word, word) for word in shlex.split(arguments)]
    words = [str(tmp_path / word) if word == "backups" else word for word in words]
    if arguments in RUNS_ON:
        words = [words[0], "--help"]

    ran = hansard(*words, HANSARD_WORKSPACE=str(example / "workspace"), HANSARD_PROJECT="lantern")

    assert ran.code == 0, ran.err
    assert ran.out.strip()


@pytest.mark.parametrize("target", console("make "))
def test_each_target_is_one_of_the_makefile(target: str) -> None:
    asked = ["make", "--dry-run", "--no-print-directory", target]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_words_in_the_comments_are_commands_too() -> None:
    hints = re.findall(r"`(?:\.venv/bin/)?hansard ([a-z-]+)", README)

    for name in sorted(set(hints)):
        assert Hansard(Path("nowhere"))(name, "--help").code == 0, name


@pytest.mark.parametrize("text", [*snippets("json"), *snippets("toml")])
def test_the_settings_of_each_client_start_a_server_that_answers(text: str, tmp_path: Path) -> None:
    server = _server_in(text)
    assert Path(server["command"]).parts[-3:] == (".venv", "bin", "hansard")

    answer = _initialize(tmp_path, server.get("args", []))

    assert answer["result"]["serverInfo"]["name"] == "hansard"


def test_the_lines_that_the_program_prints_are_the_readmes() -> None:
    printed = welcome()

    for line in console(""):
        if line.startswith(("claude mcp add", "codex mcp add")):
            assert line.partition(" --")[0] in printed


def test_the_variables_are_settings() -> None:
    known = {declared.variable for declared in declarations()}

    named = set(re.findall(r"HANSARD_[A-Z_]+", README))

    assert named
    assert named <= known


def test_what_an_agent_does_is_done_with_tools_there_are() -> None:
    known = {operation.name for operation in catalog()}
    told = README.partition("## What an agent does with it")[2].partition("All tools:")[0]

    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", told)) - {"expected_sha256"}

    assert len(named) > 10
    assert named <= known


def test_the_cost_of_each_tool_list_is_what_it_says() -> None:
    told = dict(re.findall(r"`(?:--toolsets )?(core|default|all)`[^`]*?about ([\d,]+)", README))

    assert set(told) == {"core", "default", "all"}
    for toolset, figure in told.items():
        listed = Toolbox(catalog(), Settings(toolsets=toolset)).listed(_agent())
        assert int(figure.replace(",", "")) == pytest.approx(budget_tokens(listed), rel=0.03)


def test_its_links_and_pictures_are_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)

    for link in links:
        assert link.startswith("https://") or (ROOT / link).exists(), link


def test_python_is_the_one_that_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in README


def _agent() -> Actor:
    return Actor("agent", "test", "agent")


def _server_in(text: str) -> dict[str, Any]:
    """Read a client's settings, whatever that client calls the place."""
    read = json.loads(text) if text.startswith("{") else tomllib.loads(text)
    [servers] = read.values()
    server: dict[str, Any] = servers["hansard"]
    return server


def _initialize(folder: Path, arguments: list[str]) -> Any:
    """Start the program as a client would, and shake hands."""
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "readme", "version": "1"},
        },
    }
    done = run(
        [PROGRAM, *arguments],
        env=Hansard(folder).environment,
        cwd=folder,
        input=json.dumps(asked) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[0])
