"""Entities in Python: objects with the source's methods, and subscriptions."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app import start
from hansard.app.settings import Settings
from hansard.app.start import catalog
from hansard.entities.contract import Change, EntityConflict, EntityNotFound
from hansard.kernel.problem import InvalidInput
from hansard.sdk import Hansard
from hansard.sdk.entities import (
    Entities,
    EntityHandle,
    TextDocumentHandle,
    text,
    tool_request,
    tool_response,
)
from tests.entities.asking import CONNECTION, GRAPH, texts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def entities(tmp_path: Path) -> Iterator[Entities]:
    chosen = Settings(store=str(tmp_path / "store"))
    app = start.start(chosen, known=catalog(chosen))
    with Hansard(application=app) as hansard:
        yield hansard.entities
    app.close()


@pytest.mark.holds("002-messageThread-6", "002-messageThread-7", "ENT-thread-1")
def test_add_partial_returns_a_new_saved_thread(entities: Entities) -> None:
    empty = entities.thread()
    first = empty.add_partial("me", text("hi"))
    second = first.add_partial("me", tool_request("c", "grep", {"q": 1}))
    third = second.add_partial("tool", tool_response("c", "found")).add_text("me", "thanks")

    assert empty.turns() == []
    assert len(first.turns()) == 1
    assert [turn["senderId"] for turn in third.turns()] == ["me", "tool", "me"]
    assert entities.get(second.id) == second
    assert second.created_at > first.created_at
    with pytest.raises(InvalidInput):
        third.add_partial("tool", tool_response("c", "again"))


def test_a_thread_is_read_from_its_end(entities: Entities) -> None:
    thread = entities.thread()
    for number in range(30):
        thread = thread.add_text("me" if number % 2 else "you", f"{number}")

    assert [one["partials"][0]["payload"]["content"] for one in thread.turns(3)] == [
        "27",
        "28",
        "29",
    ]
    assert len(thread.turns()) == 30


@pytest.mark.holds("ENT-thread-3")
def test_forks_go_their_own_ways(entities: Entities) -> None:
    root = entities.thread({"senderId": "me", "partials": [text("root")]})
    fork = root.fork()

    fork.add_text("me", "left")

    assert fork.id != root.id
    assert texts(fork.as_dict()) == texts(root.as_dict()) == [("me", ["root"])]


@pytest.mark.holds("ENT-chat-2")
def test_a_chat_appends_to_where_it_is_or_only_where_it_was(entities: Entities) -> None:
    chat = entities.chat("support", "user-1", description="d")
    start_of = chat.thread()
    chat.append("me", text("1"), after=start_of)

    with pytest.raises(EntityConflict):
        chat.append("you", text("2"), after=start_of)

    last = chat.append("you", text("2"))
    assert texts(last.as_dict()) == [("me", ["1"]), ("you", ["2"])]
    assert chat.refresh().thread() == last


def test_documents_are_revised_and_followed(entities: Entities) -> None:
    first = entities.document("Plan", "1")
    second = first.revise("2", title="Plan B")

    assert second["title"] == "Plan B"
    assert second.previous() == first.refresh()
    assert first.next() == second
    assert (first.previous(), second.next()) == (None, None)
    with pytest.raises(EntityConflict):
        first.revise("3")
    assert isinstance(first.revise("3", fork=True), TextDocumentHandle)


def test_a_run_is_begun_filled_and_ended(entities: Entities) -> None:
    graph = entities.graph(GRAPH["name"], GRAPH["nodes"], GRAPH["edges"])
    run = graph.execute().begin().add_event("nodeStarted", nodeId="a")
    ended = run.add_events([{"type": "log", "message": "x"}]).complete()
    failed = graph.execute().begin().fail("it broke")

    assert (ended["status"], len(ended["events"])) == ("completed", 2)
    assert failed["status"] == "failed"
    assert failed["events"][0]["message"] == "it broke"
    with pytest.raises(EntityConflict):
        ended.add_event("log", message="late")


def test_an_object_is_changed_only_from_what_it_shows(entities: Entities) -> None:
    connection = entities.create("modelConnection", **CONNECTION)
    newer = connection.update(name="newer")

    with pytest.raises(EntityConflict):
        connection.update(name="lost")

    assert connection.refresh() == newer
    assert connection.update(blindly=True, name="mine")["name"] == "mine"
    assert [one["name"] for one in entities.list("modelConnection")] == ["mine"]
    assert list(entities.list("modelConnection", {"name": "newer"})) == []
    newer.delete()
    with pytest.raises(EntityNotFound):
        newer.refresh()


def test_settings_and_metrics_are_objects_too(entities: Entities) -> None:
    settings = entities.settings()

    assert settings.update(theme="dark", own=1)["own"] == 1
    assert entities.create("metric", name="m", value=1.5)["value"] == 1.5
    assert repr(settings) == f"SettingsHandle({settings.id})"
    assert len({settings, settings.refresh()}) == 2


def test_an_entity_is_read_as_it_stood(entities: Entities) -> None:
    document = entities.document("Plan", "1")
    [made] = entities.subscribe(since=0, timeout_s=0)
    document.update(content="2")

    assert entities.get(document.id, as_of=f"s:{made.seq}") == document


def test_what_is_exported_is_imported(entities: Entities, tmp_path: Path) -> None:
    entities.chat("c", "p").append("me", text("hi"))
    entities.document("Plan", "1")
    lines = list(entities.export())
    chosen = Settings(store=str(tmp_path / "other"))
    app = start.start(chosen, known=catalog(chosen))
    with Hansard(application=app) as other:
        assert other.entities.import_lines(lines) == len(lines) == 4
        assert list(other.entities.export()) == lines
    app.close()


def test_the_example_of_the_documentation_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "entities.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    whole = catalog(Settings())
    monkeypatch.setattr(start, "catalog", lambda *_: whole)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}

    exec(example, names)

    assert names["document"]["content"] == "Shipped."
    assert texts(names["thread"].as_dict()) == [("user", ["Why is the build red?"])]
    assert len(names["longer"]["turns"]) == len(names["other_way"]["turns"]) == 2
    assert names["run"]["status"] == "completed"


# Subscriptions.


def heard(changes: Iterator[Change]) -> list[tuple[str, str]]:
    return [(change.id, change.what) for change in changes]


def test_subscriptions_hear_of_a_record_a_type_or_everything(entities: Entities) -> None:
    document = entities.document("before", "x")
    one = entities.subscribe(document.id, timeout_s=0)
    typed = entities.subscribe(type_name="chatThread", timeout_s=0)
    all_of_it = entities.subscribe(timeout_s=0)

    document.update(content="y")
    chat = entities.chat("c", "p")
    thread = chat.append("me", text("hi"))
    document.delete()

    assert heard(one) == [(document.id, "entity_updated"), (document.id, "entity_deleted")]
    assert heard(typed) == [(chat.id, "entity_created"), (chat.id, "thread_appended")]
    assert heard(all_of_it) == [
        (document.id, "entity_updated"),
        (chat["threadId"], "thread_appended"),
        (chat.id, "entity_created"),
        (thread.id, "thread_appended"),
        (chat.id, "thread_appended"),
        (document.id, "entity_deleted"),
    ]


def test_a_subscription_waits_for_what_comes(entities: Entities) -> None:
    changes = entities.subscribe(type_name="textDocument", timeout_s=30)
    made: list[EntityHandle] = []
    writer = threading.Thread(target=lambda: made.append(entities.document("later", "x")))

    writer.start()
    change = next(changes)
    writer.join()

    assert change.id == made[0].id
    assert change.by.startswith("agent:")
    assert "later" in change.summary


def test_a_subscription_goes_on_where_another_ended(entities: Entities) -> None:
    for number in range(3):
        entities.document(f"{number}", "x")
    first = next(iter(entities.subscribe(since=0, timeout_s=0)))

    rest: list[Any] = list(entities.subscribe(since=first.seq, timeout_s=0))

    assert len(rest) == 2
