"""What may be said of an entity: up to each limit and no further, and every fault is named."""

from typing import Any

import pytest

from hansard.entities import limits, rules
from hansard.entities.types import TYPES
from hansard.entities.types.entity import REDACTED, EntityType
from hansard.kernel.problem import InvalidInput

BY_NAME: dict[str, EntityType] = {one.name: one for one in TYPES}
DOCUMENT, CONNECTION = BY_NAME["textDocument"], BY_NAME["modelConnection"]
GRAPH = BY_NAME["agentGraph"]


MODEL = {"name": "m", "accessFormat": "openai", "providerId": "p", "modelId": "m"}


def document(**rest: Any) -> dict[str, Any]:
    return {"title": "Ink", "content": "It lasts", **rest}


@pytest.mark.parametrize(
    ("clock", "previous", "given"),
    [
        ("2026-01-02T00:00:00.000000Z", None, "2026-01-02T00:00:00.000000Z"),
        (
            "2026-01-02T00:00:00.000001Z",
            "2026-01-02T00:00:00.000000Z",
            "2026-01-02T00:00:00.000001Z",
        ),
        (
            "2026-01-02T00:00:00.000000Z",
            "2026-01-02T00:00:00.000000Z",
            "2026-01-02T00:00:00.000001Z",
        ),
        (
            "2026-01-01T00:00:00.000000Z",
            "2026-01-02T00:00:00.000000Z",
            "2026-01-02T00:00:00.000001Z",
        ),
    ],
)
def test_each_change_is_later_than_the_one_before(
    clock: str, previous: str | None, given: str
) -> None:
    assert rules.later(clock, previous) == given


@pytest.mark.parametrize("more", [0, 1])
def test_what_a_list_is_filtered_by_is_short(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WHERE_CHARS_MAX", 50)
    given = document(title="x" * (50 + more))

    if more:
        with pytest.raises(InvalidInput):
            rules.fit(DOCUMENT, given)
    else:
        assert rules.fit(DOCUMENT, given)["title"] == given["title"]


@pytest.mark.parametrize("more", [0, 1])
def test_an_entity_is_as_large_as_the_limit_and_no_larger(more: int) -> None:
    text = "x" * (limits.ENTITY_BYTES_MAX - len('{"text":""}') + more)

    if more:
        with pytest.raises(InvalidInput):
            rules.check_size("data", {"text": text})
    else:
        rules.check_size("data", {"text": text})


def test_what_hides_a_secret_is_not_taken_for_one() -> None:
    with pytest.raises(InvalidInput) as refused:
        rules.fit(CONNECTION, MODEL | {"data": REDACTED})

    assert refused.value.details["argument"] == "data.data"
    assert rules.given_only(CONNECTION, {"name": "m", "data": REDACTED}) == {"name": "m"}
    assert rules.given_only(CONNECTION, {"data": "open"}) == {"data": "open"}


def test_of_many_faults_the_first_five_are_said_and_twenty_named() -> None:
    unknown = {f"unknown{number:02}": 1 for number in range(30)}

    with pytest.raises(InvalidInput) as refused:
        rules.fit(DOCUMENT, document(**unknown))

    assert str(refused.value).count("there is no such field") == 5
    assert len(refused.value.details["arguments"]) == 20


@pytest.mark.parametrize(
    ("given", "argument", "why"),
    [
        ({"title": "Ink", "content": "x", "colour": 1}, "data.colour", "there is no such field"),
        ({"title": "Ink", "content": "x", "id": "z"}, "data.id", "is set here"),
        ({"content": "x"}, "data.title", "is required"),
    ],
)
def test_a_fault_is_named_with_what_is_wrong(
    given: dict[str, Any], argument: str, why: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        rules.fit(DOCUMENT, given)

    assert {"argument": argument, "why": why} in refused.value.details["arguments"]


def test_the_name_of_a_wrong_field_is_not_repeated_without_end() -> None:
    with pytest.raises(InvalidInput) as refused:
        rules.fit(DOCUMENT, document(**{"x" * 500: 1}))

    [fault] = refused.value.details["arguments"]
    assert fault["argument"] == f"data.{'x' * 500}"[:200]
