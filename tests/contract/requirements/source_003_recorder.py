"""Source 003, agent recorder: its resources, tools and what they are for."""

from tests.contract.requirements.requirement import held, section

REQUIREMENTS = (
    *section(
        "003: Design principle",
        "recorder",
        held(
            "003-principle-1",
            "Recording is enforced by the tool layer: a file changed through the server is always "
            "recorded.",
        ),
        held(
            "003-principle-2",
            "The server records the intent and payload first, then executes.",
        ),
    ),
    *section(
        "003: Resources",
        "recorder",
        held(
            "003-resource-timeline",
            "The timeline resource is a read-only stream of a session's events: plan steps, file "
            "operations and audit events.",
        ),
        held(
            "003-resource-evolution",
            "The evolution resource is the chain of revisions of each file, derived from file_op "
            "events.",
        ),
        held(
            "003-resource-read_only",
            "Reading a resource has no side effect.",
        ),
        held(
            "003-resource-discovery",
            "Sessions can be discovered through a resource, with the URIs of their own.",
        ),
    ),
    *section(
        "003: Tools",
        "recorder",
        held(
            "003-record_session_start-1",
            "record_session_start begins a session with id, title and user_message.",
            decided="contract overrides: the id is called session_id and is optional",
        ),
        held(
            "003-record_session_start-2",
            "A session is begun before other tools write under it.",
            decided=(
                "contract overrides: record_session_start is not required, any write may begin "
                "the session"
            ),
        ),
        held(
            "003-record_session_end-1",
            "record_session_end ends the session.",
            decided=(
                "contract overrides: everything is durable event by event, so there is nothing to "
                "flush"
            ),
        ),
        held(
            "003-record_plan_step-1",
            "record_plan_step records a single step of the plan.",
        ),
        held(
            "003-record_file_create-1",
            "record_file_create records a creation and executes nothing.",
        ),
        held(
            "003-record_file_edit-1",
            "record_file_edit records an edit and executes nothing.",
        ),
        held(
            "003-record_file_delete-1",
            "record_file_delete records a deletion and executes nothing.",
        ),
    ),
    *section(
        "003: record_plan",
        "recorder",
        held(
            "003-record_plan-1",
            "record_plan takes session_id and steps, an ordered list of descriptions.",
            decided="contract overrides: session_id is optional",
        ),
        held(
            "003-record_plan-2",
            "Each step becomes a plan_step event with step, index 0, 1, 2, ... and its time.",
        ),
        held(
            "003-record_plan-3",
            "record_plan touches no file.",
        ),
        held(
            "003-record_plan-4",
            "Later file_op and audit_event entries are linked to the current step.",
        ),
    ),
    *section(
        "003: file_op",
        "recorder",
        held(
            "003-file_op-1",
            "file_op takes session_id, path, action (create, edit or delete) and content.",
            decided=(
                "contract overrides: session_id is optional; action move, edits and ops are added"
            ),
        ),
        held(
            "003-file_op-2",
            "path is relative to the workspace root, or absolute within it.",
        ),
        held(
            "003-file_op-3",
            "content is required for create and edit and is the whole new body.",
            decided="contract overrides: edit takes edits instead of content",
        ),
        held(
            "003-file_op-4",
            "content is ignored for delete.",
        ),
        held(
            "003-file_op-5",
            "The path is resolved and validated against the workspace root before anything else; "
            "none escapes above it.",
        ),
        held(
            "003-file_op-6",
            "create records file_create with path, content and time before the file exists.",
        ),
        held(
            "003-file_op-7",
            "edit records file_edit with path, old_content, new_content and time before the file "
            "changes.",
        ),
        held(
            "003-file_op-8",
            "delete records file_delete with path, time and the content it had before the file "
            "goes.",
        ),
        held(
            "003-file_op-9",
            "After recording, the file is written or unlinked.",
        ),
        held(
            "003-file_op-10",
            "file_op returns success or a structured error.",
        ),
    ),
    *section(
        "003: audit_event",
        "recorder",
        held(
            "003-audit_event-1",
            "audit_event takes session_id, type (a short label) and description.",
            decided="contract overrides: session_id is optional",
        ),
        held(
            "003-audit_event-2",
            "An audit_event is on the timeline with its type as title and its description as "
            "content.",
        ),
        held(
            "003-audit_event-3",
            "Decisions, milestones and notes told by audit_event are in the story.",
        ),
    ),
    *section(
        "003: Linking MCP to real-world challenges",
        "recorder",
        held(
            "003-challenge-1",
            "Intent, time and diff of each edit are logged by executing it, with no second call "
            "by the agent.",
        ),
        held(
            "003-challenge-2",
            "Timeline and evolution can be seen inside the editor's host, without a separate "
            "application.",
            milestone="page",
        ),
        held(
            "003-challenge-3.1",
            "Micro-edits are grouped into logical iterations by plan step.",
        ),
        held(
            "003-challenge-3.2",
            "Many small saves are told as one step of the story.",
        ),
        held(
            "003-challenge-3.3",
            "The story is a narrative of high level, not raw diffs.",
        ),
        held(
            "003-challenge-4.1",
            "Every change has its content before and after, so that each revision of a file can "
            "be shown exactly.",
        ),
        held(
            "003-challenge-4.2",
            "The evolution can be played as an animation from revision to revision.",
            milestone="page",
        ),
        held(
            "003-summary-1",
            "Timeline and file evolution are derived from the same tool calls that do the work.",
        ),
    ),
)
