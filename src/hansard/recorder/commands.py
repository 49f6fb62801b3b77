"""Recording a session: its title, its plan, its notes, and what other tools did to files."""

from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.recorder import answers, contract, rules
from hansard.recorder.events import (
    Audited,
    PlanStepRecorded,
    SessionTitled,
    StepBegun,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.scribe import step_of
from hansard.recorder.story import new_sitting
from hansard.recorder.tables import SITTINGS


def record_session_start(
    gateway: Gateway, request: contract.RecordSessionStart, context: Context
) -> answers.SessionStarted:
    """Give the session its title, beginning it if need be."""
    session = _session(context)
    title = gateway.masked(request.title)
    blobs = _message(gateway, request.user_message)

    def work(tx: WriteTx) -> answers.SessionStarted:
        if _sitting(tx, session)["title"] is not None:
            raise contract.SessionExists(
                f"The session {session} has a title already", session_id=session
            )
        message = blobs[0].digest if blobs else None
        context.record(tx, SessionTitled(title=title, user_message=message))
        return answers.SessionStarted(session_id=session, title=title)

    return context.write(work, blobs=blobs)


def record_plan(
    gateway: Gateway, request: contract.RecordPlan, context: Context
) -> answers.PlanRecorded:
    """Record a plan; a later one is the next revision."""
    session = _session(context)
    steps = [gateway.masked(step) for step in request.steps]

    def work(tx: WriteTx) -> answers.PlanRecorded:
        revision = (_sitting(tx, session)["revision"] or 0) + 1
        for index, step in enumerate(steps):
            context.record(tx, PlanStepRecorded(revision=revision, index=index, step=step))
        return answers.PlanRecorded(session_id=session, revision=revision, steps=len(steps))

    return context.write(work)


def record_plan_step(
    gateway: Gateway, request: contract.RecordPlanStep, context: Context
) -> answers.PlanRecorded:
    """Add a step to the end of the current plan."""
    session = _session(context)
    step = gateway.masked(request.step)

    def work(tx: WriteTx) -> answers.PlanRecorded:
        sitting = _sitting(tx, session)
        rules.require_room(sitting["steps"], 1)
        revision, index = sitting["revision"] or 1, sitting["steps"]
        context.record(tx, PlanStepRecorded(revision=revision, index=index, step=step))
        return answers.PlanRecorded(session_id=session, revision=revision, steps=index + 1)

    return context.write(work)


def record_step(request: contract.RecordStep, context: Context) -> answers.StepCurrent:
    """Make a step the one that what follows belongs to."""
    session = _session(context)

    def work(tx: WriteTx) -> answers.StepCurrent:
        sitting = _sitting(tx, session)
        rules.require_step(request.index, sitting["steps"])
        begun = StepBegun(revision=sitting["revision"], index=request.index)
        context.record(tx, begun)
        return answers.StepCurrent(session_id=session, **begun.model_dump())

    return context.write(work)


def audit_event(gateway: Gateway, request: contract.AuditEvent, context: Context) -> answers.Noted:
    """Put a decision, a milestone or a note on the timeline."""
    session = _session(context)

    def work(tx: WriteTx) -> answers.Noted:
        under = step_of(tx, session, request.step)
        audited = Audited(
            type=request.type,
            description=gateway.masked(request.description),
            revision=under.revision,
            step=under.step,
            cites=request.cites or [],
        )
        context.record(tx, audited)
        return answers.Noted(session_id=session, step=under.step)

    return context.write(work)


def _message(gateway: Gateway, text: str | None) -> list[Blob]:
    return [seal(gateway.masked(text).encode())] if text else []


def _sitting(tx: ReadTx, session: str) -> Row:
    return tx.get(SITTINGS, session) or new_sitting()


def _session(context: Context) -> str:
    assert context.session is not None, "a session was recorded that is none"
    return context.session
