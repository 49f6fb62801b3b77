"""What a chat that is new to a project must know besides its records.

Decisions and checkpoints belong to other capabilities: the layer above looks them up.
"""

from collections.abc import Callable

from pydantic import Field

from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.text import one_line
from hansard.records.shapes import Shape


class LastSession(Shape):
    """The last to work here, besides the caller, and their closing words."""

    id: str
    title: str | None = None
    by: str
    last_activity: str
    said: str | None = None
    """The summary that it was closed or last saved with."""
    did: list[str] | None = None
    """What it did, in five lines at most."""

    def text(self) -> str:
        """Give a line, and below it what was done."""
        named = f' "{self.title}"' if self.title else ""
        said = f": {self.said}" if self.said else ""
        head = one_line(f"Last session{named} by {self.by}, {self.last_activity[:16]}{said}")
        return "\n".join([head, *(f"- {line}" for line in self.did or ())])


class DecisionSeen(Shape):
    """A decision that holds, or a proposal that waits."""

    id: str
    title: str
    target: str

    def text(self) -> str:
        """Give one line."""
        return one_line(f"[{self.id}] {self.title} (about {self.target})")


class CheckpointSeen(Shape):
    """The newest checkpoint."""

    id: str
    session_id: str
    name: str | None = None
    saved: str

    def text(self) -> str:
        """Give one line, with how to continue from it."""
        named = f' "{self.name}"' if self.name else ""
        call = f'workflow_checkpoint_load {{"checkpointId": "{self.id}"}}'
        return one_line(f"Newest checkpoint {self.id}{named}, saved {self.saved[:16]}: {call}")


class Briefing(Shape):
    """What else there is to know, before it was cut to a budget."""

    last_session: LastSession | None = None
    checkpoint: CheckpointSeen | None = None
    decisions: list[DecisionSeen] = Field(default_factory=list)
    """Those that hold, the newest first."""
    proposals: list[DecisionSeen] = Field(default_factory=list)
    """Those that wait for somebody to accept or reject them, the newest first."""
    decisions_total: int = 0
    proposals_total: int = 0

    def counts(self) -> dict[str, int]:
        """Count all there are."""
        return {"decisions": self.decisions_total, "proposals": self.proposals_total}


Brief = Callable[[ReadTx, Context], Briefing]

Tell = Callable[[Context], list[str]]
"""Gives the news for everybody, whatever they ask about; it lies outside the project."""


def no_news(_context: Context) -> list[str]:
    """Give no news."""
    return []


def nothing_else(_tx: ReadTx, _context: Context) -> Briefing:
    """Give nothing but records."""
    return Briefing()
