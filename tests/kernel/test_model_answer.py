"""What a model is told of an answer: the marks on fields, and what they leave out."""

from typing import Annotated, Any

import pytest

from hansard.kernel.model import Model
from hansard.kernel.model_answer import (
    KEPT,
    LINES,
    NO_COUNT,
    PROOF,
    SECONDS,
    SHORT,
    UNTOLD,
    only,
    told,
    unless,
    whole_seconds,
)

DIGEST = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"


class Inner(Model):
    id: str
    digest: Annotated[str | None, PROOF] = None
    title: str = ""

    def line(self) -> str:
        return f"{self.id}: {self.title}"


class Brief(Inner):
    def told_by(self) -> tuple[str, ...] | None:
        return ("id",) if self.title == "known" else None


class Answer(Model):
    """One field of each kind; each test sets some."""

    need: str = "yes"
    text: Annotated[str | None, UNTOLD] = None
    inner: Inner | None = None
    inners: list[Inner] | None = None
    few: Annotated[Inner | None, only("id")] = None
    lines: Annotated[list[Inner] | None, LINES] = None
    named: dict[str, Inner] | None = None
    data: dict[str, Any] | None = None


class Required(Model):
    text: str
    items: list[str]
    flag: bool
    number: int
    count: Annotated[int, NO_COUNT]
    kept: Annotated[list[str], KEPT]
    usual: Annotated[str, unless("fresh")]
    anything: Any


def required(**given: Any) -> Required:
    nothing: dict[str, Any] = {
        "text": "", "items": [], "flag": False, "number": 0, "count": 0, "kept": [],
        "usual": "fresh", "anything": None,
    }  # fmt: skip
    return Required(**nothing | given)


def test_what_is_empty_is_left_out_and_a_number_is_not() -> None:
    assert told(required()).content == {"number": 0, "kept": []}


@pytest.mark.parametrize(
    "given",
    [
        {"text": "a"}, {"items": [""]}, {"flag": True}, {"count": 1}, {"usual": "stale"},
        {"anything": []}, {"anything": 0}, {"anything": False}, {"anything": ""},
    ],
)  # fmt: skip
def test_what_says_something_is_told(given: dict[str, Any]) -> None:
    assert given.items() <= told(required(**given)).content.items()


def test_what_is_as_its_default_says_is_left_out() -> None:
    assert told(Answer()).content == {}
    assert told(Answer(need="")).content == {"need": ""}


def test_what_a_caller_gave_as_data_is_never_touched() -> None:
    data: dict[str, Any] = {
        "empty": "",
        "none": None,
        "zero": 0,
        "at": "2026-01-01T00:00:00.123456Z",
        "deep": [{}],
    }

    assert told(Answer(data=data)).content["data"] == data


def test_proof_is_found_by_its_place_in_the_whole_answer() -> None:
    inner = Inner(id="i", digest=DIGEST)

    said = told(Answer(inner=inner, inners=[Inner(id="a"), inner], named={"a/b~c": inner}))

    assert said.content == {
        "inner": {"id": "i"},
        "inners": [{"id": "a"}, {"id": "i"}],
        "named": {"a/b~c": {"id": "i"}},
    }
    assert said.proof == dict.fromkeys(
        ["/inner/digest", "/inners/1/digest", "/named/a~1b~0c/digest"], DIGEST
    )


def test_some_parts_are_told_by_few_of_their_fields_or_in_a_line() -> None:
    inner = Inner(id="i", title="t", digest=DIGEST)

    said = told(Answer(few=inner, lines=[inner], inners=[Brief(id="b", title="known"), inner]))

    assert said.content["few"] == {"id": "i"}
    assert said.content["lines"] == ["i: t"]
    assert said.content["inners"] == [{"id": "b"}, {"id": "i", "title": "t"}]


class Times(Model):
    at: Annotated[str, SECONDS]
    sha256: Annotated[str, SHORT]


def test_times_are_told_to_the_second_and_digests_by_their_first_digits() -> None:
    said = told(Times(at="2026-11-18T02:15:47.157483Z", sha256=DIGEST))

    assert said.content == {"at": "2026-11-18T02:15:47Z", "sha256": DIGEST[:12]}
    assert said.proof == {"/sha256": DIGEST}


@pytest.mark.parametrize("time", ["2026-11-18T02:15:47Z", "2026-11-18", "2.5 hours"])
def test_a_time_without_a_fraction_stays(time: str) -> None:
    assert whole_seconds(time) == time
