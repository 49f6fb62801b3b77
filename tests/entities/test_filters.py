"""Lists by any field, in the order of any base field."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.entities.contract import EntityListAnswer
from hansard.entities.types import BY_NAME
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.entities.asking import CHAT, CONNECTION, DOCUMENT, GRAPH, Asking, said
from tests.entities.export_samples import one_of_each
from tests.entities.test_finished_runs import record

GROWN = {"turns", "events"}


def ids(listed: EntityListAnswer) -> list[str]:
    return [one["id"] for one in listed.entities]


@pytest.mark.holds("ENT-tools-13")
def test_every_field_of_every_type_filters(app: Application, agent: Caller) -> None:
    made = one_of_each(app, agent)
    at = Asking(app, agent)
    at.revise(made["textDocument"]["id"], "2")
    made["agentGraphExecution2"] = record(at)

    for one in made.values():
        name, entity = one["id"].partition("::")[0], at.get(one["id"])
        for field, value in entity.items():
            if field in GROWN and value:
                continue
            listed = at.list(name, where={field: value}, limit=200)
            assert entity["id"] in ids(listed), f"{name}.{field}"
            assert listed.total == len(listed.entities)
            other = at.list(name, where={field: None if value is not None else "x"}, limit=200)
            assert entity["id"] not in ids(other), f"{name}.{field}"


@pytest.mark.holds("ENT-tools-13")
def test_what_is_null_or_empty_is_found_by_that(entities_of: Asking) -> None:
    first = entities_of.create("textDocument", DOCUMENT)["id"]
    last = entities_of.revise(first, "2")["id"]
    bare = entities_of.create("modelConnection", CONNECTION | {"data": None})["id"]
    secret = entities_of.create("modelConnection", CONNECTION)["id"]
    chat = entities_of.create("chatThread", CHAT)
    entities_of.append_to_chat(chat["id"], "me", said("x"))
    graph = entities_of.create("agentGraph", GRAPH)["id"]
    run = entities_of.create("agentGraphExecution", {"agentGraphId": graph})["id"]

    assert ids(entities_of.list("textDocument", where={"nextId": None})) == [last]
    assert ids(entities_of.list("textDocument", where={"previousId": None})) == [first]
    assert ids(entities_of.list("modelConnection", where={"data": None})) == [bare]
    assert ids(entities_of.list("modelConnection", where={"data": "[redacted]"})) == [secret]
    assert ids(entities_of.list("messageThread", where={"turns": []})) == [chat["threadId"]]
    assert ids(entities_of.list("messageThread", where={"turns": None})) == []
    assert ids(entities_of.list("agentGraphExecution", where={"endTime": None})) == [run]
    assert ids(entities_of.list("agentGraphExecution", where={"events": []})) == [run]


def test_numbers_that_are_equal_are_found_however_they_are_written(entities_of: Asking) -> None:
    made = entities_of.create("metric", {"name": "n", "value": 3, "dimensions": {"a": "b"}})["id"]

    for wanted in (3, 3.0, [1, 3]):
        assert ids(entities_of.list("metric", where={"value": wanted})) == [made]
    assert ids(entities_of.list("metric", where={"dimensions": {"a": "b"}})) == [made]
    assert ids(entities_of.list("metric", where={"dimensions": {}})) == []


@pytest.mark.parametrize(
    ("type_name", "where"),
    [
        ("textDocument", {"colour": "red"}),
        ("textDocument", {"title": 1}),
        ("textDocument", {"content": [None]}),
        ("modelConnection", {"data": {"apiKey": "sk-guess"}}),
        ("modelConnection", {"data": ["[redacted]"]}),
        ("messageThread", {"turns": [{"senderId": "a"}]}),
        ("agentGraphExecution", {"events": "x"}),
        ("chatThread", {"id": ["x"] * 101}),
    ],
)
def test_a_filter_that_compares_nothing_is_refused(
    entities_of: Asking, type_name: str, where: dict[str, Any]
) -> None:
    assert type_name in BY_NAME
    with pytest.raises(InvalidInput):
        entities_of.list(type_name, where=where)


@pytest.mark.holds("ENT-tools-14")
def test_a_list_goes_by_any_base_field_either_way(entities_of: Asking) -> None:
    chats = [entities_of.create("chatThread", CHAT | {"name": f"{n}"})["id"] for n in range(4)]
    entities_of.append_to_chat(chats[1], "me", said("the latest"))
    threads = ids(entities_of.list("messageThread"))

    def listed(order: str, type_name: str = "chatThread") -> list[str]:
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = entities_of.list(type_name, order=order, limit=2, **cursor)
            seen += ids(page)
            if page.nextCursor is None:
                return seen
            cursor = {"cursor": page.nextCursor}

    by_change = [chats[0], chats[2], chats[3], chats[1]]
    assert listed("updatedAt") == by_change
    assert listed("-updatedAt") == by_change[::-1]
    assert listed("createdAt") == chats
    assert listed("-createdAt") == chats[::-1]
    assert listed("id") == sorted(chats)
    assert listed("-id") == sorted(chats, reverse=True)
    assert listed("-updatedAt", "messageThread") == threads
    with pytest.raises(InvalidInput):
        listed("name")


def test_a_cursor_of_one_order_opens_no_other(entities_of: Asking) -> None:
    for _ in range(3):
        entities_of.create("textDocument", DOCUMENT)
    page = entities_of.list("textDocument", order="id", limit=1)

    with pytest.raises(InvalidInput):
        entities_of.list("textDocument", order="updatedAt", limit=1, cursor=page.nextCursor)
