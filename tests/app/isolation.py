"""Two projects that use the same names for everything, and whatever one could guess of the other.

Everything is asked in both, as in `everything_asked`, under a session of the same chosen name. Each
text that goes into the first is marked; then all that was asked in the second is asked again, with
each id and cursor of the second exchanged for one of the first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hansard.kernel.operation import Result
from hansard.kernel.problem import Problem
from tests.contract.everything_asked import Asking, Json

SESSION = "main"
MARK = re.compile(r"xqz[0-9]+zqx")

PLAIN = {
    *("startTime", "endTime"),
    *(
        "order",
        "id",
        "type",
        "status",
        "state",
        "to_state",
        "action",
        "format",
        "encoding",
        "mode",
        "to",
    ),
    *("from", "point", "entry", "as_of", "since", "path", "repo_path", "parent_id", "resolved_by"),
    *("related", "session_id", "sessionId", "project_id", "checkpointId", "decision_id", "cites"),
    *("old_decision_ids", "proposal_id", "thread_id", "chat_id", "record_id", "old", "at", "level"),
    *("agentGraphId", "nodeId", "sourceNodeId", "targetNodeId", "callId", "contextKey", "cursor"),
    *("query", "accessFormat", "take", "accept", "kinds", "target", "name", "of_session", "paths"),
}
"""Arguments whose values mean something to Hansard, or are names that both projects shall share."""

IDS = re.compile(r"[RDPC][0-9]{3,}|[A-Za-z]+::[0-9A-Za-z]{20}")
_NUMBERS = count(1)


@dataclass
class Marking(Asking):
    """Asks with every text marked; `create_project` gets a name of its own."""

    project: str = "shop"
    planted: list[str] = field(default_factory=list)

    def __call__(self, name: str, /, **arguments: Any) -> Json:
        """Ask, with marks in what is asked."""
        if name == "create_project":
            arguments["id"] = self.project
        marked = {key: self._marked(key, value) for key, value in arguments.items()}
        return super().__call__(name, **marked)

    def _marked(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._marked(name, inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._marked(key, inner) for inner in value]
        if not isinstance(value, str) or key in PLAIN:
            return value
        self.planted.append(f"xqz{next(_NUMBERS)}zqx")
        return f"{value} {self.planted[-1]}"


def ids_in(answers: list[tuple[str, Result]]) -> dict[str, list[str]]:
    """Gather the ids in some answers by what they are of, and the cursors."""
    found: dict[str, list[str]] = {}
    for _, answer in answers:
        told = answer.model_dump_json()
        for identifier in IDS.findall(told):
            found.setdefault(kind_of(identifier), []).append(identifier)
        if cursor := getattr(answer, "nextCursor", None):
            found.setdefault("cursor", []).append(cursor)
    return {kind: list(dict.fromkeys(some)) for kind, some in found.items()}


def kind_of(identifier: str) -> str:
    """Say what an id is of."""
    return identifier.partition("::")[0] if "::" in identifier else identifier[:1]


def guesses(
    asked: list[tuple[str, Json]], theirs: dict[str, list[str]]
) -> Iterator[tuple[str, Json]]:
    """Give what was asked, as it was and with ids that belong to others."""
    for name, arguments in asked:
        yield name, arguments
        for turn in (0, 1, -1):
            yield name, {key: _exchanged(arguments[key], theirs, turn) for key in arguments}
        for cursor in theirs.get("cursor", [])[:3]:
            yield name, arguments | {"cursor": cursor}


def _exchanged(value: Any, theirs: dict[str, list[str]], turn: int) -> Any:
    if isinstance(value, dict):
        return {key: _exchanged(inner, theirs, turn) for key, inner in value.items()}
    if isinstance(value, list):
        return [_exchanged(inner, theirs, turn) for inner in value]
    some = theirs.get(kind_of(value), []) if isinstance(value, str) and IDS.fullmatch(value) else []
    return some[turn % len(some)] if some else value


def heard(asking: Asking, name: str, arguments: Json) -> str:
    """Ask, and give all that is heard of it: both forms of the answer, or of the refusal."""
    try:
        answer = asking.app.call(name, arguments, asking.caller)
    except Problem as problem:
        return str(problem.as_dict())
    return answer.model_dump_json() + answer.text()
