"""Records a session's plan, and which step is current.

The plan and its current step belong to the session: agents that share a session and work on several
steps at once pass `step` to say which step each change belongs to.
"""

from hansard.kernel.engine import WriteTx
from hansard.kernel.operation import Context
from hansard.recorder import answers, contract, rules
from hansard.recorder.events import PlanStepRecorded, StepBegun, StepEnded
from hansard.recorder.gateway import Gateway
from hansard.recorder.story import plans
from hansard.recorder.story.chapters import sitting_of, steps_of


def record_plan(
    gateway: Gateway, request: contract.RecordPlan, context: Context
) -> answers.PlanRecordedAnswer:
    """Record a plan and begin its first step; a later one is the next revision, and goes on."""
    session = _session(context)
    steps = [gateway.masked(step) for step in request.steps]

    def work(tx: WriteTx) -> answers.PlanRecordedAnswer:
        before = steps_of(tx, session)
        continues = plans.continued(steps, before)
        revision = (sitting_of(tx, session)["revision"] or 0) + 1
        for index, (step, old) in enumerate(zip(steps, continues, strict=True)):
            recorded = PlanStepRecorded(revision=revision, index=index, step=step, continues=old)
            context.record(tx, recorded)
        current = plans.starting_step(continues, before)
        context.record(tx, StepBegun(revision=revision, index=current))
        return _plan(session, revision, current, steps)

    return context.write(work)


def record_plan_step(
    gateway: Gateway, request: contract.RecordPlanStep, context: Context
) -> answers.PlanRecordedAnswer:
    """Add a step to the end of the current plan, and begin it."""
    session = _session(context)
    step = gateway.masked(request.step)

    def work(tx: WriteTx) -> answers.PlanRecordedAnswer:
        sitting = sitting_of(tx, session)
        rules.require_room(sitting["steps"], 1)
        revision, index = sitting["revision"] or 1, sitting["steps"]
        context.record(tx, PlanStepRecorded(revision=revision, index=index, step=step))
        context.record(tx, StepBegun(revision=revision, index=index))
        return _plan(session, revision, index, [one.text for one in steps_of(tx, session)])

    return context.write(work)


def record_step(request: contract.RecordStep, context: Context) -> answers.StepCurrentAnswer:
    """Begin a step, or say that one is over; asked again, there is nothing to record."""
    session = _session(context)

    def work(tx: WriteTx) -> answers.StepCurrentAnswer:
        sitting = sitting_of(tx, session)
        rules.require_step(request.index, sitting["steps"])
        revision, steps = sitting["revision"], steps_of(tx, session)
        asked, is_current = steps[request.index], sitting["step"] == request.index
        if request.status is None:
            if not is_current:
                context.record(tx, StepBegun(revision=revision, index=request.index))
        elif asked.status != request.status:
            _end(tx, context, request, revision, steps, is_current=is_current)
        return _current(tx, session, request)

    return context.write(work)


def _end(
    tx: WriteTx,
    context: Context,
    request: contract.RecordStep,
    revision: int,
    steps: list[plans.PlannedStep],
    *,
    is_current: bool,
) -> None:
    """Record that a step is over; if it was the current one, the next begins."""
    assert request.status is not None, "a step ended and nobody said how"
    ended = StepEnded(revision=revision, index=request.index, status=request.status)
    context.record(tx, ended)
    following = plans.step_after(request.index, steps) if is_current else None
    if following is not None:
        context.record(tx, StepBegun(revision=revision, index=following))


def _plan(
    session: str, revision: int, current: int, steps: list[str]
) -> answers.PlanRecordedAnswer:
    return answers.PlanRecordedAnswer(
        session_id=session,
        plan_revision=revision,
        steps=len(steps),
        index=current,
        step=steps[current],
    )


def _current(tx: WriteTx, session: str, request: contract.RecordStep) -> answers.StepCurrentAnswer:
    sitting, steps = sitting_of(tx, session), steps_of(tx, session)
    current: int | None = sitting["step"]
    return answers.StepCurrentAnswer(
        session_id=session,
        plan_revision=sitting["revision"],
        steps=len(steps),
        index=current,
        step=None if current is None else steps[current].text,
        over=None if request.status is None else request.index,
        status=request.status,
    )


def _session(context: Context) -> str:
    assert context.session is not None, "a plan was recorded of no session"
    return context.session
