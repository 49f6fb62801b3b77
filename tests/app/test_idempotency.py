"""A repeated request has one effect and one answer."""

import threading

import pytest

from hansard.app.application import Application
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.conftest import OpenApp, a_caller
from tests.toy import NoteTaken


def keyed(key: str, who: str = "me") -> Caller:
    return Caller(Actor("agent", who, "agent"), idempotency_key=key)


def tick(app: Application) -> int:
    return app.store.engine.heads()["default"].tick


@pytest.mark.fault("reply lost")
@pytest.mark.holds("ALL-05.3", "ALL-05.7")
def test_a_repeat_returns_the_first_answer_and_writes_nothing(
    app: Application, open_app: OpenApp
) -> None:
    first = app.call("toy_note", {"text": "once"}, keyed("k"))
    before = app.store.engine.heads()

    again = app.call("toy_note", {"text": "once"}, keyed("k"))
    elsewhere = open_app().call("toy_note", {"text": "once"}, keyed("k"))

    assert first == again == elsewhere
    assert app.store.engine.heads() == before


@pytest.mark.holds("ALL-05.8")
def test_the_same_key_with_other_arguments_is_refused(app: Application) -> None:
    app.call("toy_note", {"text": "once"}, keyed("k"))
    before = app.store.engine.heads()

    with pytest.raises(InvalidInput):
        app.call("toy_note", {"text": "twice"}, keyed("k"))

    assert app.store.engine.heads() == before


@pytest.mark.holds("ALL-05.5")
def test_a_key_belongs_to_its_project_caller_and_operation(app: Application) -> None:
    app.call("create_project", {"id": "other", "name": "Other"}, a_caller())
    app.call("toy_note", {"text": "once"}, keyed("k"))

    app.call("toy_note", {"text": "by another"}, keyed("k", "you"))
    app.call("toy_start", {"text": "otherwise"}, keyed("k"))
    app.call("toy_note", {"text": "elsewhere", "project_id": "other"}, keyed("k"))

    assert tick(app) == 3
    assert app.store.engine.heads()["other"].tick == 1


@pytest.mark.fault("reply lost")
@pytest.mark.holds("ALL-05.6")
def test_many_repeats_at_once_have_one_effect(app: Application) -> None:
    answers: list[object] = []

    def ask() -> None:
        answers.append(app.call("toy_note", {"text": "once"}, keyed("k")))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert tick(app) == 1
    assert len(answers) == 8
    assert all(answer == answers[0] for answer in answers)


def test_a_refusal_is_not_kept(app: Application) -> None:
    with pytest.raises(InvalidInput):
        app.call("toy_note", {"text": "refuse me"}, keyed("k"))

    taken = app.call("toy_note", {"text": "better"}, keyed("k"))

    assert isinstance(taken, NoteTaken)


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_a_length(app: Application, key: str) -> None:
    with pytest.raises(InvalidInput):
        app.call("toy_note", {"text": "once"}, keyed(key))


@pytest.mark.holds("ALL-05.4")
def test_no_operation_takes_a_key_as_an_argument(app: Application) -> None:
    arguments = {name for operation in app.catalog for name in operation.request.model_fields}

    assert not {name for name in arguments if "idempotency" in name}
