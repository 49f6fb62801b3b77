"""A list of projects shows a caller its own, and does not even count the others."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.http.serving import Server, make_token, mcp_call, serving

PROJECTS = ["alpha", "beta", "gamma", "omega"]
SEEN = {"some": ["alpha", "gamma"], "one": ["omega"]}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def tokens(home: Path) -> dict[str, str]:
    """A token of each set of projects, and one of all there are."""
    made = {
        who: make_token(home, "viewer", name=who, projects=projects)[0]
        for who, projects in {**SEEN, "rest": ["beta"]}.items()
    }
    return made | {"all": make_token(home, "viewer", name="all")[0]}


@pytest.fixture(scope="module")
def server(home: Path, tokens: dict[str, str]) -> Iterator[Server]:
    assert tokens
    with serving(home) as running:
        yield running


def listed(server: Server, way: str, token: str, **arguments: Any) -> dict[str, Any]:
    """List projects as the bearer of a token."""
    bearer = {"authorization": f"Bearer {token}"}
    if way == "mcp":
        answer = mcp_call(server, "list_projects", arguments, **bearer).json()
        content: dict[str, Any] = answer["result"]["structuredContent"]
        return content
    body, kind = json.dumps(arguments).encode(), {"content_type": "application/json"}
    made: dict[str, Any] = server.request(
        "POST", "/api/v1/list_projects", body, **kind | bearer
    ).json()
    return made


@pytest.mark.holds("000-list_projects-4")
@pytest.mark.parametrize("way", ["mcp", "api"])
@pytest.mark.parametrize("who", SEEN)
def test_only_projects_that_the_caller_may_see_are_listed(
    server: Server, tokens: dict[str, str], way: str, who: str
) -> None:
    whole = listed(server, way, tokens[who])
    pages = [listed(server, way, tokens[who], limit=1)]
    while cursor := pages[-1].get("nextCursor"):
        pages.append(listed(server, way, tokens[who], limit=1, cursor=cursor))

    assert [one["id"] for one in whole["projects"]] == SEEN[who]
    assert [one["id"] for page in pages for one in page["projects"]] == SEEN[who]
    assert {page["total"] for page in (whole, *pages)} == {len(SEEN[who])}


@pytest.mark.holds("000-list_projects-4")
@pytest.mark.parametrize("way", ["mcp", "api"])
def test_a_token_of_all_projects_lists_all(
    server: Server, tokens: dict[str, str], way: str
) -> None:
    found = [one["id"] for one in listed(server, way, tokens["all"])["projects"]]

    assert [name for name in found if name in PROJECTS] == PROJECTS
