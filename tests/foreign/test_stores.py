"""Memories, checkpoints and decisions of other programs, as records, threads and decisions."""

from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from hansard.app import people
from hansard.app.application import Application
from hansard.kernel.event import SYSTEM, Actor, Stamp
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.origin import AlreadyTakenOver, Origin
from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.conftest import OpenApp, a_caller
from tests.decisions.known import SECRET
from tests.foreign.taking_over import SAMPLES, seq, take

MEMORY = SAMPLES / "server-memory.jsonl"
OURS = Path(__file__).parents[2] / "docs" / "decisions"


def records(app: Application, agent: Caller) -> dict[str, dict[str, Any]]:
    found = app.call("list_records", {"limit": 100}, agent).model_dump(mode="json")
    return {one["title"]: one for one in found["records"]}


def whole(app: Application, identifier: str) -> dict[str, Any]:
    found = app.call("activate", {"id": identifier, "override": True}, a_caller())
    target: dict[str, Any] = found.model_dump(mode="json")["context"]["target"]
    return target


def decisions(app: Application, agent: Caller, query: str = "adr") -> list[dict[str, Any]]:
    asked = {"query": query, "mode": "audit", "limit": 100}
    results: list[dict[str, Any]] = app.call("search_decisions", asked, agent).model_dump(
        mode="json"
    )["results"]
    return results


def test_a_knowledge_graph_is_records_with_their_observations_and_relations(
    app: Application, agent: Caller
) -> None:
    report = take(app, MEMORY)

    found = records(app, agent)
    billing = whole(app, found["billing"]["id"])
    assert found.keys() == {"billing", "Ada", "invoices"}
    assert billing["type"] == "service"
    assert "- Rounds half to even" in billing["body"]
    assert "- owns: invoices" in billing["body"]
    assert billing["related"] == [found["invoices"]["id"]]
    assert (report.new["records"], report.new["relations"]) == (3, 3)


def test_a_graph_taken_over_twice_adds_nothing_and_one_that_has_grown_changes_what_grew(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(MEMORY.read_bytes())
    take(app, path)
    before = seq(app)

    assert take(app, path).new.total() == 0
    assert seq(app) == before

    path.write_text(path.read_text().replace('"Written in Go"', '"Written in Rust"'))
    report = take(app, path)

    assert report.changed == {"records": 1}
    assert "- Written in Rust" in whole(app, records(app, agent)["billing"]["id"])["body"]
    assert take(app, path).changed.total() == 0


def test_what_was_changed_here_is_not_written_over(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(MEMORY.read_bytes())
    take(app, path)
    identifier = records(app, agent)["billing"]["id"]
    app.call("activate", {"id": identifier}, agent)
    app.call("update_record", {"id": identifier, "body": "My own words"}, agent)

    path.write_text(path.read_text().replace('"Written in Go"', '"Written in Rust"'))
    report = take(app, path)

    assert report.skipped["it has changed there, and here too"] == 1
    assert whole(app, identifier)["body"] == "My own words"


class State(TypedDict):
    count: int
    words: list[str]


def graph(saver: Any) -> Any:
    builder: Any = StateGraph(State)
    builder.add_node("more", lambda state: {"count": state["count"] + 1, "words": ["x" * 300]})
    builder.add_edge(START, "more")
    builder.add_edge("more", END)
    return builder.compile(checkpointer=saver)


@pytest.fixture
def checkpoints(tmp_path: Path) -> Path:
    """What LangGraph's own saver keeps of two threads."""
    path = tmp_path / "checkpoints.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        for thread in ("one", "default.0123456789"):
            config = {"configurable": {"thread_id": thread}}
            graph(saver).invoke({"count": 0, "words": []}, config)
            graph(saver).invoke({"count": 5, "words": []}, config)
    return path


def test_a_graph_goes_on_from_checkpoints_that_another_saver_kept(
    app: Application, checkpoints: Path
) -> None:
    report = take(app, checkpoints)

    ours = HansardSaver(Hansard(application=app))
    for thread in ("one", "default.0123456789"):
        config: Any = {"configurable": {"thread_id": thread}}
        with SqliteSaver.from_conn_string(str(checkpoints)) as theirs:
            expected = list(theirs.list(config))
            assert list(ours.list(config)) == expected
            assert ours.get_tuple(config) == theirs.get_tuple(config)
        state = graph(ours).invoke({"count": 41, "words": []}, config)
        assert state["count"] == 42
    assert report.new["checkpoints"] == 12
    assert not report.skipped


def test_checkpoints_taken_over_twice_add_nothing(app: Application, checkpoints: Path) -> None:
    take(app, checkpoints)
    before = seq(app)

    assert take(app, checkpoints).new.total() == 0
    assert seq(app) == before


ADRS = {
    "0001-record-decisions.md": (
        "# 1. Record architecture decisions\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n"
        "## Context\n\nWe forget why.\n\n## Decision\n\nWe write them down.\n\n"
        "## Consequences\n\nOne more file each time.\n"
    ),
    "0002-use-mysql.md": (
        "# 2. Use MySQL\n\n## Status\n\nAccepted\n\nSuperceded by [3. Use PostgreSQL 16]"
        "(0003-use-postgresql-16.md)\n\n## Decision\n\nMySQL, since all of us know it.\n"
    ),
    "0003-use-postgresql-16.md": (
        "---\nstatus: accepted\ndate: 2026-02-03\n---\n# Use PostgreSQL 16\n\n"
        "## Context and Problem Statement\n\nMySQL lost our dates.\n\n## Decision Outcome\n\n"
        'Chosen option: "PostgreSQL", because it keeps them.\n\n### Consequences\n\n'
        "* Good, because dates stay.\n* Bad, because it is one more server.\n"
    ),
    "0004-use-blockchain.md": "# 4. Use a blockchain\n\nStatus: rejected\n\nEverybody does so.\n",
    "0005-try-rust.md": "---\nstatus: proposed\n---\n# Try Rust\n\nIt might be faster than this.\n",
    "0006-ftp.md": (
        "# 6. Deploy by FTP\n\n## Status\n\nDeprecated\n\n## Decision\n\nBy hand, over FTP.\n"
    ),
    "README.md": "# Decisions\n",
}


@pytest.fixture
def adrs(tmp_path: Path) -> Path:
    folder = tmp_path / "doc" / "adr"
    folder.mkdir(parents=True)
    for name, text in ADRS.items():
        (folder / name).write_text(text)
    return folder


def test_a_folder_of_adrs_is_decisions_with_their_chain(
    app: Application, agent: Caller, adrs: Path
) -> None:
    report = take(app, adrs)

    found = {one["title"]: one for one in decisions(app, agent)}
    assert {title: one["status"] for title, one in found.items()} == {
        "Record architecture decisions": "active",
        "Use MySQL": "superseded",
        "Use PostgreSQL 16": "active",
        "Use a blockchain": "rejected",
        "Try Rust": "proposed",
    }
    asked = {"decision_id": found["Use PostgreSQL 16"]["id"]}
    told = app.call("get_decision", asked, agent).model_dump(mode="json")
    assert told["decision"]["target"] == "adr:0002-use-mysql"
    assert "MySQL lost our dates" in told["decision"]["rationale"]
    assert told["decision"]["consequences"][0] == "Good, because dates stay."
    assert records(app, agent)["Deploy by FTP"]["state"] == "DISCARDED"
    assert report.skipped == {"its name does not begin with a number": 1}
    assert take(app, adrs).new.total() == 0


def test_a_decision_that_is_superseded_later_becomes_so_with_the_next_import(
    app: Application, agent: Caller, adrs: Path
) -> None:
    take(app, adrs)
    (adrs / "0007-no-files.md").write_text(
        "# 7. Keep them elsewhere\n\n## Status\n\nAccepted\n\n"
        "Supercedes [1. Record](0001-record-decisions.md)\n\n"
        "## Decision\n\nA folder is too little for all of us.\n"
    )

    report = take(app, adrs)

    assert report.new == {"decisions": 1}
    found = {one["title"]: one["status"] for one in decisions(app, agent)}
    assert found["Record architecture decisions"] == "superseded"
    assert found["Keep them elsewhere"] == "active"


PROPOSED = "---\nstatus: {}\n---\n# Try Rust\n\nIt might be {} than this.\n"


@pytest.mark.parametrize("words", ["faster", "a lot faster"], ids=["same", "reworded"])
@pytest.mark.parametrize("status", ["accepted", "rejected"])
def test_a_proposal_that_was_settled_there_is_open_here_no_more(
    app: Application, agent: Caller, tmp_path: Path, status: str, words: str
) -> None:
    file = tmp_path / "adr" / "0005-try-rust.md"
    file.parent.mkdir()
    file.write_text(PROPOSED.format("proposed", "faster"))
    take(app, file.parent)

    file.write_text(PROPOSED.format(status, words))
    take(app, file.parent)

    statuses = sorted(one["status"] for one in decisions(app, agent))
    assert statuses == [*["active"] * (status == "accepted"), "rejected"]
    before = seq(app)
    assert take(app, file.parent).new.total() == 0
    assert seq(app) == before


def test_a_proposal_that_was_accepted_here_is_not_decided_again(
    open_app: OpenApp, agent: Caller, tmp_path: Path
) -> None:
    app = open_app(review_window_s=0)
    people.set_secret(app.store, SECRET, Stamp(SYSTEM, "2026-01-01T00:00:00.000Z"))
    admin = a_caller("human", "admin", secret=SECRET)
    file = tmp_path / "adr" / "0005-try-rust.md"
    file.parent.mkdir()
    file.write_text(PROPOSED.format("proposed", "faster"))
    take(app, file.parent)
    (proposal,) = decisions(app, agent)
    app.call("accept_proposal", {"proposal_id": proposal["id"]}, admin)

    file.write_text(PROPOSED.format("accepted", "faster"))
    report = take(app, file.parent)

    assert (report.new.total(), report.skipped.total(), report.known["decisions"]) == (0, 0, 1)
    assert sorted(one["status"] for one in decisions(app, agent)) == ["accepted", "active"]


def test_our_own_decisions_can_be_taken_over(app: Application) -> None:
    report = take(app, OURS)

    assert report.new["decisions"] == len(list(OURS.glob("[0-9]*.md")))
    assert set(report.skipped) == {"its name does not begin with a number"}


def test_two_imports_at_once_cannot_take_the_same_item(app: Application) -> None:
    told = Origin("server-memory", "server-memory:x:y", "0" * 64)
    caller = Caller(Actor("agent", "import:x", "agent"), seat=Seat(), origin=told)
    note = {"type": "note", "title": "T", "summary": "s", "body": "b"}
    app.call("create_record", note, caller)
    before = seq(app)

    with pytest.raises(AlreadyTakenOver):
        app.call("create_record", note, caller)

    assert seq(app) == before
    app.call("create_record", note, replace(caller, origin=replace(told, digest="1" * 64)))
