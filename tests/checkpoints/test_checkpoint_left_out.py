"""What a budget left out does not come back as the whole, whatever process it is saved by."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.checkpoints.omitted_keys import LeftOut, cut_keys, keys_gone, left_out
from hansard.checkpoints.views import CONTEXTS, GIVEN_MAX
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.checkpoints.asking import load, save
from tests.conftest import OpenApp, a_caller

SAID = [{"id": number} for number in range(900)]
"""None of them is ever cut: only the place of the first tells that there were others."""


def without_a_process() -> Caller:
    """Ask as over HTTP, where each request stands alone and no process remembers a chat."""
    return a_caller(seat=False)


@pytest.mark.parametrize("nested", [False, True])
def test_another_process_knows_what_a_session_was_not_given(
    open_app: OpenApp, *, nested: bool
) -> None:
    def context(said: list[Any]) -> dict[str, Any]:
        return {"goal": "ship it", "state": {"said": said}} if nested else {"said": said}

    one, key = open_app(), "state" if nested else "said"
    whole = save(one, without_a_process(), context(SAID), sessionId="w")
    view = load(one, without_a_process(), sessionId="w", budget_tokens=500)
    shown = view.context["state"]["said"] if nested else view.context["said"]
    assert shown == SAID[-len(shown) :]
    other = open_app()

    with pytest.raises(InvalidInput) as refused:
        save(other, without_a_process(), context([*shown, {"id": 900}]), sessionId="w")

    assert refused.value.details == {
        "argument": "context",
        "checkpointId": whole.checkpointId,
        "keys": [key],
    }
    # Once it was given the rest, it may leave out what it likes.
    load(one, without_a_process(), checkpointId=whole.checkpointId, keys=[key])
    saved = save(other, without_a_process(), context([*shown, {"id": 900}]), sessionId="w")
    assert saved.status == "SAVED"
    assert verify(other.store).exit_code == 0


def test_what_other_keys_were_not_given_is_not_forgotten(app: Application) -> None:
    caller = without_a_process()
    save(app, caller, {"said": SAID, "done": SAID}, sessionId="w")
    view = load(app, caller, sessionId="w", budget_tokens=500)
    load(app, caller, sessionId="w", keys=["done"])

    with pytest.raises(InvalidInput) as refused:
        save(app, caller, view.context | {"goal": "more"}, sessionId="w")

    assert refused.value.details["keys"] == ["said"]


def test_keys_of_an_object_that_were_left_out_are_missed(app: Application) -> None:
    caller = without_a_process()
    found = {f"file{number}": "seen" * 12 for number in range(400)}
    save(app, caller, {"found": found}, sessionId="w")
    view = load(app, caller, sessionId="w", budget_tokens=200)
    assert 0 < len(view.context["found"]) < len(found)

    with pytest.raises(InvalidInput) as refused:
        save(app, caller, {"found": view.context["found"] | {"new": "one"}}, sessionId="w")

    assert refused.value.details["keys"] == ["found"]


def test_what_may_be_lost_is_named_when_it_is(app: Application) -> None:
    caller = without_a_process()
    context = {"goal": "ship it", "scratch": "x" * 9_000}
    classes = {"classes": {"scratch": "EPHEMERAL"}}
    first = save(app, caller, context, sessionId="w", metadata=classes)
    view = load(app, caller, sessionId="w", budget_tokens=100)
    assert "scratch" not in view.context

    saved = save(app, caller, view.context | {"next": "sleep"}, sessionId="w")
    again = save(app, caller, view.context | {"next": "wake"}, sessionId="w")

    assert saved.status == "SAVED"
    assert saved.warning == (
        f"{first.checkpointId} has more, which a budget left out and which is not in this one: "
        "scratch."
    )
    assert again.warning is None


def test_what_one_session_was_not_given_is_nothing_to_another(app: Application) -> None:
    whole = save(app, without_a_process(), {"said": SAID}, sessionId="w")
    load(app, without_a_process(), checkpointId=whole.checkpointId, budget_tokens=500)
    rest = load(app, a_caller(), checkpointId=whole.checkpointId, budget_tokens=500).context

    # It was given all of it, by a process that has a session of its own.
    other = a_caller()
    load(app, other, checkpointId=whole.checkpointId)

    assert save(app, other, rest, sessionId="v").status == "SAVED"


def test_of_few_checkpoints_only_it_is_kept_what_was_not_given(app: Application) -> None:
    caller = without_a_process()
    saved = [
        save(app, caller, {"said": [*SAID, number]}, sessionId=f"s{number}").checkpointId
        for number in range(GIVEN_MAX + 2)
    ]
    for one in saved:
        load(app, a_caller(session="reader"), checkpointId=one, budget_tokens=500)

    row = app.store.read("default", lambda tx: tx.get(CONTEXTS, "reader"))
    assert row is not None
    assert sorted(row["given"]) == sorted(saved[-GIVEN_MAX:])


WHOLE = {"a": [1, 2, 3], "o": {"x": [1, 2], "y/z": 1, "k": {"m": 1, "n": 2}}, "t": "text"}


def test_what_is_left_out_is_named_by_its_place() -> None:
    shown = {"a": [3], "o": {"x": [1, 2], "k": {"m": 1}}}

    found = left_out(WHOLE, shown)

    assert found == LeftOut({"/a": 2}, ("/o/y~1z", "/o/k/n", "/t"))
    assert keys_gone({"a": [3]}, found) == ["t"]
    assert found.but_for(["o"]) == LeftOut({"/a": 2}, ("/t",))


@pytest.mark.parametrize(
    ("given", "cut"),
    [
        ({"a": [3, 4]}, ["a"]),
        ({"a": [3]}, ["a"]),
        ({"a": [1, 2, 3, 4]}, []),
        ({"a": [4]}, []),
        ({"a": []}, []),
        ({"a": "summed up"}, []),
        ({}, []),
        ({"o": {"k": {"m": 5}}}, ["o"]),
        ({"o": {"k": {"n": 5}, "y/z": 2}}, []),
        ({"o": {}}, []),
        ({"o": 1}, []),
    ],
)
def test_what_is_only_a_rest_is_told_from_what_is_new(
    given: dict[str, Any], cut: list[str]
) -> None:
    left = LeftOut({"/a": 2}, ("/o/y~1z", "/o/k/n", "/t"))

    assert cut_keys(given, WHOLE, left) == cut


def test_a_list_that_was_shown_empty_and_comes_back_empty_is_only_a_rest() -> None:
    assert cut_keys({"a": []}, WHOLE, LeftOut({"/a": 3})) == ["a"]
    assert cut_keys({"a": [4]}, WHOLE, LeftOut({"/a": 3})) == []
