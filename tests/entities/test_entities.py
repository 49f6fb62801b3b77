"""Making, reading, changing, deleting and listing entities, through the waist on every engine."""

import re
from typing import Any, get_args

import pytest

from hansard.entities.contract import (
    EntityConflict,
    EntityImmutable,
    EntityNotFound,
    TypeName,
)
from hansard.entities.types import TYPES
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, PermissionDenied
from tests.conftest import OpenApp, a_caller
from tests.entities.asking import CHAT, CONNECTION, DOCUMENT, GRAPH, Asking, Json, said

SECRET = "sk-very-secret-value"
METRIC: Json = {"name": "latency", "dimensions": {"route": "/"}, "value": 12.5}


def one_of_each(at: Asking) -> dict[str, Json]:
    """Make an entity of every type."""
    graph = at.create("agentGraph", GRAPH)
    return {
        "textDocument": at.create("textDocument", DOCUMENT),
        "modelConnection": at.create("modelConnection", CONNECTION),
        "messageThread": at.create(
            "messageThread", {"turns": [{"senderId": "me", "partials": [said("hi")]}]}
        ),
        "chatThread": at.create("chatThread", CHAT),
        "agentGraph": graph,
        "agentGraphExecution": at.create("agentGraphExecution", {"agentGraphId": graph["id"]}),
        "metric": at.create("metric", METRIC),
        "settings": at.create("settings", {"theme": "dark"}),
    }


@pytest.mark.holds("ENT-tools-1", "ENT-tools-3", "ENT-shape-2", "002-base-1", "ENT-shape-1")
def test_an_entity_of_each_type_is_made_and_read_as_its_type_declares(
    entities_of: Asking,
) -> None:
    made = one_of_each(entities_of)

    assert list(made) == [declared.name for declared in TYPES]
    for declared in TYPES:
        entity = made[declared.name]
        assert re.fullmatch(rf"{declared.name}::[0-9A-Za-z]{{20}}", entity["id"])
        assert entities_of.get(entity["id"]) == entity
        # The model is closed, and names every field there is.
        declared.model.model_validate(entity)
        fields = {one.alias for one in declared.model.model_fields.values()}
        assert fields == set(entity)
        for part in declared.parts:
            assert all(one["id"] and one["createdAt"] and one["updatedAt"] for one in entity[part])


@pytest.mark.holds("002-modelConnection-1", "002-modelConnection-2", "002-modelConnection-3")
def test_a_connection_has_one_of_three_formats(entities_of: Asking) -> None:
    for access_format in ("gemini", "openai", "anthropic"):
        given = CONNECTION | {"accessFormat": access_format}
        made = entities_of.create("modelConnection", given)
        assert {name: made[name] for name in given} == given | {"data": "[redacted]"}

    with pytest.raises(InvalidInput, match="accessFormat"):
        entities_of.create("modelConnection", CONNECTION | {"accessFormat": "carrier pigeon"})


UNFIT: list[tuple[str, Json, str]] = [
    ("textDocument", {"content": "x"}, "data.title: is required"),
    ("textDocument", DOCUMENT | {"type": "html"}, "data.type"),
    ("textDocument", DOCUMENT | {"body": "x"}, "data.body: there is no such field"),
    ("textDocument", DOCUMENT | {"id": "textDocument::x"}, "data.id: is set here"),
    ("textDocument", DOCUMENT | {"createdAt": "2026-01-01"}, "data.createdAt"),
    ("textDocument", DOCUMENT | {"updatedAt": "2026-01-01"}, "data.updatedAt"),
    ("textDocument", DOCUMENT | {"content": "a\0b"}, "data.content"),
    ("textDocument", DOCUMENT | {"content": "x" * (1024 * 1024 + 1)}, "data.content"),
    ("textDocument", DOCUMENT | {"nextId": "textDocument::x"}, "data.nextId"),
    ("modelConnection", CONNECTION | {"data": {"a": ["\0"]}}, "data.data"),
    ("modelConnection", CONNECTION | {"data": "[redacted]"}, "data.data"),
    ("messageThread", {"turns": [{"senderId": "a", "partials": []}]}, "data.turns.0.partials"),
    ("chatThread", {"name": "x"}, "data.participantId"),
    ("metric", {"name": "x", "value": "1"}, "data.value"),
    ("settings", {"theme": 1}, "data.theme"),
    ("settings", {"a\0b": 1}, "NUL"),
    ("settings", {"deep": {"a\0b": 1}}, "NUL"),
    ("textDocument", DOCUMENT | {"title": "x" + " " * 600}, "white space included"),
    ("settings", {"id": "x"}, "id cannot be set"),
]


@pytest.mark.holds("ENT-tools-2", "ENT-shape-3")
def test_what_does_not_fit_the_type_is_refused_by_the_name_of_the_field(
    entities_of: Asking,
) -> None:
    before = entities_of.head()

    for type_name, given, why in UNFIT:
        with pytest.raises(InvalidInput, match=re.escape(why)):
            entities_of.create(type_name, given)
    with pytest.raises(InvalidInput, match="type"):
        entities_of.create("spaceship", {})

    assert entities_of.head() == before


def test_what_only_says_that_nothing_is_there_may_be_given(entities_of: Asking) -> None:
    made = entities_of.create("textDocument", DOCUMENT | {"previousId": None, "nextId": None})

    assert (made["previousId"], made["nextId"]) == (None, None)


@pytest.mark.holds("ENT-tools-4", "ENT-tools-5", "ALL-06.45")
def test_a_change_is_merged_and_refused_if_it_comes_from_what_no_longer_is(
    entities_of: Asking,
) -> None:
    first = entities_of.create("textDocument", DOCUMENT)
    second = entities_of.update(first["id"], {"title": "Another"})

    assert second == first | {"title": "Another", "updatedAt": second["updatedAt"]}
    assert second["updatedAt"] > first["updatedAt"]
    with pytest.raises(EntityConflict) as refused:
        entities_of.update(first["id"], {"title": "Lost"}, expected_updated_at=first["updatedAt"])
    assert refused.value.details["updated_at"] == second["updatedAt"]
    assert entities_of.get(first["id"]) == second
    assert entities_of.update(first["id"], {"title": "Another"}) == second
    third = entities_of.update(
        first["id"], {"title": "Third"}, expected_updated_at=second["updatedAt"]
    )
    assert third["title"] == "Third"


def test_each_change_has_its_own_time_even_when_the_clock_stands_still_or_goes_back(
    open_app: OpenApp, agent: Caller, clock: Any
) -> None:
    at = Asking(open_app(), agent)
    entity = at.create("textDocument", DOCUMENT)
    times = [entity["updatedAt"]]
    for number in range(3):
        clock.now = clock.now.replace(year=2020)
        times.append(at.update(entity["id"], {"title": f"{number}"})["updatedAt"])

    assert times == sorted(set(times))


@pytest.mark.holds("ENT-tools-10", "ALL-06.46")
def test_what_is_immutable_is_never_updated(entities_of: Asking) -> None:
    for type_name, given in {"messageThread": {}, "metric": METRIC}.items():
        entity = entities_of.create(type_name, given)

        with pytest.raises(EntityImmutable):
            entities_of.update(entity["id"], {})

        assert entities_of.get(entity["id"]) == entity


@pytest.mark.holds("ENT-tools-11", "ALL-09.9", "ALL-06.44")
def test_what_is_deleted_is_gone_but_was_there(entities_of: Asking) -> None:
    made = one_of_each(entities_of)
    del made["settings"]
    then = f"s:{entities_of.head()}"

    for entity in made.values():
        entities_of.delete(entity["id"])

    for type_name, entity in made.items():
        with pytest.raises(EntityNotFound):
            entities_of.get(entity["id"])
        with pytest.raises(EntityNotFound):
            entities_of.delete(entity["id"])
        listed = entities_of.list(type_name).entities
        assert entity["id"] not in [one["id"] for one in listed]
        assert entities_of.get(entity["id"], as_of=then) == entity


@pytest.mark.holds("ALL-09.9")
def test_an_entity_is_read_as_it_stood(entities_of: Asking) -> None:
    seq = entities_of.head()
    first = entities_of.create("agentGraph", GRAPH)
    then = f"s:{entities_of.head()}"
    entities_of.update(first["id"], {"nodes": [], "edges": []})

    assert entities_of.get(first["id"], as_of=then) == first
    with pytest.raises(EntityNotFound):
        entities_of.get(first["id"], as_of=f"s:{seq}")


@pytest.mark.holds("ALL-02.13")
def test_another_project_does_not_see_it(open_app: OpenApp, agent: Caller) -> None:
    ours = Asking(open_app(), agent)
    made = one_of_each(ours)
    theirs = Asking(open_app(project="theirs"), a_caller())

    for type_name, entity in made.items():
        if type_name != "settings":
            assert theirs.list(type_name).total == 0
        with pytest.raises(EntityNotFound):
            theirs.get(entity["id"])


def test_an_unknown_id_is_not_found_whatever_its_form(entities_of: Asking) -> None:
    for identifier in ("x", "textDocument::nope", "spaceship::x", "::", "messageThread::"):
        for name in ("entity_get", "entity_delete"):
            with pytest.raises(EntityNotFound):
                entities_of.app.call(name, {"id": identifier}, entities_of.caller)
        with pytest.raises(EntityNotFound):
            entities_of.update(identifier, {})


@pytest.mark.holds("ENT-tools-6")
def test_a_list_is_newest_first_filtered_counted_and_paged(entities_of: Asking) -> None:
    made = [
        entities_of.create("modelConnection", CONNECTION | {"name": f"{n}", "modelId": f"m{n % 2}"})
        for n in range(5)
    ]
    ids = [one["id"] for one in made][::-1]

    whole = entities_of.list("modelConnection")
    odd = entities_of.list("modelConnection", where={"modelId": "m1"})
    some = entities_of.list("modelConnection", where={"name": ["1", "3"], "modelId": "m1"})
    pages = [entities_of.list("modelConnection", limit=2)]
    while cursor := pages[-1].nextCursor:
        pages.append(entities_of.list("modelConnection", limit=2, cursor=cursor))

    assert [one["id"] for one in whole.entities] == ids
    assert (whole.total, odd.total, some.total) == (5, 2, 2)
    assert [one["name"] for one in odd.entities] == ["3", "1"]
    assert [one["id"] for page in pages for one in page.entities] == ids
    assert {page.total for page in pages} == {5}
    assert entities_of.list("modelConnection", where={"name": []}).total == 0
    for where in ({"data": "x"}, {"nope": "x"}, {"name": 1}, {"name": ["x"] * 101}):
        with pytest.raises(InvalidInput, match=next(iter(where))):
            entities_of.list("modelConnection", where=where)
    with pytest.raises(InvalidInput):
        entities_of.list("modelConnection", cursor="nonsense")


def test_a_page_of_a_list_ends_before_it_is_too_long(entities_of: Asking) -> None:
    long = DOCUMENT | {"content": "x" * 200_000}
    for _ in range(3):
        entities_of.create("textDocument", long)

    page = entities_of.list("textDocument")

    assert (len(page.entities), page.total) == (1, 3)
    assert page.entities[0]["content"] == long["content"]
    assert page.nextCursor
    assert len(entities_of.list("textDocument", cursor=page.nextCursor).entities) == 1


def test_a_repetition_has_the_same_answer_and_no_effect(open_app: OpenApp) -> None:
    at = Asking(open_app(), a_caller(idempotency_key="once"))
    first = at.create("textDocument", DOCUMENT)

    assert at.create("textDocument", DOCUMENT) == first
    assert at.list("textDocument").total == 1


# Settings.


@pytest.mark.holds("ENT-settings-1", "ENT-settings-2", "002-settings-1")
def test_settings_are_made_on_first_read_and_there_is_one_of_them(entities_of: Asking) -> None:
    entities_of.create("textDocument", DOCUMENT)

    first = entities_of.get("settings")

    assert (first["lastPage"], first["theme"]) == ("", "")
    assert entities_of.get("settings") == entities_of.get(first["id"]) == first
    assert entities_of.list("settings").entities == [first]
    with pytest.raises(EntityConflict):
        entities_of.create("settings", {})


def test_listing_settings_makes_them_too(entities_of: Asking) -> None:
    entities_of.create("textDocument", DOCUMENT)

    [listed] = entities_of.list("settings").entities

    assert entities_of.get(listed["id"]) == listed


def test_settings_of_a_project_yet_to_be_made_are_shown_and_can_be_changed(
    entities_of: Asking,
) -> None:
    shown = entities_of.get("settings")
    before = entities_of.head()

    changed = entities_of.update(
        shown["id"], {"theme": "dark"}, expected_updated_at=shown["updatedAt"]
    )

    assert (before, changed["theme"]) == (0, "dark")
    assert entities_of.get("settings") == changed


def test_who_may_only_read_sees_settings_that_are_not_made(
    entities_of: Asking, viewer: Caller
) -> None:
    entities_of.create("textDocument", DOCUMENT)
    before = entities_of.head()

    seen = Asking(entities_of.app, viewer).get("settings")

    assert seen["theme"] == ""
    assert entities_of.head() == before
    assert entities_of.get("settings")["id"] == seen["id"]


@pytest.mark.holds("ENT-settings-4")
def test_an_unknown_key_of_settings_is_taken_away_by_null(entities_of: Asking) -> None:
    entities_of.update("settings", {"a": 1, "b": {"c": None}, "theme": "dark"})

    changed = entities_of.update("settings", {"a": None, "never": None})

    assert "a" not in changed
    assert "never" not in changed
    assert (changed["b"], changed["theme"]) == ({"c": None}, "dark")
    with pytest.raises(InvalidInput):
        entities_of.update("settings", {"theme": None})
    assert entities_of.get("settings") == changed


@pytest.mark.holds("ENT-settings-3")
def test_unknown_keys_of_settings_are_kept(entities_of: Asking) -> None:
    given = {"lastPage": "/home", "wide": True, "deep": {"a": [1, None, 2.5]}, "off": False}

    entities_of.update("settings", given)
    entities_of.update("settings", {"theme": "dark"})

    shown = entities_of.get("settings")
    assert {key: shown[key] for key in given} == given
    assert shown["theme"] == "dark"


# Secrets.


@pytest.mark.holds("ENT-redact-1", "ALL-06.7")
def test_only_an_admin_who_asks_sees_what_is_secret(entities_of: Asking, human: Caller) -> None:
    made = entities_of.create("modelConnection", CONNECTION)
    admin = Asking(entities_of.app, human)

    changed = entities_of.update(made["id"], {"name": "new"})
    listed = entities_of.list("modelConnection")
    told = entities_of.app.call("entity_get", {"id": made["id"]}, entities_of.caller)

    assert SECRET not in str((made, changed, listed, told, told.text(), listed.text()))
    assert admin.get(made["id"])["data"] == "[redacted]"
    assert admin.get(made["id"], reveal=True)["data"] == CONNECTION["data"]
    with pytest.raises(PermissionDenied):
        entities_of.get(made["id"], reveal=True)


def test_what_is_hidden_stays_when_it_comes_back_hidden(entities_of: Asking, human: Caller) -> None:
    made = entities_of.create("modelConnection", CONNECTION)

    entities_of.update(made["id"], {"data": made["data"], "name": "x"})

    admin = Asking(entities_of.app, human)
    assert admin.get(made["id"], reveal=True)["data"] == CONNECTION["data"]
    entities_of.update(made["id"], {"data": {"apiKey": "new"}})
    assert admin.get(made["id"], reveal=True)["data"] == {"apiKey": "new"}


def test_a_secret_is_not_found_by_its_words_nor_kept_with_an_answer(open_app: OpenApp) -> None:
    from hansard.entities.views import WORDS

    app = open_app()
    at = Asking(app, a_caller(idempotency_key="once"))

    first = at.create("modelConnection", CONNECTION)

    assert at.create("modelConnection", CONNECTION) == first
    store, project = app.store, app.default_project
    assert store.read(project, lambda tx: tx.search(WORDS, SECRET, limit=5)) == []
    found = store.read(project, lambda tx: tx.search(WORDS, "the usual", limit=5))
    assert [hit.key for hit in found] == [first["id"]]


# The record.


def test_every_type_can_be_asked_for() -> None:
    assert set(get_args(TypeName)) == {declared.name for declared in TYPES}


@pytest.mark.holds("ALL-00.4")
def test_the_capability_offers_its_ten_tools(entities_of: Asking) -> None:
    listed = [one.name for one in entities_of.app.catalog.toolset(["entities"])]

    assert sorted(listed) == sorted(
        "entity_create entity_get entity_update entity_delete entity_list thread_append "
        "document_revise execution_event metric_record metric_query".split()
    )


def test_each_write_is_on_its_sessions_timeline(entities_of: Asking) -> None:
    one_of_each(entities_of)
    [session] = (entities_of.caller.seat or pytest.fail("no seat")).sessions.values()

    entries = entities_of.app.store.read(
        entities_of.app.default_project, lambda tx: tx.entries(session=session, limit=100)
    )

    kinds = [entry.kind for entry in entries]
    assert kinds[0].startswith("sessions.")
    assert kinds.count("entities.entity_created.v1") == 7
    assert all(entities_of.app.store.kinds.decode(entry) for entry in entries)


def test_rebuilt_views_equal_live_views(entities_of: Asking) -> None:
    made = one_of_each(entities_of)
    entities_of.update(made["agentGraph"]["id"], {"nodes": [], "edges": []})
    entities_of.append_to_chat(made["chatThread"]["id"], "me", said("hello"))
    entities_of.happen(made["agentGraphExecution"]["id"], status="inProgress")
    before = {name: entities_of.list(name) for name in made}

    entities_of.app.store.rebuild(entities_of.app.default_project)

    assert {name: entities_of.list(name) for name in made} == before
