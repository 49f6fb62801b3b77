"""Who asks, in which session, and what declarations must say."""

import pytest
from pydantic import BaseModel

from hansard.kernel.event import SYSTEM, Actor
from hansard.kernel.operation import (
    Caller,
    Capability,
    Operation,
    ReceiptShown,
    Request,
    Result,
    Seat,
    Written,
)

ANA = Actor("agent", "ana", "agent")


class Told(Result):
    def text(self) -> str:
        return "told"


def operation(**given: object) -> Operation:
    usual = {"writes": False, "role": "agent"} | given
    return Operation("ask", "Ask.", Request, usual.pop("result", Told), lambda *_: Told(), **usual)  # type: ignore[arg-type]


def test_the_session_that_comes_along_counts_before_all_others() -> None:
    seat = Seat()
    seat.sessions["p"] = "own"
    names = {"session": "named", "default_session": "set", "chat": "chat"}

    def session(*left_out: str) -> str | None:
        given = {name: value for name, value in names.items() if name not in left_out}
        return Caller(ANA, seat=seat, **given).session_in("p")  # type: ignore[arg-type]

    assert session() == "named"
    assert session("session") == "set"
    assert session("session", "default_session") == "chat"
    assert session("session", "default_session", "chat") == "own"
    seat.open("p", "opened")
    assert session("session") == "opened"
    assert session("session", "default_session", "chat") == "opened"
    assert Caller(ANA, seat=seat).session_in("q") is None
    assert Caller(ANA).session_in("p") is None


def test_a_seat_forgets_the_session_it_is_told_to_and_no_other() -> None:
    seat = Seat()
    seat.open("p", "one")
    seat.open("q", "one")

    seat.forget("p", "two")
    assert seat.sessions == seat.opened == {"p": "one", "q": "one"}
    seat.forget("p", "one")
    assert seat.sessions == seat.opened == {"q": "one"}
    assert not seat.adopts


def test_whose_context_was_last_before_a_caller_is_kept_by_its_seat() -> None:
    seat = Seat()
    one, other = Caller(ANA, "s", seat=seat), Caller(ANA, seat=seat)

    one.works_on("p", "s1")
    other.works_on("p", "s2")

    assert one.last_context() == ("p", "s1")
    assert other.last_context() == ("p", "s2")
    seatless = Caller(ANA)
    seatless.works_on("p", "s1")
    assert seatless.last_context() is None


def test_a_caller_sees_all_projects_or_those_that_are_named() -> None:
    assert Caller(SYSTEM).sees("p")
    assert Caller(SYSTEM, projects=["p"]).sees("p")
    assert not Caller(SYSTEM, projects=["p"]).sees("q")
    assert not Caller(SYSTEM, projects=[]).sees("p")


def test_what_writes_has_a_receipt_and_is_not_for_viewers() -> None:
    assert operation(writes=True, result=Written).writes
    for wrong in ({"role": "viewer"}, {"result": Told}):
        with pytest.raises(AssertionError):
            operation(**{"writes": True, "result": Written} | wrong)
    assert operation(role="viewer").role == "viewer"


def test_a_capability_names_its_operations_with_their_aliases() -> None:
    known = Capability("some", (operation(aliases=("question",)), operation()))

    assert known.operation_names == ("ask", "question", "ask")
    assert known.passage_kinds == frozenset()


def test_what_was_found_in_a_text_is_said_in_lines_of_their_own() -> None:
    clean = Written(receipt=ReceiptShown(seq=1, hash="h"))
    dirty = Written(hidden_chars={"zero width": 2}, redacted=["a key"], secrets=["a token"])

    assert clean.cautions() == []
    hidden, redacted, kept = dirty.cautions()
    assert "zero width" in hidden
    assert "a key" in redacted
    assert "a token" in kept


def test_an_answer_says_itself_and_is_closed() -> None:
    with pytest.raises(NotImplementedError):
        Result().text()
    assert Told().briefly() == Told()
    with pytest.raises(ValueError, match="extra"):
        Told.model_validate({"more": 1})
    assert issubclass(Request, BaseModel)
