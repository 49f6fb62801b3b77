"""A context within a budget: the room is used, shapes stay, the newest of a list is kept."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.checkpoints.key_classes import CHARS_PER_TOKEN, Class
from hansard.checkpoints.reducing import LEAST_CHARS, reduce, shortened
from hansard.kernel.blob import canonical_json
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.checkpoints.asking import load, save


def size(value: object) -> int:
    return len(canonical_json(value))


def messages(count: int, chars: int = 400) -> list[dict[str, Any]]:
    return [{"role": "user", "id": number, "text": "w" * chars} for number in range(count)]


@pytest.mark.holds("CHK-view-8", "CHK-view-7")
def test_the_newest_messages_can_be_had_within_a_budget(app: Application, agent: Caller) -> None:
    said = messages(300)
    save(app, agent, {"goal": "ship it", "messages": said, "step": 7}, sessionId="w")

    view = load(app, agent, sessionId="w", budget_tokens=4_000)

    budget = 4_000 * CHARS_PER_TOKEN
    assert 0.95 * budget <= size(view.context) <= budget
    kept = view.context["messages"]
    whole = [one for one in kept if one in said]
    assert whole == said[-len(whole) :]
    assert len(kept) - len(whole) <= 1
    [omitted] = view.omitted or []
    assert omitted.itemsLeftOut == 300 - len(kept)
    assert f"{omitted.itemsLeftOut:,} oldest items left out" in view.text()
    assert view.howToFetch
    assert view.howToFetch in view.text()
    assert (view.context["goal"], view.context["step"]) == ("ship it", 7)
    assert load(app, agent, sessionId="w", keys=["messages"]).context == {"messages": said}


@pytest.mark.holds("CHK-view-8")
@pytest.mark.parametrize("budget", [300, 1_000, 5_000, 20_000])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param("x" * 60_000, id="text"),
        pytest.param("ü🙈\n\\" * 9_000, id="text that is longer than it looks"),
        pytest.param(messages(200), id="list"),
        pytest.param(messages(2, 40_000), id="list of long items"),
        pytest.param([messages(100), messages(100)], id="list of lists"),
        pytest.param({"log": messages(200), "n": 1, "s": "short"}, id="object"),
        pytest.param({f"k{n}": "y" * 90 for n in range(900)}, id="object of many keys"),
        pytest.param({"a": {"b": {"c": "z" * 60_000}}}, id="deep"),
    ],
)
def test_a_shorter_value_has_the_same_shape_and_uses_its_room(value: Any, budget: int) -> None:
    short = shortened(value, budget)

    assert type(short) is type(value)
    assert 0.5 * budget <= size(short) <= 1.1 * budget
    assert shortened(value, size(value)) == value


def test_a_text_keeps_its_beginning_and_its_end() -> None:
    text = "begin " + "middle " * 1_000 + "end"

    short = shortened(text, 300)

    assert short.startswith("begin middle")
    assert short.endswith("middle end")
    assert "characters left out" in short


def test_an_object_keeps_all_its_keys_while_there_is_room() -> None:
    value = {"plan": "p" * 5_000, "open": "o" * 5_000, "done": True}

    short = shortened(value, 1_000)

    assert short.keys() == value.keys()
    assert short["done"] is True


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 10**9) | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=20), inner, max_size=12)
    ),
    max_leaves=25,
)


@pytest.mark.holds("CHK-view-3", "CHK-view-4", "CHK-view-5", "CHK-view-8")
@given(
    context=st.dictionaries(st.text(max_size=20), JSON, max_size=8),
    kinds=st.lists(
        st.sampled_from(["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"]), min_size=8, max_size=8
    ),
    budget=st.integers(1, 3_000),
)
@settings(max_examples=60, deadline=None)
def test_what_is_reduced_says_so_and_what_is_critical_never_is(
    context: dict[str, Any], kinds: list[Class], budget: int
) -> None:
    classes = dict(zip(context, kinds, strict=False))

    reduced = reduce(context, classes, budget)

    told = {one.key: one for one in reduced.omitted}
    for key, value in context.items():
        if key not in told:
            assert reduced.context[key] == value
        elif told[key].how == "dropped":
            assert classes[key] == "EPHEMERAL"
            assert key not in reduced.context
        else:
            assert classes[key] in {"USEFUL", "IMPORTANT"}
            assert type(reduced.context[key]) is type(value)
    if size(context) <= budget:
        assert reduced.context == context
    elif reduced.chars > budget:
        left = [key for key in reduced.context if classes[key] in {"USEFUL", "IMPORTANT"}]
        assert all(size(reduced.context[key]) <= 2 * LEAST_CHARS for key in left)
        assert not any(classes[key] == "EPHEMERAL" for key in reduced.context)


NOTES = "".join(f"line {number} of what was found out\n" for number in range(900))


@pytest.mark.parametrize("into", ["w", "another"])
def test_what_a_budget_left_does_not_take_the_place_of_the_whole(
    app: Application, agent: Caller, into: str
) -> None:
    found = {"notes": NOTES, "log": [{"text": NOTES}]}
    whole = save(app, agent, {"goal": "ship it", "found": found}, sessionId="w")
    view = load(app, agent, sessionId="w", budget_tokens=500)
    assert view.omitted

    with pytest.raises(InvalidInput) as refused:
        save(app, agent, view.context | {"goal": "more"}, sessionId=into)

    assert refused.value.details["keys"] == ["found"]
    assert f'"checkpointId": "{whole.checkpointId}", "keys": ["found"]' in str(
        refused.value.recovery_hint
    )
    assert load(app, agent, sessionId="w").context["found"] == found
    decided = save(app, agent, view.context, sessionId=into, force=True)
    assert decided.status == "SAVED"
    # From here on it is what there is, and nobody is asked again.
    assert save(app, agent, view.context | {"goal": "more"}, sessionId=into).status == "SAVED"


def test_the_newest_items_of_a_list_do_not_take_the_place_of_all(
    app: Application, agent: Caller
) -> None:
    said = [{"id": number} for number in range(900)]
    whole = save(app, agent, {"goal": "ship it", "messages": said}, sessionId="w")
    view = load(app, agent, sessionId="w", budget_tokens=500)
    shown = view.context["messages"]
    assert shown == said[-len(shown) :]
    more = {"goal": "more", "messages": [*shown, {"id": 900}]}

    with pytest.raises(InvalidInput) as refused:
        save(app, agent, more, sessionId="w")

    assert refused.value.details["keys"] == ["messages"]
    assert load(app, agent, checkpointId=whole.checkpointId).context["messages"] == said
    # It has all of them now, and may leave out what it likes.
    assert save(app, agent, more, sessionId="w").status == "SAVED"


def test_a_window_over_the_newest_items_is_saved_as_ever(app: Application, agent: Caller) -> None:
    said = [{"id": number} for number in range(900)]
    save(app, agent, {"messages": said}, sessionId="w")
    load(app, agent, sessionId="w")

    moved_on = save(app, agent, {"messages": [*said[100:], {"id": 900}]}, sessionId="w")
    view = load(app, agent, sessionId="w", budget_tokens=500)
    decided = save(app, agent, view.context, sessionId="w", force=True)
    again = save(app, agent, view.context | {"goal": "more"}, sessionId="w")
    summed_up = save(app, agent, {"messages": ["what was said, in short"]}, sessionId="w")

    saved = (moved_on, decided, again, summed_up)
    assert {one.status for one in saved} == {"SAVED"}


def test_a_view_that_a_context_tells_of_is_saved_as_any_text(
    app: Application, agent: Caller
) -> None:
    save(app, agent, {"notes": NOTES, "history": ["began"]}, sessionId="w")
    view = load(app, agent, sessionId="w", budget_tokens=500)

    told = {"notes": NOTES, "history": ["began", f"loaded: {view.text()}"]}

    assert save(app, agent, told, sessionId="w").status == "SAVED"
