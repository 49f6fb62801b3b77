"""`hansard log`."""

import json

import pytest

from tests.cli.running import WAIT_S, Hansard, write_sessions


def test_an_entry_is_a_line(filled: Hansard) -> None:
    ran = filled("log")

    assert ran.code == 0
    assert ran.out.splitlines()[0] == (
        "s:1 t:0 2026-01-02 03:04 agent/stdio sessions.session_started  Session default.1 started"
    )
    assert len(ran.out.splitlines()) == 3


def test_as_json_an_entry_is_everything(filled: Hansard) -> None:
    entries = [json.loads(line) for line in filled("log", "--json").out.splitlines()]

    assert [entry["seq"] for entry in entries] == [1, 2, 3]
    first = entries[0]
    assert first["payload"]["id"] == "default.1"
    assert first["actor"] == {"kind": "agent", "id": "stdio", "role": "agent"}
    assert {"project", "tick", "at", "clock", "kind", "session", "hash", "payload_digest"} <= {
        *first
    }


@pytest.mark.parametrize(
    ("arguments", "seqs"),
    [
        (["--limit", "2"], [2, 3]),
        (["--since", "s:1"], [2, 3]),
        (["--since", "s:1", "--limit", "1"], [3]),
        (["--since", "2026-01-02T03:04:05Z"], [1, 2, 3]),
        (["--since", "2026-01-02T03:04:06Z"], []),
        (["--session", "default.2"], [2]),
        (["--kind", "session_started"], [1, 2, 3]),
        (["--kind", "sessions"], [1, 2, 3]),
        (["--kind", "kernel.replied"], []),
        (["--project", "default"], [1, 2, 3]),
        (["--project", "@catalog"], [1]),
    ],
)
def test_one_can_ask_for_less(filled: Hansard, arguments: list[str], seqs: list[int]) -> None:
    ran = filled("log", "--json", *arguments)

    assert [json.loads(line)["seq"] for line in ran.out.splitlines()] == seqs
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--kind", "nothing"], 2),
        (["--since", "s:99"], 2),
        (["--since", "yesterday"], 2),
        (["--project", "nowhere"], 1),
    ],
)
def test_what_is_not_there_is_said(filled: Hansard, arguments: list[str], code: int) -> None:
    ran = filled("log", *arguments)

    assert (ran.code, ran.out) == (code, "")
    assert ran.err


def test_more_than_a_page_is_shown_in_order(hansard: Hansard) -> None:
    write_sessions(hansard, [f"default.{number}" for number in range(1_100)])

    lines = hansard("log", "--json", "--since", "s:0").out.splitlines()

    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 1_101))
    assert len(hansard("log").out.splitlines()) == 50


def test_following_shows_what_others_write(filled: Hansard) -> None:
    process = filled.start("log", "--json", "--follow", "--limit", "1")
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["seq"] == 3
        write_sessions(filled, ["default.4", "default.5"])

        seqs = [json.loads(process.stdout.readline())["seq"] for _ in range(2)]
    finally:
        process.kill()
        process.communicate(timeout=WAIT_S)

    assert seqs == [4, 5]


def test_stored_text_cannot_act_on_the_terminal(hansard: Hansard) -> None:
    write_sessions(hansard, ["default.\x1b[2J\n\u202egnp"])

    ran = hansard("log")

    assert len(ran.out.splitlines()) == 1
    assert ran.out.strip().isprintable()
    assert "\\x1b[2J\\n\\u202egnp" in ran.out


def test_any_script_can_be_shown_in_any_locale(hansard: Hansard) -> None:
    write_sessions(hansard, ["default.漢字é"])

    process = hansard.start("log", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=WAIT_S)

    assert (process.returncode, err) == (0, "")
    assert "default.漢字é" in out


def test_colours_are_for_terminals(filled: Hansard) -> None:
    assert "\x1b[" not in filled("log").out
    assert "\x1b[" in filled.on_a_terminal("log").out
    assert "\x1b[" not in filled.on_a_terminal("log", NO_COLOR="1").out
