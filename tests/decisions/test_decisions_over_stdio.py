"""Decisions as an agent meets them: a server process, over the wire."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hansard.mcp.answers import RECEIPT_KEY
from tests.decisions.known import SECRET
from tests.decisions.parties import WHY
from tests.mcp.processes import StdioServer

Serve = Callable[..., StdioServer]

DECISION: dict[str, Any] = {"title": "Use SQLite", "target": "db", "rationale": WHY}


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers on the same store."""
    with ExitStack() as stack:

        def starter(**settings: str) -> StdioServer:
            given = {"store": str(tmp_path / "store"), "toolsets": "all", "secret": SECRET}
            server = StdioServer("tests.decisions.command", given | settings)
            stack.enter_context(server).open()
            return server

        yield starter


def content(answer: dict[str, Any]) -> dict[str, Any]:
    """Give the structured content of a tool's answer."""
    structured: dict[str, Any] = answer["result"]["structuredContent"]
    return structured


def test_what_one_chat_decides_another_finds_and_a_replay_decides_nothing_new(
    serve: Serve,
) -> None:
    one, other = serve(), serve()
    meta = {"hansard/idempotency-key": "k1"}

    first = one.call("record_decision", meta=meta, **DECISION)
    made = content(first)
    found = content(other.call("search_decisions", query="sqlite"))
    again = other.call("record_decision", meta=meta, **DECISION)

    assert made["decision_id"] == "D001"
    assert first["result"]["_meta"][RECEIPT_KEY]["seq"] > 0
    assert [one["id"] for one in found["results"]] == ["D001"]
    assert again["result"] == first["result"]


@pytest.mark.holds("004-errors-32000", "DEC-record-2")
def test_a_conflict_is_for_the_model_to_read_or_an_execution_error(serve: Serve) -> None:
    server, strict = serve(), serve(errors="jsonrpc")
    server.call("record_decision", **DECISION)

    told = server.call("record_decision", **DECISION)["result"]
    raised = strict.call("record_decision", **DECISION)["error"]

    assert told["isError"]
    assert told["structuredContent"]["error"]["code"] == "TARGET_CONFLICT"
    assert told["structuredContent"]["error"]["http_status"] == 409
    assert "D001" in told["content"][0]["text"]
    assert (raised["code"], raised["data"]["code"]) == (-32000, "TARGET_CONFLICT")


@pytest.mark.holds("ALL-10.12", "DEC-proposal-2", "DEC-proposal-3")
def test_an_agent_cannot_accept(serve: Serve) -> None:
    server = serve()
    server.call("propose_decision", **DECISION)

    for meta in ({}, {"hansard/secret": SECRET[:-1]}, {"hansard/secret": ""}):
        refused = server.call("accept_proposal", meta=meta, proposal_id="P001")
        assert refused["error"]["code"] == 403
        assert refused["error"]["data"]["code"] == "PERMISSION_DENIED"
        assert SECRET not in str(refused)

    shown = content(server.call("get_decision", decision_id="P001"))
    assert shown["decision"]["status"] == "proposed"


@pytest.mark.holds("ALL-10.9")
def test_a_host_that_proves_the_secret_gets_as_far_as_the_window(serve: Serve) -> None:
    server = serve()
    server.call("propose_decision", **DECISION)

    answer = server.call("accept_proposal", meta={"hansard/secret": SECRET}, proposal_id="P001")

    assert answer["result"]["structuredContent"]["error"]["code"] == "REVIEW_WINDOW"
