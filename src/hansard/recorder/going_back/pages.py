"""Pages of files in an undo or restore: all are counted, some are shown."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Position
from hansard.recorder.contract import Back
from hansard.recorder.going_back.answers import COUNTED, BackStep

FINE = ("done", "recovered", None)
"""How a step ends, or a preview leaves it, that nobody has to look at."""


def told(request: Back, steps: Sequence[BackStep], begun: int | None) -> dict[str, Any]:
    """Give what an answer says of the files, whole figures and a page of them."""
    counts = Counter(_counted_as(step) for step in steps)
    shown = [step for step in steps if step.action != "none" or step.reason]
    told = {
        "preview": request.preview,
        "counts": dict(sorted(counts.items())),
        "undo": f'undo {{"entry": "s:{begun}"}}' if begun else None,
    }
    return told | (_page(request, shown) if request.preview else _most_telling(request, shown))


def _page(request: Back, steps: Sequence[BackStep]) -> dict[str, Any]:
    """Give the files of a preview from where the last page ended, in the order of their paths."""
    position = from_cursor(request.cursor)
    after = position.key if position else ""
    left = [step for step in steps if step.path > after]
    files = left[: request.limit]
    end = Position(None, files[-1].path) if len(left) > len(files) else None
    total = len(steps) if end or after else None
    return {"files": files, "total": total, "nextCursor": to_cursor(end) if end else None}


def _most_telling(request: Back, steps: Sequence[BackStep]) -> dict[str, Any]:
    """Give the files of what was done, those first that did not go as asked."""
    ordered = sorted(steps, key=lambda step: (_went_well(step), step.path))
    left_out = len(steps) - request.limit
    return {"files": ordered[: request.limit], "omitted": left_out if left_out > 0 else None}


def _went_well(step: BackStep) -> bool:
    return step.status in FINE and step.action not in ("skip", "clash")


def _counted_as(step: BackStep) -> str:
    return COUNTED.get(step.action, step.action) if step.status in FINE else "failed"
