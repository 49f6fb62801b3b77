"""Activating while others write: the answer is put together in a look, and is never a stale one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context
from hansard.records import activation
from hansard.records.bundle import Bundler
from tests.conftest import a_caller
from tests.records.chats import Chat

Between = Callable[[], object]


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[Between, int], list[str]]:
    """Have something done after the look of an activation and before its write, so many times."""

    def race(act: Between, times: int) -> list[str]:
        looks: list[str] = []
        read = Context.read

        def racing(context: Context, work: Callable[[ReadTx], Any]) -> Any:
            found = read(context, work)
            if getattr(work, "__name__", "") == "prepare":
                looks.append("look")
                if len(looks) <= times:
                    act()
            return found

        monkeypatch.setattr(Context, "read", racing)
        return looks

    return race


CHANGES: dict[str, Callable[[Chat, str, str], object]] = {
    "the record is updated": lambda chat, one, _: chat.update(one, body="Newer\n"),
    "a child is created": lambda chat, one, _: chat.create("New child", one),
    "a child is moved away": lambda chat, _, child: chat.ask(
        "move_record", id=child, parent_id=None
    ),
    "a child changes its state": lambda chat, _, child: chat.move_state(
        child, "DISCARDED", reason="x"
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_another_wrote_between_look_and_write_is_in_the_answer(
    app: Application, between: Callable[[Between, int], list[str]], change: str
) -> None:
    other, chat = Chat(app), Chat(app)
    record = other.create("Record")["id"]
    child = other.create("Child", record)["id"]
    looks = between(lambda: CHANGES[change](other, record, child), 1)

    answer = chat.activate(record, override=True)

    assert looks == ["look", "look"]
    shown = Chat(app).activate(record, override=True)
    assert answer["context"] == shown["context"]
    assert chat.update(record, title="From what was shown")["record"]["title"]
    assert chat.sync().get("changed_by_others", []) == []


def test_whoever_takes_a_record_between_look_and_write_is_told_of(
    app: Application, between: Callable[[Between, int], list[str]]
) -> None:
    record = Chat(app).create("Record")["id"]
    other, chat = Chat(app), Chat(app)
    between(lambda: other.activate(record, override=True), 1)

    answer = chat.activate(record)

    sessions = [one["session_id"] for one in answer["conflict"]["sessions"]]
    assert other.session() in sessions


def test_one_that_is_always_overtaken_is_answered_all_the_same(
    app: Application, between: Callable[[Between, int], list[str]]
) -> None:
    other, chat = Chat(app), Chat(app)
    record = other.create("Record")["id"]
    looks = between(lambda: other.update(record, body=f"Body {len(looks)}\n"), 100)

    answer = chat.activate(record, override=True)

    assert len(looks) == activation.TRIES
    assert answer["context"]["target"]["body"] == f"Body {activation.TRIES}\n"
    assert chat.update(record, title="Mine")["record"]["title"] == "Mine"


def test_work_of_others_elsewhere_has_nothing_put_together_again(
    app: Application, between: Callable[[Between, int], list[str]]
) -> None:
    other, chat = Chat(app), Chat(app)
    record = other.create("Record")["id"]
    looks = between(lambda: other.ask("workflow_checkpoint_save", context={"step": 1}), 1)

    chat.activate(record, override=True)

    assert looks == ["look"]


def test_no_writer_waits_for_a_bundle(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = Chat(app)
    record = chat.create("Record")["id"]
    seen: list[bool] = []
    bundled = Bundler.bundle

    def bundle(self: Bundler, *given: Any) -> Any:
        seen.append(hasattr(self.tx, "append"))
        return bundled(self, *given)

    monkeypatch.setattr(Bundler, "bundle", bundle)
    Chat(app).activate(record, override=True)
    chat.activate(record)

    assert seen
    assert not any(seen)


def test_the_same_request_twice_at_once_is_answered_once(
    app: Application, between: Callable[[Between, int], list[str]]
) -> None:
    record = Chat(app).create("Record")["id"]
    caller = replace(a_caller(), session="one-chat", idempotency_key="k")
    first = Chat(app, caller)
    told: list[Any] = []
    between(lambda: told.append(first.activate(record, override=True)), 1)

    again = Chat(app, caller).activate(record, override=True)

    assert told == [again]
    assert first.activity(types=["activation"]) == ["activation"]
