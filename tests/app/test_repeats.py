"""Whatever writes is answered alike when it is asked again under its key, and is done once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import InvalidInput
from tests.conftest import OpenApp, a_caller
from tests.contract.everything_asked import SECRET, Asking, Json, ask_nearly_everything, ask_the_end

_KEYS = count(1)


@dataclass
class Repeating(Asking):
    """Asks everything twice under one key: of the same program, and of another on its store."""

    elsewhere: Callable[[], Application] | None = None
    repeated: int = 0

    def __call__(self, name: str, /, **arguments: Any) -> Json:
        """Ask, and ask again."""
        if not self.app.catalog.find(name).writes or arguments.get("preview"):
            return super().__call__(name, **arguments)
        keyed = replace(self, caller=replace(self.caller, idempotency_key=f"k-{next(_KEYS)}"))
        told = Asking.__call__(keyed, name, **arguments)
        before = self.app.store.engine.heads()
        again = self.app.call(name, arguments, keyed.caller)
        assert again.model_dump(mode="json", exclude_none=True) == told, name
        if self.elsewhere:
            fresh = replace(keyed.caller, seat=Seat())
            there = self.elsewhere().call(name, arguments, fresh)
            assert there.model_dump(mode="json", exclude_none=True) == told, name
        assert self.app.store.engine.heads() == before, name
        self.repeated += 1
        return told


@pytest.mark.fault("reply lost")
@pytest.mark.holds("ALL-05.3", "ALL-05.7")
def test_every_operation_answers_a_repeat_as_it_did_first(
    open_app: OpenApp, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_SECRET", SECRET)
    settings = {"embedder": "none", "review_window_s": 0}
    app, other = open_app(**settings), open_app(**settings)
    asking = Repeating(app, a_caller(secret=SECRET), elsewhere=lambda: other)

    ask_nearly_everything(asking, files)
    ask_the_end(asking)

    asked = {name for name, _ in asking.asked if app.catalog.find(name).writes}
    everything = {one.name for one in app.catalog if one.writes and not one.name.startswith("toy")}
    assert everything - asked == set(), "give these a sample"
    assert asking.repeated >= len(everything)


ENDS = ["record_session_end", "close_session"]


def begun(app: Application, **how: Any) -> Caller:
    caller = a_caller(**how)
    app.call("audit_event", {"type": "note", "description": "begun"}, caller)
    return caller


@pytest.mark.fault("reply lost")
@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("named", [True, False])
def test_an_end_is_answered_again_by_whoever_comes_next(
    open_app: OpenApp, name: str, named: bool
) -> None:
    app = open_app()
    caller = replace(begun(app, session="main"), idempotency_key="k")
    arguments = {"session_id": "main", "summary": "Done"} if named else {"summary": "Done"}

    first = app.call(name, arguments, caller)
    again = open_app().call(name, arguments, replace(caller, seat=Seat()))

    assert again == first


@pytest.mark.parametrize("name", ENDS)
def test_a_closed_session_is_still_closed_to_other_requests(app: Application, name: str) -> None:
    caller = replace(begun(app, session="main"), idempotency_key="k")
    app.call(name, {"summary": "Done"}, caller)

    with pytest.raises(InvalidInput):
        app.call(name, {"summary": "Otherwise"}, caller)
    for key in ("other", None):
        with pytest.raises(Exception, match="closed"):
            app.call(name, {"summary": "Done"}, replace(caller, idempotency_key=key))


def test_a_key_answers_nobody_else(app: Application) -> None:
    caller = replace(begun(app, session="main"), idempotency_key="k")
    app.call("close_session", {"summary": "Done"}, caller)
    stranger = replace(a_caller("human", "admin"), session="main", idempotency_key="k")

    with pytest.raises(Exception, match="closed"):
        app.call("close_session", {"summary": "Done"}, stranger)
