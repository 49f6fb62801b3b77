"""Announced changes that have no outcome yet, and whether their process still runs."""

from hansard.app.verify.report import OpenIntent
from hansard.kernel import paging
from hansard.kernel.effect import OPEN_INTENTS, is_dead
from hansard.kernel.engine import Engine, Found, ReadTx
from hansard.kernel.problem import Problem


def list_intents(engine: Engine, project: str) -> list[OpenIntent]:
    """List a project's open intents, oldest first, each with whether its owner still runs."""
    found = engine.read(project, _open)
    if not all(isinstance(one.row["owner"], str) for one in found):
        raise ValueError("an owner that is not a name")
    alive = {owner: _is_alive(engine, owner) for owner in {one.row["owner"] for one in found}}
    return [
        OpenIntent(
            project,
            one.row["seq"],
            one.row["intent_kind"],
            one.row["owner"],
            alive[one.row["owner"]],
        )
        for one in found
    ]


def _open(tx: ReadTx) -> list[Found]:
    return list(paging.rows(tx, OPEN_INTENTS))


def _is_alive(engine: Engine, owner: str) -> bool | None:
    try:
        return not is_dead(engine, owner)
    except Problem:
        # Trying a lock needs its file, which may be another user's, or a name that can be one's.
        return None
