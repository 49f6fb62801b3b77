"""The text of an answer says what its structured form says: either alone is enough."""

from collections.abc import Iterator
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.entities.contract import (
    EntityImmutable,
    EntityListAnswer,
    EntityShownAnswer,
    ThreadWrittenAnswer,
)
from hansard.entities.metrics.contract import MetricAnswer
from hansard.kernel.operation import Caller
from tests.entities.asking import CHAT, DOCUMENT, Asking, Json, said
from tests.entities.export_samples import one_of_each


def leaves(value: Any) -> Iterator[str]:
    """Give every value that stands somewhere in an entity, as text would spell it."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, str | float | int) and not isinstance(value, bool):
        yield str(value)


@pytest.mark.holds("ALL-08.2")
def test_the_text_of_an_entity_has_all_of_it(app: Application, agent: Caller) -> None:
    for entity in one_of_each(app, agent).values():
        shown = app.call("entity_get", {"id": entity["id"]}, agent)
        assert isinstance(shown, EntityShownAnswer)

        text = shown.text()

        missing = [leaf for leaf in leaves(shown.entity) if leaf not in text]
        # What a partial is, its arrow says; keys of any JSON are checked by their values.
        assert [one for one in missing if one not in ("text", "toolRequest", "toolResponse")] == []


def test_the_text_of_a_document_says_which_version_it_is(entities_of: Asking) -> None:
    first = entities_of.create("textDocument", DOCUMENT)
    second = entities_of.revise(first["id"], "2")

    old = entities_of.ask(EntityShownAnswer, "entity_get", id=first["id"]).text()
    new = entities_of.ask(EntityShownAnswer, "entity_get", id=second["id"]).text()

    assert f"replaced by {second['id']}" in old
    assert f"previous version {first['id']}, the current one" in new


def test_the_text_of_an_append_names_the_chat(entities_of: Asking) -> None:
    chat: Json = entities_of.create("chatThread", CHAT)

    written = entities_of.append_to_chat(chat["id"], "me", said("hi"))

    assert isinstance(written, ThreadWrittenAnswer)
    assert chat["id"] in written.text()


def test_a_list_says_when_each_was_changed(entities_of: Asking) -> None:
    made = entities_of.create("textDocument", DOCUMENT)

    listed = entities_of.ask(EntityListAnswer, "entity_list", type="textDocument").text()

    assert made["updatedAt"] in listed


def test_figures_are_as_exact_in_text_as_in_numbers(entities_of: Asking) -> None:
    samples = [{"name": "n", "value": value} for value in (123456789.25, 1234567.125)]
    entities_of.app.call("metric_record", {"samples": samples}, entities_of.caller)

    answer = entities_of.ask(MetricAnswer, "metric_query", name="n")

    assert answer.groups
    for figure in ("sum", "mean", "min", "max", "p50", "p95"):
        assert str(getattr(answer.groups[0], figure)) in answer.text()


@pytest.mark.parametrize(("name", "tool"), [("messageThread", "thread_append"), ("metric", "met")])
def test_who_may_not_change_something_is_told_what_to_do_instead(
    entities_of: Asking, name: str, tool: str
) -> None:
    data = {"name": "n", "value": 1} if name == "metric" else {}
    made = entities_of.create(name, data)

    with pytest.raises(EntityImmutable) as refused:
        entities_of.update(made["id"], {})

    assert tool in str(refused.value.as_dict()["recovery_hint"])
