"""The meaning of each parameter by its name, the same in every operation.

Where a name is taken in another sense, or can be said more exactly, the operation is named with it.
A model reads all of these words in each chat, so there are few of them.
"""

import re
from collections.abc import Mapping

from hansard.kernel.operation import Operation

COMMON = frozenset(
    {"session_id", "sessionId", "project_id", "limit", "cursor", "as_of", "budget_tokens", "cites"}
)
"""What many operations take; the instructions explain it once for all."""

NEEDED = frozenset(
    {
        "base_version", "expected", "index", "irreversible", "kinds", "metadata",
        "of_session", "only_step", "override", "point", "related", "step", "target", "type",
        "where",
    }
)  # fmt: skip
"""Names that alone do not say what to send: they are described in every list."""

WORDS: Mapping[str, str] = {
    "accept": "after a conflict: write the merge",
    "action": "what to do",
    "activate.id": "the record",
    "actor": "human, agent, system or outside",
    "all_sessions": "the whole project's",
    "as_of": "t:TICK, s:SEQ or ISO time",
    "at": "a revision's number",
    "audit_event.type": "decision, milestone, note",
    "base_version": "the version you changed",
    "body": "all of the text",
    "bucket": "width in time",
    "budget_tokens": "at most so long an answer",
    "chat_id": "chat to go on in",
    "checkpointId": "which one",
    "cites": "ids, s:SEQ, path:FILE",
    "consequences": "what follows from it",
    "content": "the whole new text",
    "context": "any JSON object",
    "contextKey": "a top-level key",
    "create_project.id": "made from the name if absent",
    "create_record.parent_id": "null: a root",
    "create_record.type": "your own word: question, finding…",
    "critical": "false: take the mark back",
    "data": "the type's fields",
    "decision_id": "D… or P…",
    "depth": "levels below parent_id; 1 if absent",
    "description": "what to know about it",
    "diff": "with line diffs",
    "document_revise.title": "if it changes",
    "edits": "each old text occurs once",
    "encoding": "for bytes",
    "end_line": "last line, if several",
    "enforcement": "of path:GLOB targets",
    "entity_create.type": "which kind of entity",
    "entity_list.type": "which kind of entity",
    "entity_list.where": "field: value",
    "entry": "s:SEQ",
    "events": "in order",
    "execution_event.status": "begins or ends the run",
    "expected": "path: sha256 you saw",
    "expected_sha256": "of the file you read; 12 digits do",
    "expected_updated_at": "updatedAt you saw",
    "file_op.to": "new path of a move",
    "force": "write over what is there",
    "force_version": "the version you decide against",
    "fork": "beside it, not after it",
    "format": "refs or an indented outline",
    "from": "t:TICK, s:SEQ, ISO time or last_save",
    "get_evolution.from": "a revision's number",
    "get_evolution.path": "of a file; absent: all files",
    "get_evolution.to": "a revision's number",
    "get_project.id": "absent: the current one",
    "history": "where.target's, with diffs",
    "id": "which one",
    "index": "the step's number, from 0",
    "irreversible": "do it though undo cannot",
    "keep_others": "merge with others' later work",
    "keys": "only these of the context",
    "kinds": "event kinds",
    "line": "counted from 1",
    "list_records.parent_id": "null: above the roots",
    "metadata": "your keys; null deletes",
    "metric_query.by": "dimensions to group by",
    "metric_query.name": "absent: list all",
    "metric_query.since": "ISO time or epoch ms",
    "metric_query.where": "dimension: value",
    "mode": "permissions, as 0644",
    "move_record.parent_id": "null: make it a root",
    "name": "what it is called",
    "of_session": "whose changes; else this session's",
    "offset": "so many to skip",
    "old_content": "its text before",
    "old_decision_ids": "what it replaces",
    "old_mode": "permissions before",
    "oldest_first": "from the beginning",
    "only_step": "this step's files only",
    "ops": "{path, action, …} each",
    "order": "id, createdAt, updatedAt; -: last first",
    "override": "go on though others have it open",
    "overwrite": "also if the file is there",
    "parent_id": "only beneath it",
    "partials": "{type, payload} each",
    "path": "within the workspace",
    "paths": "only these files",
    "point": "s:SEQ, t:TICK or ISO time",
    "preview": "show, change nothing",
    "prompt": "last, N from the end, s:SEQ",
    "proposal_id": "the draft",
    "propose_decision.proposal_id": "the draft to change",
    "query": "words to find",
    "rationale": "why",
    "raw": "the samples themselves",
    "reason": "why",
    "record_id": "only this record's",
    "record_plan_step.step": "what to do",
    "record_session_start.title": "what this is about",
    "record_step.status": "ends it",
    "related": "ids of records",
    "repo_path": "within the workspace",
    "resolved_by": "id of the record that answers it",
    "restore.step": "to before this plan step, from 0",
    "restore.to": "before or after the point",
    "reveal": "show secrets, to admins",
    "revision": "number; gives its content",
    "samples": "{name, value, …} each",
    "search.where": "state, author, session, path, since, until, tags",
    "search_decisions.mode": "how much of the past",
    "search_decisions.where": "target, status, author, since, until",
    "search.kinds": "only these",
    "sender": "who speaks",
    "since": "t:TICK, s:SEQ or ISO time",
    "state": "OPEN, unless said",
    "states": "only in these states",
    "step": "plan step it belongs to, from 0",
    "steps": "what to do, in order",
    "summary": "in a sentence or two",
    "tags": "all of these",
    "take": "on a clash, whose lines",
    "target": "what it is about, or path:GLOB",
    "thread_id": "thread to go on from",
    "title": "on one line",
    "to": "the same; absent: current",
    "to_state": "where it goes",
    "types": "only of these types",
    "undo.step": "this plan step, from 0",
    "until": "ISO time or epoch ms",
    "user_message": "what the user asked for",
    "workflow_checkpoint_diff.from": "a checkpointId",
    "workflow_checkpoint_diff.to": "absent: the latest",
    "workflow_checkpoint_list.name": "only of this name",
    "workflow_checkpoint_save.force": "save also if unchanged",
    "workflow_checkpoint_save.metadata": "name, tags, classes, sessionTags",
    "cursor": "nextCursor of the page before",
    "limit": "at most so many",
    "project_id": "absent: your session's, else the configured one",
    "sessionId": "absent: your own session",
    "session_id": "absent: your own session",
}


def words(operation: Operation, name: str) -> str | None:
    """Say what a parameter of an operation means; `None` if the parameter is not ours."""
    return WORDS.get(f"{operation.name}.{name}") or WORDS.get(name)


def speaks_of(operation: Operation, name: str) -> bool:
    """Whether the sentence about an operation speaks of a parameter by its name."""
    return name in re.findall(r"\w+", operation.description)
