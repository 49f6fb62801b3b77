"""Projects over HTTP: a token hears of its own only, and a look at the page makes none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.start import catalog
from tests.app.repositories import repository
from tests.http.serving import Server, let_in, make_token, serving

SECRET = "xqz-acmes-own-zqx"
RECORD = {"type": "note", "title": SECRET, "summary": SECRET, "body": SECRET}
GUESSED: dict[str, Any] = {
    "id": "R001",
    "record_id": "R001",
    "sessionId": "main",
    "checkpointId": "C001",
    "decision_id": "D001",
    "query": "acmes own",
    "path": "a.py",
    "type": "textDocument",
    "name": "ms",
    "from": "C001",
    "proposal_id": "P001",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def tokens(home: Path) -> dict[str, str]:
    return {
        name: make_token(home, "agent", name=name, projects=[name])[0]
        for name in ("acme", "globex")
    }


@pytest.fixture(scope="module")
def server(home: Path, tokens: dict[str, str]) -> Iterator[Server]:
    assert tokens
    workspace = repository(home / "app")
    with serving(home, "--workspace", str(workspace)) as running:
        yield running


def call(server: Server, token: str, operation: str, **arguments: Any) -> str:
    headers = {"content_type": "application/json", "authorization": f"Bearer {token}"}
    body = json.dumps(arguments).encode()
    return server.request("POST", f"/api/v1/{operation}", body, **headers).body.decode()


@pytest.mark.holds("ALL-02.8", "ALL-02.14")
def test_no_route_tells_a_token_anything_of_another_project(
    server: Server, tokens: dict[str, str]
) -> None:
    assert SECRET in call(server, tokens["acme"], "create_record", **RECORD)
    saved = {"sessionId": "main", "context": {"secret": SECRET}}
    assert SECRET not in call(server, tokens["acme"], "workflow_checkpoint_save", **saved)

    for operation in catalog():
        fields = operation.request.model_fields
        aliases = {one.alias for one in fields.values()} | set(fields)
        given = {name: value for name, value in GUESSED.items() if name in aliases}
        for more in ({}, {"project_id": "acme"}, {"project_id": "acm"}):
            told = call(server, tokens["globex"], operation.name, **given, **more)
            assert SECRET not in told, operation.name
            assert '"acme"' not in told.replace('"project_id":"acme"', ""), operation.name


@pytest.mark.holds("ALL-02.18")
def test_looking_at_the_page_of_a_project_yet_to_be_made_makes_none(server: Server) -> None:
    browser = let_in(server)

    index = server.request("GET", "/api/v1", cookie=browser.cookie).json()
    asked = browser.call("list_records", project_id=index["project"])
    listed = browser.call("list_projects")

    assert index["project"] == "app"
    assert asked["total"] == 0
    assert "app" not in [one["id"] for one in listed["projects"]]
