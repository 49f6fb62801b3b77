"""The operations of the recorder, each declared once."""

from functools import partial

from hansard.kernel.operation import Operation
from hansard.recorder import answers, commands, contract, planning, queries, reporting
from hansard.recorder.file_op import file_op
from hansard.recorder.gateway import Gateway
from hansard.recorder.going_back.answers import RestoredAnswer, UndoneAnswer
from hansard.recorder.going_back.restore import restore
from hansard.recorder.going_back.undo import undo
from hansard.recorder.history.copies import entering
from hansard.recorder.history.evolution import get_evolution
from hansard.recorder.story.answers import StoryAnswer
from hansard.recorder.story.get_story import get_story
from hansard.recorder.story.timeline import get_timeline
from hansard.sessions.commands import close_session
from hansard.sessions.contract import CloseSession, SessionEndedAnswer
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Staleness


def operations(gateway: Gateway, presence: Presence, staleness: Staleness) -> tuple[Operation, ...]:
    """Declare what can be asked of the recorder at this workspace."""
    return (
        *_session_tools(gateway),
        *_plan_tools(gateway),
        *_file_tools(gateway),
        *_going_back_tools(gateway),
        *_reports(gateway),
        *_reads(gateway),
        Operation(
            "list_sessions",
            "List the project's sessions, latest first: whose, and who is there.",
            contract.ListSessions,
            answers.SessionListAnswer,
            partial(queries.list_sessions, staleness, presence),
            writes=False,
            toolsets=("default",),
        ),
    )


def _session_tools(gateway: Gateway) -> tuple[Operation, ...]:
    return (
        Operation(
            "record_session_start",
            "Begin a recorded session, or give the current one its title.",
            contract.RecordSessionStart,
            answers.SessionStartedAnswer,
            partial(commands.record_session_start, gateway),
            writes=True,
            role="agent",
            session="begins",
            creates_session=True,
            toolsets=("default",),
        ),
        Operation(
            "audit_event",
            "Put something on the timeline; type: decision, milestone, note.",
            contract.AuditEvent,
            answers.NotedAnswer,
            partial(commands.audit_event, gateway),
            writes=True,
            role="agent",
            session="begins",
            toolsets=("default",),
            aliases=("record_audit_event",),
        ),
        Operation(
            "record_session_end",
            "End the session. Everything is durable already.",
            CloseSession,
            SessionEndedAnswer,
            close_session,
            writes=True,
            role="agent",
            session="required",
            ends_session=True,
            toolsets=("default",),
        ),
    )


def _plan_tools(gateway: Gateway) -> tuple[Operation, ...]:
    return (
        Operation(
            "record_plan",
            "Record your plan: steps from 0; the first is current. Again: a new revision.",
            contract.RecordPlan,
            answers.PlanRecordedAnswer,
            partial(planning.record_plan, gateway),
            writes=True,
            role="agent",
            session="begins",
            toolsets=("default",),
            aliases=("record_plan_batch",),
        ),
        Operation(
            "record_plan_step",
            "Add one step to the plan and begin it.",
            contract.RecordPlanStep,
            answers.PlanRecordedAnswer,
            partial(planning.record_plan_step, gateway),
            writes=True,
            role="agent",
            session="begins",
        ),
        Operation(
            "record_step",
            "Begin a step of the plan: what you do next belongs to it. With status, end it: "
            "the next begins.",
            contract.RecordStep,
            answers.StepCurrentAnswer,
            planning.record_step,
            writes=True,
            role="agent",
            session="required",
            toolsets=("default",),
        ),
    )


def _file_tools(gateway: Gateway) -> tuple[Operation, ...]:
    return (
        Operation(
            "file_op",
            "Change a workspace file: recorded first, done atomically. create and edit take "
            "content (or edits: each old text must occur once); move takes to. expected_sha256 "
            "refuses if the file is not what you read. ops: many at once.",
            contract.FileOp,
            answers.FilesChangedAnswer,
            entering(gateway, file_op),
            writes=True,
            role="agent",
            session="begins",
            destructive=True,
            toolsets=("default",),
            aliases=("record_file_op",),
        ),
        Operation(
            "file_read",
            "Read a workspace file, with the sha256 that file_op can expect.",
            contract.FileRead,
            answers.FileShownAnswer,
            partial(queries.file_read, gateway),
            writes=False,
            role="agent",
        ),
    )


def _going_back_tools(gateway: Gateway) -> tuple[Operation, ...]:
    return (
        Operation(
            "undo",
            "Take back what an entry (s:SEQ; a batch or restore whole), a plan step, a session, or "
            "one since a prompt (last, 2, s:SEQ) changed; others' work stays. Clashes are "
            "shown: decide with take (mine: as now, theirs: as before, both; by path, or a list "
            "by hunk) and expected {path: now}. preview first.",
            contract.Undo,
            UndoneAnswer,
            partial(undo, gateway),
            writes=True,
            role="agent",
            session="begins",
            destructive=True,
            toolsets=("default",),
        ),
        Operation(
            "restore",
            "Bring files back as they stood before or after a point (s:SEQ, t:TICK, time): a path, "
            "the files of an entry, else all that the session touched; step, prompt: as before it. "
            "Takes away what others did since and names it; keep_others merges instead.",
            contract.Restore,
            RestoredAnswer,
            partial(restore, gateway),
            writes=True,
            role="agent",
            session="begins",
            destructive=True,
            toolsets=("default",),
        ),
    )


def _reports(gateway: Gateway) -> tuple[Operation, ...]:
    return (
        Operation(
            "record_file_create",
            "Record a file that another tool created; nothing is executed.",
            contract.RecordFileCreate,
            answers.FileNotedAnswer,
            entering(gateway, reporting.record_file_create),
            writes=True,
            role="agent",
            session="begins",
        ),
        Operation(
            "record_file_edit",
            "Record a file's new content that another tool wrote; nothing is executed.",
            contract.RecordFileEdit,
            answers.FileNotedAnswer,
            entering(gateway, reporting.record_file_edit),
            writes=True,
            role="agent",
            session="begins",
        ),
        Operation(
            "record_file_delete",
            "Record that another tool deleted a file; nothing is executed.",
            contract.RecordFileDelete,
            answers.FileNotedAnswer,
            entering(gateway, reporting.record_file_delete),
            writes=True,
            role="agent",
            session="begins",
        ),
        Operation(
            "record_file_move",
            "Record that another tool moved a file; nothing is executed.",
            contract.RecordFileMove,
            answers.FileNotedAnswer,
            entering(gateway, reporting.record_file_move),
            writes=True,
            role="agent",
            session="begins",
        ),
    )


def _reads(gateway: Gateway) -> tuple[Operation, ...]:
    return (
        Operation(
            "get_timeline",
            "List what happened in a session, newest first; with all_sessions or without a "
            "session, in the project. actor: human, agent, system or outside.",
            contract.GetTimeline,
            answers.TimelineAnswer,
            partial(get_timeline, gateway),
            writes=False,
            toolsets=("default",),
            lists_session=True,
        ),
        Operation(
            "get_story",
            "Tell a session by plan step, edits folded per file.",
            contract.GetStory,
            StoryAnswer,
            get_story,
            writes=False,
            toolsets=("default",),
            lists_session=True,
        ),
        Operation(
            "get_evolution",
            "Show a file's revisions; with revision its content, with from/to a diff. "
            "Without path: the files.",
            contract.GetEvolution,
            answers.EvolutionAnswer,
            partial(get_evolution, gateway),
            writes=False,
            toolsets=("default",),
            lists_session=True,
        ),
    )
