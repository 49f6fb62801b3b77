"""What is asked for by its name comes first, however near something else is in meaning."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.search_all import Everything
from hansard.app.search_answers import SearchRequest
from hansard.kernel.engine import Hit
from hansard.kernel.event import Stamp
from hansard.kernel.meaning import NoMeanings
from hansard.kernel.operation import Caller, Context

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
