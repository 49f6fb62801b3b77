"""Whoever comes with a token has a default project of their own, unless one is configured."""

import json
from pathlib import Path
from typing import Any

import pytest

from hansard.app.bounded import own_project
from hansard.sessions.contract import CreateProject
from tests.http.serving import Server, make_token, serving

TEXTS = {"type": "task", "title": "Mine", "summary": "s", "body": "b"}
NAMES = ("maria", "Jo Ann")


def call(server: Server, token: str, operation: str, **arguments: Any) -> Any:
    headers = {"content_type": "application/json", "authorization": f"Bearer {token}"}
    body = json.dumps(arguments).encode()
    return server.request("POST", f"/api/v1/{operation}", body, **headers).json()


@pytest.mark.holds("ALL-02.5")
def test_each_user_has_a_default_project_of_their_own(tmp_path: Path) -> None:
    tokens = {name: make_token(tmp_path, "agent", name=name)[0] for name in NAMES}

    with serving(tmp_path) as server:
        for token in tokens.values():
            call(server, token, "create_record", **TEXTS)
        homes = {name: call(server, token, "get_project") for name, token in tokens.items()}
        listed = [call(server, token, "list_records") for token in tokens.values()]

    assert homes["maria"]["id"] == "default-maria"
    assert len({home["id"] for home in homes.values()}) == len(NAMES)
    assert [one["total"] for one in listed] == [1, 1]


@pytest.mark.holds("ALL-02.5")
def test_a_configured_project_is_everyones(tmp_path: Path) -> None:
    tokens = [make_token(tmp_path, "agent", name=name)[0] for name in NAMES]

    with serving(tmp_path, HANSARD_PROJECT="shop") as server:
        homes = {call(server, token, "get_project")["id"] for token in tokens}

    assert homes == {"shop"}


@pytest.mark.holds("ALL-02.5")
def test_no_two_names_share_a_project() -> None:
    names = ["a b", "a-b", "a_b", "é", "漢字", "x" * 100, "x" * 99, "x" * 40, "A", "a"]

    made = [own_project(name) for name in names]

    assert len(set(made)) == len(names)
    assert [CreateProject(id=one, name="n").id for one in made] == made
