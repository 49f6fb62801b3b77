"""Plans link by themselves: which step is current, when one ends, what a new plan goes on with."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder.story.plans import PlannedStep, continued, starting_step, step_after
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import create, story, timeline


def call(app: Application, caller: Caller, name: str, **arguments: Any) -> Any:
    return app.call(name, arguments, caller)


def plan(app: Application, caller: Caller, *steps: str) -> Any:
    return call(app, caller, "record_plan", steps=list(steps))


def statuses(app: Application, caller: Caller) -> list[tuple[int | None, str | None, str | None]]:
    chapters = story(app, caller).chapters
    return [(one.plan_revision, one.title, one.status) for one in chapters]


def step_of(app: Application, caller: Caller, path: str) -> tuple[int | None, int | None]:
    [item] = timeline(app, caller, path=path)
    return item.plan_revision, item.index


@pytest.mark.holds("FIL-plan-4")
def test_what_follows_a_plan_belongs_to_its_first_step(app: Application, agent: Caller) -> None:
    recorded = plan(app, agent, "Write parser", "Test it")
    create(app, agent, "a")
    call(app, agent, "audit_event", type="note", description="well")
    call(app, agent, "toy_note", text="of another capability")

    [write, test] = story(app, agent).chapters

    assert (recorded.index, recorded.step) == (0, "Write parser")
    assert (write.title, write.status, len(write.beats)) == ("Write parser", "begun", 3)
    assert (test.status, test.beats) == ("planned", [])
    assert "no step" not in story(app, agent).text()


@pytest.mark.holds("FIL-plan-5")
def test_a_single_step_is_current_once_it_is_recorded(app: Application, agent: Caller) -> None:
    call(app, agent, "record_plan_step", step="one")
    create(app, agent, "a")
    added = call(app, agent, "record_plan_step", step="two")
    create(app, agent, "b")

    assert (added.index, added.step) == (1, "two")
    assert (step_of(app, agent, "a"), step_of(app, agent, "b")) == ((1, 0), (1, 1))
    assert statuses(app, agent) == [(1, "one", "ended"), (1, "two", "begun")]


@pytest.mark.holds("FIL-plan-6")
def test_a_step_that_is_done_gives_way_to_the_next(app: Application, agent: Caller) -> None:
    plan(app, agent, "one", "two", "three")
    call(app, agent, "record_step", index=1, status="skipped")

    over = call(app, agent, "record_step", index=0, status="done")
    create(app, agent, "a")

    assert (over.over, over.status, over.index, over.step) == (0, "done", 2, "three")
    assert step_of(app, agent, "a") == (1, 2)
    assert statuses(app, agent) == [
        (1, "one", "done"), (1, "two", "skipped"), (1, "three", "begun"),
    ]  # fmt: skip


def test_after_the_last_step_none_is_current_and_its_work_is_told_last(
    app: Application, agent: Caller
) -> None:
    plan(app, agent, "one")
    create(app, agent, "a")
    over = call(app, agent, "record_step", index=0, status="done")
    create(app, agent, "b")

    assert over.index is None
    assert step_of(app, agent, "b") == (1, None)
    assert [chapter.title for chapter in story(app, agent).chapters] == ["one", None]


@pytest.mark.holds("FIL-plan-6")
def test_a_step_ended_twice_is_ended_once_and_may_be_corrected(
    app: Application, agent: Caller
) -> None:
    plan(app, agent, "one", "two")
    call(app, agent, "record_step", index=0, status="done")

    again = call(app, agent, "record_step", index=0, status="done")
    corrected = call(app, agent, "record_step", index=0, status="skipped")

    assert (again.receipt, again.index) == (None, 1)
    assert corrected.index == 1
    assert len(timeline(app, agent, kinds=["step_ended"])) == 2
    assert statuses(app, agent) == [(1, "one", "skipped"), (1, "two", "begun")]


def test_a_step_begun_twice_is_begun_once(app: Application, agent: Caller) -> None:
    plan(app, agent, "one", "two")

    again = call(app, agent, "record_step", index=0)

    assert (again.receipt, again.index) == (None, 0)
    assert len(timeline(app, agent, kinds=["step_begun"])) == 1


def test_a_step_that_is_over_can_be_begun_again(app: Application, agent: Caller) -> None:
    plan(app, agent, "one", "two")
    call(app, agent, "record_step", index=0, status="done")

    call(app, agent, "record_step", index=0)
    create(app, agent, "a")

    assert step_of(app, agent, "a") == (1, 0)
    assert statuses(app, agent) == [(1, "one", "begun"), (1, "two", "ended")]


@pytest.mark.holds("FIL-plan-7")
@pytest.mark.parametrize("name", ["record_session_end", "close_session"])
def test_the_end_of_a_session_ends_its_step(app: Application, agent: Caller, name: str) -> None:
    session = call(app, agent, "record_session_start", title="Auth").session_id
    plan(app, agent, "one", "two")

    call(app, agent, name, summary="Enough")

    [one, two] = story(app, agent, session_id=session).chapters
    assert (one.status, two.status) == ("ended", "planned")
    assert [beat.activity for beat in one.beats] == ["session_closed"]


@pytest.mark.holds("FIL-plan-8")
def test_a_new_plan_goes_on_with_the_step_in_progress(app: Application, agent: Caller) -> None:
    plan(app, agent, "read", "write", "ship")
    create(app, agent, "a")
    call(app, agent, "record_step", index=0, status="done")
    create(app, agent, "b")

    recorded = plan(app, agent, "read", "measure", " Write ", "ship")
    create(app, agent, "c")

    assert (recorded.plan_revision, recorded.index) == (2, 2)
    assert step_of(app, agent, "c") == (2, 2)
    assert statuses(app, agent) == [
        (1, "read", "done"),
        (1, "write", "ended"),
        (2, "measure", "planned"),
        (2, " Write ", "begun"),
        (2, "ship", "planned"),
    ]


def test_a_new_plan_without_the_step_in_progress_begins_at_its_first(
    app: Application, agent: Caller
) -> None:
    plan(app, agent, "read", "write")

    assert plan(app, agent, "rewrite", "read again").index == 0


def test_steps_that_were_over_are_not_begun_again_by_a_new_plan(
    app: Application, agent: Caller
) -> None:
    plan(app, agent, "read", "write")
    call(app, agent, "record_step", index=0, status="done")
    call(app, agent, "record_step", index=1, status="done")

    assert plan(app, agent, "read", "write", "ship").index == 2
    assert statuses(app, agent)[-1] == (2, "ship", "begun")


def test_a_repeated_plan_is_recorded_once(app: Application) -> None:
    caller = a_caller(idempotency_key="k")

    first = plan(app, caller, "one", "two")
    again = plan(app, caller, "one", "two")

    assert first == again
    assert len(timeline(app, caller, kinds=["plan_step"])) == 2
    assert len(timeline(app, caller, kinds=["step_begun"])) == 1


def test_a_step_that_the_plan_lacks_ends_nothing(app: Application, agent: Caller) -> None:
    plan(app, agent, "one")

    with pytest.raises(InvalidInput):
        call(app, agent, "record_step", index=1, status="done")
    with pytest.raises(InvalidInput):
        call(app, agent, "record_step", index=0, status="finished")

    assert statuses(app, agent) == [(1, "one", "begun")]


def test_two_agents_in_one_session_share_its_plan(app: Application, agent: Caller) -> None:
    """The plan is the session's; whoever works on another step than the current one says so."""
    session = call(app, agent, "record_session_start", title="Auth").session_id
    other = a_caller()
    plan(app, agent, "one", "two")
    call(app, other, "record_step", index=1, session_id=session)
    create(app, agent, "a")

    named = {"session_id": session, "step": 0, "path": "b", "action": "create", "content": "x"}
    app.call("file_op", named, other)

    assert (step_of(app, agent, "a"), step_of(app, agent, "b")) == ((1, 1), (1, 0))


@pytest.mark.holds("FIL-plan-9")
def test_plans_and_steps_of_several_at_once_never_mix(open_app: OpenApp) -> None:
    app = open_app()
    session = call(app, a_caller(), "record_session_start", title="Auth").session_id

    def work(number: int) -> None:
        caller = a_caller()
        steps = [f"{number}.{place}" for place in range(3)]
        call(app, caller, "record_plan", steps=steps, session_id=session)
        call(app, caller, "record_plan_step", step=f"{number}.more", session_id=session)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    items = timeline(app, a_caller(), session_id=session, kinds=["plan_step"])
    plans: dict[int, list[tuple[int, str]]] = {}
    for item in items:
        plans.setdefault(item.plan_revision or 0, []).append((item.index or 0, item.step or ""))
    assert sorted(plans) == [1, 2, 3, 4]
    for steps in plans.values():
        assert [index for index, _ in steps] == list(range(len(steps)))
        assert [step for _, step in steps[:3]] == [
            f"{steps[0][1][0]}.{place}" for place in range(3)
        ]
    begun = timeline(app, a_caller(), session_id=session, kinds=["step_begun"])[-1]
    create(app, Caller(a_caller().actor, session=session), "a")
    assert step_of(app, Caller(a_caller().actor, session=session), "a") == (
        begun.plan_revision, begun.index,
    )  # fmt: skip


# The rules.


def test_a_step_goes_on_by_its_words_once_each() -> None:
    before = [
        PlannedStep("Read", "done"),
        PlannedStep("read", "begun"),
        PlannedStep("ship", "planned"),
    ]

    assert continued(["read ", "READ", "Read", "ship it"], before) == [0, 1, None, None]


def test_a_plan_of_nothing_but_what_is_over_begins_at_its_first() -> None:
    before = [PlannedStep("a", "done"), PlannedStep("b", "skipped")]

    assert starting_step([0, 1], before) == 0
    assert starting_step([None], before) == 0
    assert starting_step([1, None], before) == 1


def test_the_next_step_is_one_that_is_still_planned() -> None:
    steps = [
        PlannedStep("a", "planned"),
        PlannedStep("b", "done"),
        PlannedStep("c", "done"),
        PlannedStep("d", "planned"),
    ]

    assert step_after(1, steps) == 3
    assert step_after(3, steps) is None
