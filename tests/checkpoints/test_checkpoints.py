"""Saving, loading, listing, marking, deleting and comparing, through the waist on every engine."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.checkpoints.answers import CheckpointLoadedAnswer, ContextsComparedAnswer
from hansard.checkpoints.contract import CheckpointNotFound
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.sessions.contract import SessionNotFound
from tests.checkpoints.asking import listing, load, mark, save
from tests.conftest import OpenApp, a_caller


@pytest.mark.holds(
    "001-save-1", "001-save-7", "001-load-1", "001-load-2", "CHK-session-4", "ALL-01.4"
)
def test_what_is_saved_is_loaded_by_id_and_by_session(open_app: OpenApp, agent: Caller) -> None:
    context = {"goal": "ship it", "steps": [1, 1.0, None, {"ü": "🙈"}]}
    saved = save(open_app(), agent, context, sessionId="w")
    app = open_app()

    assert (saved.status, saved.sessionId) == ("SAVED", "w")
    assert load(app, agent, checkpointId=saved.checkpointId).context == context
    assert load(app, agent, sessionId="w").checkpointId == saved.checkpointId


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.holds("CHK-view-1", "CHK-view-2")
@given(context=st.dictionaries(st.text(), JSON, max_size=5))
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_json_comes_back_equal_in_value_and_type(
    app: Application, agent: Caller, context: dict[str, Any]
) -> None:
    saved = save(app, agent, context, force=True)

    loaded = load(app, agent, checkpointId=saved.checkpointId).context

    assert repr(_ordered(loaded)) == repr(_ordered(context))


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


@pytest.mark.holds(
    "001-save-5", "001-save-8", "001-errors-CONTEXT_UNCHANGED", "CHK-hash-3", "CHK-hash-7"
)
def test_the_same_context_in_another_key_order_is_not_saved_again(
    app: Application, agent: Caller
) -> None:
    first = save(app, agent, {"a": 1, "b": {"c": 2, "d": 3}})
    before = app.store.engine.heads()

    again = save(app, agent, {"b": {"d": 3, "c": 2}, "a": 1})

    assert (again.status, again.checkpointId) == ("SKIPPED_UNCHANGED", first.checkpointId)
    assert app.store.engine.heads() == before
    assert save(app, agent, {"a": 1, "b": {"c": 2, "d": 3}}, force=True).status == "SAVED"


@pytest.mark.holds("CHK-hash-4")
@pytest.mark.parametrize(
    "changed", [{"a": {"b": {"c": 2}}}, {"a": {"b": {"c": 1.0}}}, {"a": {"b": {"c": True}}}]
)
def test_any_nested_change_is_saved(
    app: Application, agent: Caller, changed: dict[str, Any]
) -> None:
    save(app, agent, {"a": {"b": {"c": 1}}})

    assert save(app, agent, changed).status == "SAVED"


@pytest.mark.holds("CHK-hash-8")
def test_a_mark_made_since_defeats_the_skip(app: Application, agent: Caller) -> None:
    first = save(app, agent, {"goal": "x"})
    mark(app, agent, "goal")

    again = save(app, agent, {"goal": "x"})

    assert again.status == "SAVED"
    assert again.checkpointId != first.checkpointId
    assert save(app, agent, {"goal": "x"}).status == "SKIPPED_UNCHANGED"


@pytest.mark.holds("001-load-3", "001-errors-INVALID_INPUT", "CHK-session-2")
def test_load_takes_a_checkpoint_or_a_session_and_not_both(app: Application, agent: Caller) -> None:
    saved = save(app, agent, {"a": 1}, sessionId="w")

    with pytest.raises(InvalidInput):
        load(app, agent, checkpointId=saved.checkpointId, sessionId="w")


@pytest.mark.holds("CHK-session-8", "CHK-session-3")
def test_load_of_nothing_gives_the_newest_of_the_project_and_says_whose(
    app: Application, agent: Caller
) -> None:
    with pytest.raises(CheckpointNotFound):
        load(app, agent)
    other = a_caller()
    app.call("create_project", {"id": "elsewhere", "name": "Elsewhere"}, other)
    started = {"title": "Ship the thing", "user_message": "Ship it", "session_id": "hers"}
    app.call("record_session_start", started, other)
    hers = save(app, other, {"whose": "hers"}, sessionId="hers", metadata={"name": "By noon"})
    save(app, agent, {"whose": "mine"}, sessionId="mine")
    newest = save(app, other, {"whose": "hers again"}, sessionId="hers")
    save(app, other, {"whose": "theirs"}, project_id="elsewhere")
    mine = a_caller(session="mine")

    loaded = load(app, mine)

    assert (loaded.checkpointId, loaded.sessionId) == (newest.checkpointId, "hers")
    assert loaded.sessionTitle == "Ship the thing"
    assert loaded.metadata["agentId"] == other.actor.id
    told = loaded.text()
    assert all(one in told for one in ("hers", "Ship the thing", other.actor.id))
    assert loaded.metadata["createdAt"] in told
    assert "By noon" in load(app, mine, checkpointId=hers.checkpointId).text()


@pytest.mark.holds(
    "001-errors-CHECKPOINT_NOT_FOUND",
    "001-errors-SESSION_NOT_FOUND",
    "CHK-session-5",
    "CHK-session-6",
    "CHK-session-7",
)
def test_what_is_not_there_is_not_found(app: Application, agent: Caller) -> None:
    for unknown in ("C999", "../../etc/passwd", "🙈"):
        with pytest.raises(CheckpointNotFound):
            load(app, agent, checkpointId=unknown)
    for operation, arguments in (
        ("workflow_checkpoint_load", {"sessionId": "nobody"}),
        ("workflow_checkpoint_list", {"sessionId": "nobody"}),
        ("workflow_mark_critical", {"sessionId": "nobody", "contextKey": "a"}),
    ):
        with pytest.raises(SessionNotFound):
            app.call(operation, arguments, agent)


@pytest.mark.holds("ALL-01.7")
def test_both_spellings_of_the_session_are_taken(app: Application, agent: Caller) -> None:
    save(app, agent, {"a": 1}, session_id="w")

    assert listing(app, agent, session_id="w").total == 1
    with pytest.raises(InvalidInput):
        listing(app, agent, session_id="w", sessionId="v")


@pytest.mark.holds("ALL-02.10")
def test_a_checkpoint_of_another_project_is_not_found(app: Application, agent: Caller) -> None:
    app.call("create_project", {"id": "other", "name": "Other"}, agent)
    there = save(app, a_caller(), {"secret": 1}, project_id="other")

    with pytest.raises(CheckpointNotFound):
        load(app, agent, checkpointId=there.checkpointId)
    assert load(app, agent, checkpointId=there.checkpointId, project_id="other").context


@pytest.mark.holds("001-list-1", "001-list-3", "CHK-list-3", "CHK-list-4", "ALL-08.4")
def test_lists_are_newest_first_paged_and_filtered(app: Application, agent: Caller) -> None:
    for number in range(5):
        metadata = {"name": f"step {number}", "tags": ["even" if number % 2 == 0 else "odd", "all"]}
        save(app, agent, {"n": number}, sessionId="w", metadata=metadata)

    def ids(**arguments: Any) -> list[str]:
        return [
            one.checkpointId for one in listing(app, agent, sessionId="w", **arguments).checkpoints
        ]

    everything = ids()
    assert everything == sorted(everything, reverse=True)
    assert ids(limit=2) == everything[:2]
    assert ids(limit=2, offset=2) == everything[2:4]
    first = listing(app, agent, sessionId="w", limit=2)
    assert ids(limit=9, cursor=first.nextCursor) == everything[2:]
    assert ids(tags=["even", "all"]) == everything[::2]
    assert ids(name="step 3") == [everything[1]]
    assert ids(query="STEP 4") == [everything[0]]
    assert listing(app, agent, sessionId="w", tags=["odd"]).total == 2
    assert first.session.tags == ["all", "even", "odd"]
    assert first.session.totalSizeBytes > 0


@pytest.mark.holds("CHK-metadata-1", "CHK-metadata-2")
def test_metadata_without_a_meaning_is_kept_and_sets_nothing(
    app: Application, agent: Caller
) -> None:
    saved = save(
        app, agent, {"a": 1}, metadata={"id": "mine", "contextHash": "0", "blobPath": "/x", "n": 1}
    )

    loaded = load(app, agent, checkpointId=saved.checkpointId)

    assert loaded.metadata["extra"] == {"id": "mine", "contextHash": "0", "blobPath": "/x", "n": 1}
    assert loaded.metadata["contextHash"] == saved.contextHash
    assert loaded.checkpointId != "mine"


def test_keys_and_metadata_may_hold_any_character(app: Application, agent: Caller) -> None:
    context, metadata = {"a\0b": "c\0"}, {"mine": {"k\0": "🙈"}, "classes": {"a\0b": "USEFUL"}}
    save(app, agent, context, sessionId="w", metadata=metadata)

    assert mark(app, agent, "a\0b", sessionId="w").status == "SUCCESS"
    loaded = load(app, agent, sessionId="w")
    assert loaded.context == context
    assert loaded.metadata["extra"] == {"mine": {"k\0": "🙈"}}
    assert loaded.metadata["classes"] == {"a\0b": "USEFUL"}


@pytest.mark.holds("001-mark-2", "001-load-5", "CHK-class-3")
def test_marks_look_at_the_context_last_saved_or_loaded(app: Application, agent: Caller) -> None:
    first = save(app, agent, {"old": 1}, sessionId="w")
    save(app, agent, {"new": 1}, sessionId="w")

    assert mark(app, agent, "new", sessionId="w").status == "SUCCESS"
    assert mark(app, agent, "old", sessionId="w").status == "KEY_NOT_FOUND"
    load(app, agent, checkpointId=first.checkpointId)
    assert mark(app, agent, "old", sessionId="w").status == "SUCCESS"


@pytest.mark.holds("ALL-01.22")
def test_a_mark_survives_a_restart(open_app: OpenApp, agent: Caller) -> None:
    save(open_app(), agent, {"goal": "x" * 5_000, "other": "y" * 5_000}, sessionId="w")
    mark(open_app(), agent, "goal", sessionId="w")

    loaded = load(open_app(), agent, sessionId="w", budget_tokens=100)

    assert loaded.context["goal"] == "x" * 5_000
    assert loaded.context.get("other") != "y" * 5_000


@pytest.mark.holds("001-mark-1", "001-mark-4", "CHK-class-4", "CHK-class-5")
def test_a_mark_before_the_first_save_waits(app: Application, agent: Caller) -> None:
    pending = mark(app, agent, "goal")
    save(app, agent, {"goal": "x" * 5_000, "other": "y" * 5_000})

    loaded = load(app, agent, sessionId=pending.sessionId, budget_tokens=100)

    assert pending.status == "SUCCESS"
    assert "the mark waits" in pending.message
    assert loaded.context["goal"] == "x" * 5_000


BIG = "word " * 2_000


@pytest.mark.holds("CHK-view-3", "CHK-view-4", "CHK-view-5", "CHK-view-6", "CHK-view-7", "ALL-08.8")
def test_a_budget_drops_the_ephemeral_then_shortens_and_says_how_to_get_it(
    app: Application, agent: Caller
) -> None:
    context = {
        "goal": BIG,
        "debug": BIG,
        "notes": BIG,
        "plan": BIG,
        "declared": BIG,
        "tiny": "kept",
    }
    saved = save(app, agent, context, metadata={"classes": {"declared": "CRITICAL"}})

    def view(tokens: int) -> CheckpointLoadedAnswer:
        return load(app, agent, checkpointId=saved.checkpointId, budget_tokens=tokens)

    assert view(100_000).context == context
    roomy = view(11_000)
    assert "debug" not in roomy.context
    assert roomy.context["notes"] == BIG
    tight = view(8_000)
    assert 1_500 < len(tight.context["notes"]) < 2_500
    assert tight.context["plan"] == BIG
    least = view(10)
    assert len(least.context["plan"]) < 500
    assert least.context["goal"] == least.context["declared"] == BIG
    assert least.context["tiny"] == "kept"
    assert least.warning is not None
    assert {one.key for one in least.omitted or []} == {"debug", "notes", "plan"}
    whole = load(app, agent, checkpointId=saved.checkpointId, keys=["debug", "plan"])
    assert whole.context == {"debug": BIG, "plan": BIG}
    assert load(app, agent, checkpointId=saved.checkpointId).context == context


@pytest.mark.holds("CHK-ours-1")
def test_a_deleted_checkpoint_is_gone_and_the_others_are_whole(
    app: Application, agent: Caller
) -> None:
    saved = [save(app, agent, {"text": BIG, "n": number}, sessionId="w") for number in range(9)]
    for gone in (saved[0], saved[4], saved[8]):
        app.call("workflow_checkpoint_delete", {"checkpointId": gone.checkpointId}, agent)

    with pytest.raises(CheckpointNotFound):
        load(app, agent, checkpointId=saved[4].checkpointId)
    assert load(app, agent, sessionId="w").context["n"] == 7
    for number in (1, 2, 3, 5, 6, 7):
        loaded = load(app, agent, checkpointId=saved[number].checkpointId)
        assert loaded.context == {"text": BIG, "n": number}
    assert listing(app, agent, sessionId="w").total == 6


def test_after_the_latest_was_deleted_the_one_before_it_is_the_latest(
    app: Application, agent: Caller
) -> None:
    first = save(app, agent, {"n": 1}, sessionId="w")
    second = save(app, agent, {"n": 2}, sessionId="w")
    app.call("workflow_checkpoint_delete", {"checkpointId": second.checkpointId}, agent)

    same = save(app, agent, {"n": 1}, sessionId="w")
    compared = app.call("workflow_checkpoint_diff", {"from": first.checkpointId}, agent)
    again = save(app, agent, {"n": 2}, sessionId="w")

    assert (same.status, same.checkpointId) == ("SKIPPED_UNCHANGED", first.checkpointId)
    assert isinstance(compared, ContextsComparedAnswer)
    assert (compared.to, compared.total) == (first.checkpointId, 0)
    assert again.status == "SAVED"
    for gone in (first, again):
        app.call("workflow_checkpoint_delete", {"checkpointId": gone.checkpointId}, agent)
    assert mark(app, agent, "later", sessionId="w").status == "SUCCESS"
    assert save(app, agent, {"n": 2}, sessionId="w").status == "SAVED"


@pytest.mark.holds("CHK-ours-2")
def test_two_contexts_are_compared_place_by_place(app: Application, agent: Caller) -> None:
    old = save(app, agent, {"a": {"x/y": 1, "gone": 2}, "list": [1, 2]})
    save(app, agent, {"a": {"x/y": 1.0}, "list": [1, 2, 3], "added": None})

    compared = app.call("workflow_checkpoint_diff", {"from": old.checkpointId}, agent)

    assert isinstance(compared, ContextsComparedAnswer)
    assert {(one.path, one.change) for one in compared.differences} == {
        ("/a/x~1y", "changed"),
        ("/a/gone", "removed"),
        ("/list/2", "added"),
        ("/added", "added"),
    }
    assert compared.total == 4


@pytest.mark.holds("CHK-hash-5", "CHK-hash-6")
@pytest.mark.parametrize(
    "bad", [{"a": float("nan")}, {"a": float("inf")}, {"a": 2**70}, {"a": "\ud800"}, {"\ud800": 1}]
)
def test_what_has_no_exact_form_is_refused_by_name(
    app: Application, agent: Caller, bad: dict[str, Any]
) -> None:
    save(app, agent, {"a": 1})
    before = app.store.engine.heads()

    with pytest.raises(InvalidInput, match="context"):
        save(app, agent, bad)

    assert app.store.engine.heads() == before


def test_depth_64_is_taken_and_65_is_not(app: Application, agent: Caller) -> None:
    def nested(levels: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in range(levels - 1):
            value = {"in": value}
        return value

    saved = save(app, agent, nested(64))
    assert load(app, agent, checkpointId=saved.checkpointId).context == nested(64)
    with pytest.raises(InvalidInput):
        save(app, agent, nested(65))


def test_a_hundred_thousand_keys_come_back(app: Application, agent: Caller) -> None:
    context = {f"key {number}": number for number in range(100_000)}

    saved = save(app, agent, context)

    assert load(app, agent, checkpointId=saved.checkpointId).context == context
