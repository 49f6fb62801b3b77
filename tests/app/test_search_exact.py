"""What is asked for by its name comes first, however near something else is in meaning."""

from collections.abc import Sequence
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.search_all import Everything
from hansard.app.search_answers import SearchRequest
from hansard.kernel.engine import Hit
from hansard.kernel.event import Stamp
from hansard.kernel.meaning import NoMeanings
from hansard.kernel.operation import Caller, Context
from hansard.kernel.similarity import Likeness

OTHERS = 12


class NearTo(NoMeanings):
    """Meanings that find these things, and no other, very near to every question."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del project, topic, query, others
        return [Hit(key, 0.95) for key in self.keys][:limit]


def asked(app: Application, caller: Caller, operation: str, **arguments: Any) -> dict[str, Any]:
    return app.call(operation, arguments, caller).model_dump()


def record(app: Application, agent: Caller, text: str) -> str:
    fields = {"type": "note", "title": "A note", "summary": "", "body": text}
    return str(asked(app, agent, "create_record", **fields)["record"]["id"])


def decision(app: Application, agent: Caller, text: str) -> str:
    fields = {"title": text, "target": f"about {text}", "rationale": "It was the simplest."}
    return str(asked(app, agent, "record_decision", **fields)["decision_id"])


def document(app: Application, agent: Caller, text: str) -> str:
    data = {"title": "A document", "content": text}
    made = asked(app, agent, "entity_create", type="textDocument", data=data)
    return str(made["entity"]["id"])


class Alike(NearTo):
    """Meanings that find six things, all of which are alike but for the fourth."""

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del project, topic, query, limit, others
        scores = (0.92, 0.91, 0.9, 0.6, 0.59, 0.58)
        return [Hit(*one) for one in zip(self.keys, scores, strict=True)]

    def alike(self, project: str, topic: str, query: str, keys: Sequence[str]) -> Likeness:
        del project, topic, query
        lone = self.keys[3]
        return [[float(lone not in (one, other)) for other in keys] for one in keys]


def test_a_document_like_good_hits_comes_before_one_that_stands_alone(
    app: Application, agent: Caller
) -> None:
    keys = [document(app, agent, f"number {number}") for number in range(6)]
    stamp = Stamp(agent.actor, "2026-01-01T00:00:00.000Z")
    context = Context(app.store, app.default_project, agent, stamp)
    request = SearchRequest(query="quite other words", kinds=["entity"])

    answer = Everything(Alike(keys)).search(request, context)

    assert [one.id for one in answer.results] == [*keys[:3], *keys[4:], keys[3]]


@pytest.mark.parametrize("make", [record, decision, document])
@pytest.mark.parametrize(
    "name",
    ["ERR_CONN-4521", "9f8e7d6c5b4a", "src/pay/retry.py", "Fridolin", "Store.write", "v2.7.1"],
)
def test_a_name_or_a_rare_word_comes_first_whatever_else_is_near(
    app: Application, agent: Caller, make: Any, name: str
) -> None:
    others = [make(app, agent, f"retry the payment number {one}") for one in range(OTHERS)]
    wanted = make(app, agent, f"it failed with {name} when the store was written")
    stamp = Stamp(agent.actor, "2026-01-01T00:00:00.000Z")
    context = Context(app.store, app.default_project, agent, stamp)

    answer = Everything(NearTo(others)).search(SearchRequest(query=name), context)

    assert answer.results[0].id == wanted
    assert answer.results[0].words
