"""What is given to `hansard init` goes into entries that are there, and the rest of them stays."""

import json
import shlex

import pytest

from hansard.cli.flags import with_words
from tests.cli.setup.person import PROGRAM, Person


@pytest.mark.parametrize(
    ("words", "given", "merged"),
    [
        (["--read-only", "--role", "agent"], [], ["--read-only", "--role", "agent"]),
        (["--store", "/a", "--read-only"], ["--store=/b"], ["--store=/b", "--read-only"]),
        (["--read-only", "--store=/a"], ["--store=/b"], ["--read-only", "--store=/b"]),
        (["--store=/a", "--store=/c"], ["--store=/b"], ["--store=/b"]),
        (["--read-only"], ["--no-read-only"], ["--no-read-only"]),
        (
            ["--project", "--store", "-x"],
            ["--store=/b"],
            ["--project", "--store", "-x", "--store=/b"],
        ),
        (["--store"], ["--store=/b"], ["--store=/b"]),
    ],
)
def test_a_flag_takes_the_place_of_itself_only(
    words: list[str], given: list[str], merged: list[str]
) -> None:
    assert with_words(words, given) == merged
    assert with_words(merged, given) == merged


@pytest.mark.parametrize("program", [PROGRAM, "/gone/bin/hansard"])
def test_settings_given_here_leave_the_entrys_others(person: Person, program: str) -> None:
    args = ["--read-only", "--store", "/old", "--role", "agent"]
    command = shlex.join([program, "hook", "claude-code", *args])
    hook = {"type": "command", "command": command}
    servers = {"mcpServers": {"hansard": {"command": program, "args": args}}}
    settings = {"hooks": {"SessionEnd": [{"hooks": [hook]}]}}
    person.has({".mcp.json": json.dumps(servers), ".claude/settings.json": json.dumps(settings)})

    person("init", "--yes", "--no-guide", "claude-code", "--store", "/new")

    kept = ["--read-only", "--store=/new", "--role", "agent"]
    assert person.servers(".mcp.json")["hansard"] == {"command": PROGRAM, "args": kept}
    held = json.loads((person.repository / ".claude/settings.json").read_text())["hooks"]
    ran = held["SessionEnd"][0]["hooks"][0]["command"]
    assert shlex.split(ran) == [PROGRAM, "hook", "claude-code", *kept]


def test_what_a_runner_runs_is_left_as_it_is_though_the_runner_is_gone(person: Person) -> None:
    words = ["/gone/uvx", "--from", "hansard[pg]==1.2", "hansard"]
    servers = {"mcpServers": {"hansard": {"command": words[0], "args": words[1:]}}}
    hook = {"type": "command", "command": shlex.join([*words, "hook", "claude-code"])}
    events = ("PostToolUse", "UserPromptSubmit", "SessionEnd")
    settings = {"hooks": {event: [{"hooks": [hook]}] for event in events}}
    person.has({".mcp.json": json.dumps(servers), ".claude/settings.json": json.dumps(settings)})
    before = person.files()

    ran = person("init", "--yes", "--no-guide", "claude-code", "--read-only")

    assert ran.code == 0
    after = person.files()
    after.pop(".hansard.toml")
    assert after == before


@pytest.mark.parametrize("name", ["my shop", 'a"b', "a\nb", "", "-a", "é"])
@pytest.mark.parametrize("scope", ["--user", "--no-guide"])
def test_a_name_that_no_project_can_have_is_refused(person: Person, name: str, scope: str) -> None:
    ran = person("init", "--yes", scope, "cursor", f"--project={name}")

    assert ran.code == 2
    assert person.files() == {}
    assert person.files(person.home) == {}
