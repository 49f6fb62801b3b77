"""What was last put or looked up, and holds as long as the journal ends where it did then."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hansard.checkpoints.threads.contract import Step, StepsFoundAnswer
from hansard.checkpoints.threads.memory import RecentlyUsed
from hansard.kernel.limits import MIB
from hansard.langgraph import bodies

RECENT_BYTES_MAX = 32 * MIB
STEP_BYTES = 1024
"""What a step is taken to weigh besides its body and its values."""

Mark = tuple[str, int, str]
"""A project, and the seq and hash that its journal ends with."""

Question = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RecentPage:
    """Some steps, with their bodies unpacked, and values by digest as far as they are at hand."""

    steps: Sequence[Step]
    bodies: Sequence[bytes]
    contents: Mapping[str, bytes]

    @property
    def size_bytes(self) -> int:
        """Say what it takes of memory, about."""
        held = (*self.bodies, *self.contents.values())
        written = [write.content for step in self.steps for write in step.writes]
        return sum(map(len, held)) + sum(map(len, written)) + len(self.steps) * STEP_BYTES


def page_of(found: StepsFoundAnswer) -> RecentPage:
    """Unpack the bodies of what was found."""
    return RecentPage(
        found.steps, [bodies.unpack(step.body) for step in found.steps], found.contents
    )


class Recent:
    """Answers, of one moment of the journal only: whatever is written puts an end to all."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._mark: Mark | None = None
        self._pages: RecentlyUsed[Question, RecentPage] = RecentlyUsed(RECENT_BYTES_MAX)

    def find(self, mark: Mark, question: Question) -> RecentPage | None:
        """Give the answer to a question, if it was answered at this very moment."""
        with self._lock:
            return self._pages.get(question) if mark == self._mark else None

    def keep(self, mark: Mark, question: Question, page: RecentPage) -> None:
        """Remember an answer; those of an earlier moment are forgotten."""
        size = page.size_bytes
        with self._lock:
            if self._mark and mark[0] == self._mark[0] and mark[1] < self._mark[1]:
                return
            if mark != self._mark:
                self._pages.clear()
                self._mark = mark
            self._pages.put(question, page, size)
