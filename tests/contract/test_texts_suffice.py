"""A host that shows a model only the text of answers loses nothing that it needs to go on."""

from collections.abc import Iterator
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.operation import Result
from tests.contract.everything_asked import SECRET, TEXTS, ask_everything
from tests.http.serving import Server, mcp_call, serving

CURSORS = ("nextCursor", "cursor")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[str, Result]]]:
    folder = tmp_path_factory.mktemp("workspace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANSARD_SECRET", SECRET)
        settings = Settings(
            store="memory:", workspace=str(folder), embedder="none", review_window_s=0
        )
        application = start(settings)
        yield ask_everything(application, folder)
        application.close()


def test_every_operation_was_asked(answers: list[tuple[str, Result]]) -> None:
    asked = {name for name, _ in answers}
    application = start(Settings(store="memory:", embedder="none"))

    assert [one.name for one in application.catalog if one.name not in asked] == []
    application.close()


def told(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Give every text of an answer, with the name it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from told(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from told(inner, key)
    elif isinstance(value, str):
        yield key, value


@pytest.mark.holds("ALL-08.2")
def test_a_page_says_how_to_get_the_next(answers: list[tuple[str, Result]]) -> None:
    paged = [
        (answer.text(), value)
        for _, answer in answers
        for key, value in told(answer.model_dump(mode="json", exclude_none=True))
        if key in CURSORS
    ]

    assert len(paged) >= 8
    assert all(f"cursor={cursor}" in text for text, cursor in paged)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.mark.holds("ALL-08.2")
@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        ("create_record", TEXTS, "session_id"),
        ("audit_event", {"type": "note", "description": "Noted"}, "session_id"),
        ("workflow_mark_critical", {"contextKey": "n"}, "sessionId"),
        (
            "entity_create",
            {"type": "textDocument", "data": {"title": "t", "content": "c"}},
            "session_id",
        ),
    ],
)
def test_whoever_has_no_session_is_told_the_one_that_began(
    server: Server, tool: str, arguments: dict[str, Any], key: str
) -> None:
    first = mcp_call(server, tool, arguments).json()["result"]
    session = first["structuredContent"][key]
    again = mcp_call(server, tool, arguments | {"session_id": session}).json()["result"]

    assert f"Session {session}: name it to go on in it." in first["content"][0]["text"]
    assert again["structuredContent"][key] == session
    assert "name it to go on" not in again["content"][0]["text"]
