"""Hints for hosts that load tools only when a model searches for them.

Such a host first shows a model only names, and finds the rest by words. So the few tools that work
begins with are always loaded, and the tools of `default` carry search words besides their own. Both
are keys of Claude Code; other clients ignore them.
"""

from collections.abc import Mapping
from typing import Any

ALWAYS_LOAD_KEY = "anthropic/alwaysLoad"
SEARCH_HINT_KEY = "anthropic/searchHint"

ALWAYS_LOADED = frozenset(
    {"get_project_overview", "activate", "create_record", "search_decisions", "record_decision"}
)
"""Tools for reading what exists, and for writing what the next session needs. All are in `core`."""

SEARCH_HINTS: Mapping[str, str] = {
    "activate": "resume work on a task, open a record with its context",
    "audit_event": "log a note or milestone to the timeline",
    "close_session": "end the session, wrap up",
    "create_record": "remember a finding, note a question or task in memory",
    "file_op": "create, edit, delete or move files with history and undo",
    "get_evolution": "file history, revisions and diffs of a file",
    "get_project_overview": "where were we, project memory, what happened before",
    "get_record_diff": "compare versions of a record",
    "get_story": "summary of what a session did",
    "get_timeline": "log of everything done in a session",
    "list_records": "list tasks, questions and findings as a tree",
    "list_sessions": "past chats and sessions, who worked on what",
    "propose_decision": "suggest changing a decision that a person made",
    "record_decision": "write down a decision and why, ADR",
    "record_plan": "plan steps, to-do list",
    "record_session_end": "end the session, wrap up",
    "record_session_start": "begin a session, title and user request",
    "record_step": "mark a plan step as begun or done",
    "restore": "rewind files to an earlier point, roll back",
    "save_session": "save progress of the session",
    "search": "search memory: records, decisions, files, checkpoints, sessions",
    "search_decisions": "what was decided before and why, architecture decisions",
    "search_records": "find notes, tasks and findings by words",
    "supersede_decision": "replace an earlier decision by a new one",
    "sync_session": "what others changed meanwhile",
    "transition": "resolve, postpone, discard or reopen a task",
    "undo": "revert a file change, take back an edit",
    "update_record": "edit a note, task or finding",
    "why": "git blame for agents: who wrote this line and why",
    "workflow_checkpoint_load": "restore working context after compaction or restart",
    "workflow_checkpoint_save": "save working context before compaction, checkpoint",
    "workflow_mark_critical": "keep a key of the context whatever the budget",
}


def hints_of(operation: str) -> dict[str, Any]:
    """Say what goes into the `_meta` of a tool."""
    hint = SEARCH_HINTS.get(operation)
    always = {ALWAYS_LOAD_KEY: True} if operation in ALWAYS_LOADED else {}
    return always | ({SEARCH_HINT_KEY: hint} if hint else {})
