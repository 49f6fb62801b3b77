"""`hansard entities`: list, show, create, delete, export, import."""

import json
from pathlib import Path
from typing import Any

import pytest

from hansard.app import start
from hansard.app.settings import Settings
from hansard.sdk import Hansard as Library
from hansard.sdk.entities import text, tool_request, tool_response
from tests.cli.running import Hansard, Ran
from tests.entities.asking import CONNECTION, DOCUMENT, GRAPH

BELL = "\x1b[2J\u202e"


@pytest.fixture
def made(hansard: Hansard) -> tuple[Hansard, dict[str, str]]:
    """The command on a store that has some entities."""
    app = start.start(Settings(store=str(hansard.store)))
    with Library(application=app) as library:
        entities = library.entities
        chat = entities.chat("support", "user-1")
        chat.append("me", text(f"find it {BELL}"), tool_request("c1", "grep", {"q": "x"}))
        thread = chat.append("tool", tool_response("c1", "line 3"))
        graph = entities.graph(GRAPH["name"], GRAPH["nodes"], GRAPH["edges"])
        run = graph.execute().begin().add_event("nodeStarted", nodeId="a").fail("it broke")
        connection = entities.create("modelConnection", **CONNECTION)
        document = entities.document("Plan", "ship it").revise("shipped")
    app.close()
    ids = {
        "chat": chat.id,
        "thread": thread.id,
        "graph": graph.id,
        "run": run.id,
        "connection": connection.id,
        "document": document.id,
    }
    return hansard, ids


Made = tuple[Hansard, dict[str, str]]


def ask(hansard: Hansard, *arguments: str) -> Ran:
    """Run the command, which must succeed."""
    ran = hansard("entities", *arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran


def lines(ran: Ran) -> list[Any]:
    return [json.loads(line) for line in ran.out.splitlines()]


def test_entities_are_listed_and_filtered(made: Made) -> None:
    hansard, ids = made

    listed = ask(hansard, "list", "textDocument").out.splitlines()

    assert listed[0].split()[0] == ids["document"]
    assert listed[0].endswith("Plan")
    assert len(listed) == 2
    chosen = lines(ask(hansard, "list", "textDocument", "--where", "previousId=", "--json"))
    assert [one["content"] for one in chosen] == ["ship it"]
    assert hansard("entities", "list", "textDocument", "--where", "odd").code != 0
    assert hansard("entities", "list", "spaceship").code != 0


def test_entities_are_listed_by_any_field_and_in_an_order(made: Made) -> None:
    hansard, ids = made

    current = lines(ask(hansard, "list", "textDocument", "--where", "nextId=", "--json"))
    graphs = lines(ask(hansard, "list", "agentGraph", "--where", "edges=[]", "--json"))
    live = ("list", "agentGraphExecution", "--where", "recordedLater=false", "--json")
    oldest = lines(ask(hansard, "list", "textDocument", "--order", "createdAt", "--json"))

    assert [one["id"] for one in current] == [ids["document"]]
    assert graphs == []
    assert [one["id"] for one in lines(ask(hansard, *live))] == [ids["run"]]
    assert oldest[-1]["id"] == ids["document"]


def test_settings_stand_anywhere_on_the_line(made: Made, tmp_path: Path) -> None:
    hansard, _ = made
    other = Hansard(tmp_path / "other")

    for arguments in (
        ["--store", str(hansard.store), "entities", "list", "textDocument"],
        ["entities", "--store", str(hansard.store), "list", "textDocument"],
        ["entities", "list", "textDocument", "--store", str(hansard.store)],
    ):
        assert len(other(*arguments).out.splitlines()) == 2


def test_a_thread_is_shown_as_a_chat(made: Made) -> None:
    hansard, ids = made

    shown = ask(hansard, "show", ids["thread"]).out

    assert "me: find it" in shown
    assert BELL not in shown
    assert 'me: → grep {"q":"x"} (c1)' in shown
    assert "tool: ← completed (c1) line 3" in shown
    last = ask(hansard, "show", ids["thread"], "--last", "1").out
    assert "(1 of 2 turns)" in last
    assert "find it" not in last
    cursor = last.rpartition("cursor=")[2].strip()
    assert "find it" in ask(hansard, "show", ids["thread"], "--cursor", cursor).out


def test_a_graph_is_shown_as_what_joins_what_and_a_run_as_it_went(made: Made) -> None:
    hansard, ids = made

    graph = ask(hansard, "show", ids["graph"]).out
    run = ask(hansard, "show", ids["run"]).out

    assert "a is llm" in graph
    assert "a.out → b.in" in graph
    assert run.index("failed, a run of") < run.index("nodeStarted a") < run.index("it broke")


def test_what_is_secret_is_shown_only_to_an_admin_who_asks(made: Made) -> None:
    hansard, ids = made

    assert "sk-very" not in ask(hansard, "show", ids["connection"]).out
    # Without a terminal, whoever asks is an agent.
    assert hansard("entities", "show", ids["connection"], "--reveal").code != 0
    assert hansard("entities", "export", "--reveal").code != 0


def test_an_entity_is_made_of_a_file_and_deleted(hansard: Hansard, tmp_path: Path) -> None:
    file = tmp_path / "document.json"
    file.write_text(json.dumps(DOCUMENT))

    [made] = lines(ask(hansard, "create", "textDocument", str(file), "--json"))

    assert (made["title"], made["content"]) == (DOCUMENT["title"], DOCUMENT["content"])
    assert ask(hansard, "delete", made["id"]).out == f"{made['id']} deleted.\n"
    assert hansard("entities", "show", made["id"]).code != 0
    for content in ("nonsense", "[]", '{"title": 1}'):
        file.write_text(content)
        assert hansard("entities", "create", "textDocument", str(file)).code != 0
    assert hansard("entities", "create", "textDocument", str(tmp_path / "none")).code != 0


@pytest.mark.parametrize("named", ["@latest", "t", "text", "textDocument::", "Pla"])
def test_what_names_an_entity_too_loosely_deletes_none(
    hansard: Hansard, tmp_path: Path, named: str
) -> None:
    file = tmp_path / "document.json"
    file.write_text(json.dumps({"title": "Plan", "content": "ship it"}))
    ask(hansard, "create", "textDocument", str(file))
    before = hansard("anchor").out

    for flags in ([], ["--yes"]):
        ran = hansard("entities", "delete", named, *flags)
        assert (ran.code != 0, ran.out) == (True, "")

    assert hansard("anchor").out == before


def test_what_was_not_named_whole_is_shown_and_asked_about_before_it_is_deleted(
    made: Made,
) -> None:
    hansard, ids = made
    document = ids["document"]
    before = hansard("anchor").out

    refused = hansard("entities", "delete", document[:-1])
    unchanged = hansard("anchor").out
    deleted = hansard("entities", "delete", document[:-1], "--yes")

    assert (refused.code, refused.out, f"{document} (Plan)" in refused.err) == (2, "", True)
    assert unchanged == before
    assert (deleted.code, deleted.out) == (0, f"{document} deleted.\n")


def test_a_chat_of_a_provider_becomes_a_thread_and_back(hansard: Hansard, tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
    ]
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": messages}))

    [thread] = lines(
        ask(hansard, "create", "messageThread", str(file), "--format", "openai", "--json")
    )
    spelled = json.loads(ask(hansard, "show", thread["id"], "--format", "openai").out)

    assert [turn["senderId"] for turn in thread["turns"]] == ["user", "assistant"]
    assert spelled["messages"] == messages
    for arguments in (
        ["show", thread["id"], "--format", "odd"],
        ["create", "textDocument", str(file), "--format", "openai"],
        ["create", "messageThread", str(file), "--format", "odd"],
    ):
        assert hansard("entities", *arguments).code != 0


@pytest.mark.holds("ENT-redact-2")
def test_an_export_is_imported_byte_by_byte(made: Made, tmp_path: Path) -> None:
    hansard, _ = made
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    ask(hansard, "export", "-o", str(first))
    other = Hansard(tmp_path / "other")

    said = ask(other, "import", str(first)).out

    count = len(first.read_bytes().splitlines())
    assert said == f"{count} imported, 0 were here already\n"
    ask(other, "export", "--output", str(second))
    assert second.read_bytes() == first.read_bytes()
    assert ask(other, "export").out.encode() == first.read_bytes()
    assert b"sk-very" not in first.read_bytes()
    again = ask(other, "import", str(first)).out
    assert again == f"0 imported, {count} were here already\n"


def test_what_is_no_export_is_refused(made: Made, tmp_path: Path) -> None:
    hansard, _ = made
    file = tmp_path / "odd.jsonl"
    for content in ("nonsense\n", "[]\n", '{"type": "textDocument"}\n'):
        file.write_text(content)
        ran = hansard("entities", "import", str(file))
        assert ran.code != 0
        assert "line" in ran.err
    assert hansard("entities", "import", str(tmp_path / "none")).code != 0
    nowhere = Hansard(tmp_path / "nowhere")
    assert nowhere("entities", "import", str(tmp_path / "none")).code != 0
    assert not nowhere.store.exists()
    assert hansard("entities", "export", "-o", str(tmp_path)).code != 0
