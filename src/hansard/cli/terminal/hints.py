"""What to do about a refusal, in terms of the command line."""

import re

from hansard.app.settings import declarations
from hansard.kernel.problem import Problem

FLAGS = {
    "resolved_by": "--resolved-by",
    "reason": "--reason",
    "to_state": "STATE",
    "parent_id": "--parent",
    "title": "--title",
    "summary": "--summary",
    "body": "--body",
    "target": "--target",
    "rationale": "--rationale",
    "consequences": "--consequence",
    "cites": "--cite",
    "as_of": "--as-of",
    "since": "--since",
    "until": "--until",
    "from": "--from",
    "to": "--to",
    "limit": "--limit",
    "bucket": "--bucket",
    "by": "--by",
    "where": "--where",
    "order": "--order",
    "type": "--type",
    "query": "WORDS",
    "kinds": "--kind",
    "paths": "--path",
    "step": "--step",
    "of_session": "--session",
    "session_id": "SESSION",
    "sessionId": "SESSION",
    "contextKey": "KEY",
    "checkpointId": "CHECKPOINT",
    "decision_id": "ID",
    "proposal_id": "ID",
    "old_decision_ids": "ID",
    "enforcement": "--enforcement",
}
"""How the commands spell arguments of the operations they ask."""

HINTS = {
    "CHECKPOINT_NOT_FOUND": "`hansard checkpoints list` shows them",
    "CONFLICT": "`hansard records history ID` shows what changed; then do it again",
    "DECISION_BLOCKS": "`hansard decisions` shows what holds; a person can supersede it",
    "DECISION_NOT_ACTIVE": "`hansard decisions show ID` shows which one holds now",
    "DECISION_NOT_FOUND": "`hansard decisions list --all` shows them",
    "ENTITY_CONFLICT": "`hansard entities show ID` shows how it stands; then decide again",
    "ENTITY_NOT_FOUND": "`hansard entities` says what there is",
    "INVALID_INPUT": "Correct what is named and try again",
    "ISOLATION_VIOLATION": "A person decided it: have a person change it, on their terminal",
    "NOT_ACTIVATED": "`hansard records show ID` shows it; then do it again",
    "PERMISSION_DENIED": "Do it on a terminal, where you count as a person",
    "PARENT_NOT_ACTIVATED": "`hansard records` lists what there is",
    "PROJECT_NOT_FOUND": "`hansard projects` lists them",
    "PROPOSAL_CLOSED": "`hansard decisions show ID` says what became of it",
    "PROPOSAL_NOT_FOUND": "`hansard decisions proposals --all` lists them",
    "RECORD_NOT_FOUND": "`hansard records` lists them; `hansard records search WORDS` finds one",
    "SESSION_CLOSED": "`hansard sessions` lists those that have not ended",
    "SESSION_NOT_FOUND": "`hansard sessions` lists them",
    "TARGET_CONFLICT": "`hansard decisions supersede ID` decides anew in its place",
}
"""Hints by code, instead of hints that name tools a person does not have."""

NEEDS_ROLE = re.compile(r"[a-z]+(?:_[a-z]+)+ needs the role (\w+)$")
"""How the application refuses an operation that a caller may not use."""

ROLES = {"admin": "a person"}

TO_AGENTS = re.compile(
    r"\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*|\bactivate\b|\b[Cc]all\b|\bdetails\b|\w: true\b"
)
"""Words that only callers of tools can use: their names, their arguments."""

PATH = re.compile(r"(?<!\S)[/~]\S*")
"""Where something lies, which may be called like a tool or an argument."""


def message_of(problem: Problem) -> str:
    """Give the message with arguments as the command line spells them."""
    if denied := NEEDS_ROLE.match(problem.message):
        return f"Only {ROLES.get(denied[1], f'who has the role {denied[1]}')} can do that"
    argument, separator, rest = problem.message.partition(": ")
    if separator and argument in FLAGS:
        return f"{FLAGS[argument]}: {rest}"
    return problem.message


def hint_of(problem: Problem) -> str | None:
    """Give the hint, unless it speaks of what only an agent can call."""
    if allowed := problem.details.get("allowed"):
        return f"It can become {' or '.join(map(str, allowed))}"
    if when := problem.details.get("acceptable_from"):
        return f"It can be accepted from {when} on"
    if NEEDS_ROLE.match(problem.message):
        return HINTS[problem.code]
    hint = problem.recovery_hint
    return HINTS.get(problem.code) if hint is None or speaks_to_agents(hint) else hint


def speaks_to_agents(text: str) -> bool:
    """Whether a text names tools or their arguments; settings are people's as well."""
    names = {declared.name for declared in declarations()}
    return any(found not in names for found in TO_AGENTS.findall(PATH.sub("", text)))
