"""`hansard token`, as a person and as an agent run it."""

import subprocess
from pathlib import Path

import orjson
import pytest

from hansard.app import tokens
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.clock import to_text, utc_now
from tests.cli.running import Hansard
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S


def made(hansard: Hansard, *arguments: str) -> dict[str, str]:
    """Make a token at a terminal; gives what was shown."""
    ran = hansard.on_a_terminal("token", "create", "--json", *arguments)
    assert ran.code == 0, ran.out
    shown: dict[str, str] = orjson.loads(ran.out)
    return shown


def found(hansard: Hansard, text: str) -> tokens.Token | None:
    app = start(Settings(store=str(hansard.store)))
    try:
        return tokens.find(app.store, text, to_text(utc_now()))
    finally:
        app.close()


def test_a_person_makes_a_token_lists_it_and_takes_it_back(filled: Hansard) -> None:
    ran = filled.on_a_terminal(
        "token", "create", "--role", "agent", "--name", "ci", "--project", "default",
        "--expires", "30",
    )  # fmt: skip
    text = ran.out.splitlines()[0]
    token = found(filled, text)
    assert token, ran.out
    assert (token.actor.kind, token.actor.id, token.actor.role) == ("agent", "ci", "agent")
    assert token.projects == ("default",)
    assert token.expires

    listed = filled.on_a_terminal("token", "list").out
    assert f"{token.id} ci: agent, agent, default, until {token.expires[:10]}" in listed
    assert text not in listed
    assert text.rpartition("_")[2] not in listed

    revoked = filled.on_a_terminal("token", "revoke", token.id)
    assert revoked.code == 0
    assert found(filled, text) is None
    assert "revoked" in filled.on_a_terminal("token", "list").out


@pytest.mark.parametrize(
    "arguments", [("create", "--role", "viewer"), ("list",), ("revoke", "00000000")]
)
def test_an_agents_shell_makes_lists_and_revokes_nothing(
    filled: Hansard, arguments: tuple[str, ...]
) -> None:
    ran = filled("token", *arguments)

    assert ran.code == 1
    assert "Only a person" in ran.err
    assert "hns_" not in ran.out


def test_an_admins_token_stands_in_for_the_terminal(filled: Hansard) -> None:
    admin = made(filled, "--role", "admin")
    agent = made(filled, "--role", "agent")
    bound = made(filled, "--role", "admin", "--project", "default")

    ran = filled("token", "list", "--json", HANSARD_TOKEN=admin["token"])

    listed = [orjson.loads(line)["id"] for line in ran.out.splitlines()]
    assert listed == [admin["id"], agent["id"], bound["id"]]
    for other in (agent, bound, {"token": "hns_00000000_x"}):
        assert filled("token", "list", HANSARD_TOKEN=other["token"]).code == 1


def test_a_token_for_a_person_is_a_humans(filled: Hansard) -> None:
    shown = made(filled, "--role", "viewer", "--human")

    assert shown["kind"] == "human"
    assert shown["name"] == f"token-{shown['id']}"


def test_the_first_token_makes_the_store(hansard: Hansard) -> None:
    assert found(hansard, made(hansard, "--role", "agent")["token"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--role", "king"),
        ("create",),
        ("create", "--role", "agent", "--expires", "0"),
        ("create", "--role", "agent", "--expires", "99999"),
    ],
)
def test_what_makes_no_token_is_said(filled: Hansard, arguments: tuple[str, ...]) -> None:
    assert filled("token", *arguments).code == 2


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_token_that_could_not_be_shown_does_not_exist(
    filled: Hansard, flags: tuple[str, ...]
) -> None:
    admin = made(filled, "--role", "admin")["token"]
    command = ("token", "create", "--role", "agent", "--name", "ci", *flags)

    with Path("/dev/full").open("wb") as full:
        process = Popen(
            filled.command(*command),
            env=filled.environment | {"HANSARD_TOKEN": admin},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        _, said = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 1
    assert "No space left on device" in said
    assert "bug" not in said
    listed = filled("token", "list", "--json", HANSARD_TOKEN=admin).out
    assert [orjson.loads(line)["role"] for line in listed.splitlines()] == ["admin"]
    assert filled(*command, HANSARD_TOKEN=admin).code == 0
