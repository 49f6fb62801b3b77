"""Random histories over all capabilities, the same ones for the same seed."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem
from tests.conftest import a_caller

Call = tuple[str, dict[str, Any]]
Draw = Callable[[random.Random], Call]

WHY = "Because it was measured twice."
WORDS = "alpha beta gamma delta épsilon zeta eta theta 雪 iota".split()


def text(chance: random.Random, most: int = 30) -> str:
    """Make up a text."""
    return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))


def _id(chance: random.Random, kind: str) -> str:
    return f"{kind}{chance.randint(1, 8):03d}"


def _record(chance: random.Random) -> Call:
    parent = {"parent_id": _id(chance, "R")} if chance.random() < 0.3 else {}
    body = text(chance, 2_000 if chance.random() < 0.1 else 30)
    given = {"type": "note", "title": text(chance, 4), "summary": "s", "body": body}
    return "create_record", given | parent


def _transition(chance: random.Random) -> Call:
    state = chance.choice(["OPEN", "LATER", "RESOLVED", "DISCARDED"])
    more = {"reason": "r", "resolved_by": _id(chance, "R")}
    kept = {key: more[key] for key in more if chance.random() < 0.7}
    return "transition", {"id": _id(chance, "R"), "to_state": state, **kept}


def _file(chance: random.Random) -> Call:
    action = chance.choice(["create", "edit", "delete", "move"])
    given: dict[str, Any] = {"action": action, "path": f"d/{chance.randrange(4)}.txt"}
    if action in {"create", "edit"}:
        given["content"] = text(chance, 200)
    if action == "move":
        given["to"] = f"m{chance.randrange(3)}.txt"
    return "file_op", given


def _checkpoint(chance: random.Random) -> Call:
    context = {word: text(chance, 50) for word in chance.sample(WORDS, 4)}
    return "workflow_checkpoint_save", {"sessionId": f"s{chance.randrange(3)}", "context": context}


def _decision(chance: random.Random) -> Call:
    given: dict[str, Any] = {"title": text(chance, 4), "target": chance.choice(WORDS)}
    given["rationale"] = WHY
    name = chance.choice(["record_decision", "propose_decision", "supersede_decision"])
    if name == "supersede_decision":
        given["old_decision_ids"] = [_id(chance, "D")]
    return name, given


def _document(chance: random.Random) -> Call:
    content = {"title": text(chance, 3), "content": text(chance, 100)}
    return "entity_create", {"type": "textDocument", "data": content}


def _metric(chance: random.Random) -> Call:
    samples = [
        {"name": chance.choice(WORDS), "value": chance.random(), "dimensions": {"a": "b"}}
        for _ in range(chance.randint(1, 5))
    ]
    return "metric_record", {"samples": samples}


def _plain(*calls: Call) -> Draw:
    return lambda chance: chance.choice(calls)


DRAWS: list[Draw] = [
    *([_record] * 4),
    *([_file] * 3),
    *([_checkpoint] * 2),
    *([_decision] * 2),
    _transition,
    _document,
    _metric,
    lambda chance: ("activate", {"id": _id(chance, "R")}),
    lambda chance: ("update_record", {"id": _id(chance, "R"), "body": text(chance), "force": True}),
    lambda chance: ("move_record", {"id": _id(chance, "R"), "parent_id": _id(chance, "R")}),
    lambda chance: ("workflow_checkpoint_delete", {"checkpointId": _id(chance, "C")}),
    lambda chance: ("create_project", {"id": f"p{chance.randrange(2)}", "name": "P"}),
    lambda chance: ("reject_proposal", {"proposal_id": _id(chance, "P")}),
    _plain(
        ("save_session", {}),
        ("sync_session", {}),
        ("branch_session", {}),
        ("record_session_start", {"title": "t"}),
        ("record_plan", {"steps": ["one", "two"]}),
        ("record_step", {"index": 1}),
        ("audit_event", {"type": "note", "description": "d"}),
        ("record_session_end", {}),
        ("restore", {"path": "d/1.txt"}),
    ),
]


def live(app: Application, seed: int, steps: int) -> int:
    """Do things at random as a few careless agents and a person would; gives how many were done."""
    chance = random.Random(seed)
    callers: list[Caller] = [a_caller(), a_caller(), a_caller("human", "admin")]
    done = 0
    for _ in range(steps):
        name, arguments = chance.choice(DRAWS)(chance)
        elsewhere = {"project_id": "p0"} if chance.random() < 0.1 else {}
        key = f"k{chance.randrange(10)}" if chance.random() < 0.2 else None
        caller = replace(chance.choice(callers), idempotency_key=key)
        try:
            app.call(name, arguments | elsewhere, caller)
        except Problem:
            continue
        done += 1
    return done


def workspace_in(folder: Path) -> str:
    """Make the folder whose files the agents change."""
    place = folder / "ws"
    place.mkdir(parents=True, exist_ok=True)
    return str(place)
