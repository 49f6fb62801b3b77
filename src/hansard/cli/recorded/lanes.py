"""A lane for each session: its plan, its step and its last act. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hansard.cli.terminal import screen
from hansard.cli.terminal.layout import Paint
from hansard.cli.terminal.text import printable
from hansard.recorder.story.plans import OVER, PlannedStep
from hansard.sessions.rules import SessionStatus
from hansard.sessions.wording import name_of, span, titled

COLOURS = {"active": "green", "idle": "yellow", "away": "grey", "ended": "grey"}
MARKS = {"active": "●", "idle": "◐", "away": "○", "ended": "·"}
INDENT = "    "
BAR_STEPS_MAX = 20


@dataclass(frozen=True, slots=True)
class SessionLane:
    """What to know about a session to see who works on what."""

    session: str
    title: str | None
    by: str
    status: SessionStatus
    last_activity: str
    records: Sequence[str]
    steps: Sequence[PlannedStep]
    deed: str | None
    """What it did last."""

    def as_json(self) -> dict[str, Any]:
        """Give all of it for a program."""
        return asdict(self)


def frame(
    lanes: Sequence[SessionLane], waits: int, paint: Paint, *, now: str, columns: int, rows: int
) -> list[str]:
    """Draw the lanes that there is room for, and what waits for somebody."""
    there = sum(one.status in ("active", "idle") for one in lanes)
    waiting = f", {waits} waiting for you: hansard decisions proposals" if waits else ""
    head = f"{there} here, {len(lanes) - there} away{waiting}"
    lines = [paint(screen.cut(head, columns), "yellow"), ""]
    drawn = 0
    for lane in lanes:
        lane_lines = _lane(lane, paint, now=now, columns=columns)
        if len(lines) + len(lane_lines) > rows:
            break
        lines += lane_lines
        drawn += 1
    if drawn < len(lanes):
        lines = [*lines[: rows - 1], paint(f"and {len(lanes) - drawn} more", "grey")]
    return lines if lanes else [*lines, "Nobody has worked here yet."]


def _lane(lane: SessionLane, paint: Paint, *, now: str, columns: int) -> list[str]:
    called = titled(lane.title) if lane.title else lane.session
    at = f"  {', '.join(lane.records)}" if lane.records else ""
    ago = f"{lane.status}, {span(lane.last_activity, now)} ago"
    head = f"{name_of(lane.by)}: {called}  ({ago}){at}"
    mark = paint(MARKS[lane.status], COLOURS[lane.status])
    lines = [f"{mark} {screen.cut(printable(head), columns - 2)}"]
    if lane.steps:
        lines.append(paint(screen.cut(INDENT + printable(_plan(lane.steps)), columns), "cyan"))
    if lane.deed:
        lines.append(paint(screen.cut(INDENT + printable(lane.deed), columns), "grey"))
    return [*lines, ""]


def _plan(steps: Sequence[PlannedStep]) -> str:
    """Draw the progress of a plan, and its current step."""
    over = sum(step.status in OVER for step in steps)
    scale = min(len(steps), BAR_STEPS_MAX)
    full = over * scale // len(steps)
    bar = "▰" * full + "▱" * (scale - full)
    place = next((index for index, step in enumerate(steps) if step.status == "begun"), None)
    at = f"  step {place + 1}: {steps[place].text}" if place is not None else ""
    return f"{bar} {over} of {len(steps)}{at}"
