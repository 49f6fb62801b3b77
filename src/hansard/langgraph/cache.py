"""A cache of recent puts and reads, valid while the journal's head stays the same.

What this process puts itself is no news to it: if it directly follows, the answers from before hold
with that step on top.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hansard.checkpoints.threads.contract import Step, StepsFoundAnswer
from hansard.checkpoints.threads.write_cache import RecentlyUsed
from hansard.kernel.limits import MIB
from hansard.langgraph import bodies

RECENT_BYTES_MAX = 32 * MIB
STEP_BYTES = 1024
"""What a step is taken to weigh besides its body and its values."""

Mark = tuple[str, int, str]
"""A project, and the seq and hash that its journal ends with."""

PUTS_FOLLOWED_MAX = 64
"""How many puts in a row may be applied to a cached answer when it is asked for again."""

PUTS_BYTES_MAX = 8 * MIB
"""And so much of what they put."""


@dataclass(frozen=True, slots=True)
class StepAsked:
    """A question for one step; without an id for the latest."""

    thread: str
    ns: str
    id: str | None


@dataclass(frozen=True, slots=True)
class ListAsked:
    """A question for a page of steps."""

    after: tuple[str, int] | None
    thread: str | None
    ns: str | None
    id: str | None
    limit: int


Question = StepAsked | ListAsked


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


@dataclass(frozen=True, slots=True)
class _Kept:
    page: RecentPage
    puts: int
    """How many of the puts that are followed it knows."""


class Recent:
    """Answers of one moment of the journal, and on from there as far as only we have put steps."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._mark: Mark | None = None
        self._puts: list[RecentPage] = []
        """The steps that were put since the answers began to be kept, each a page of its own."""
        self._puts_bytes = 0
        self._pages: RecentlyUsed[Question, _Kept] = RecentlyUsed(RECENT_BYTES_MAX)

    def find(self, mark: Mark, question: Question) -> RecentPage | None:
        """Give the answer to a question, if nobody else has written since it was answered."""
        with self._lock:
            kept = self._pages.get(question) if mark == self._mark else None
            if kept is None:
                return None
            page: RecentPage | None = kept.page
            for put in self._puts[kept.puts :]:
                page = page and _followed(page, question, put)
            if page and page is not kept.page:
                self._keep(question, page)
            return page

    def keep(self, mark: Mark, question: Question, page: RecentPage) -> None:
        """Remember an answer; those of an earlier moment are forgotten."""
        with self._lock:
            if self._is_past(mark):
                return
            if mark != self._mark:
                self._begin(mark)
            self._keep(question, page)

    def put(self, mark: Mark, page: RecentPage) -> None:
        """Remember a step that was put as its thread's latest, and with which the journal ends."""
        with self._lock:
            if self._is_past(mark):
                return
            before = self._mark
            is_next = before is not None and (mark[0], mark[1] - 1) == before[:2]
            self._puts_bytes += page.size_bytes
            has_room = len(self._puts) < PUTS_FOLLOWED_MAX and self._puts_bytes <= PUTS_BYTES_MAX
            if is_next and has_room:
                self._mark = mark
                self._puts.append(page)
            else:
                self._begin(mark)
            [step] = page.steps
            for identifier in (None, step.id):
                self._keep(StepAsked(step.thread, step.ns, identifier), page)

    def _is_past(self, mark: Mark) -> bool:
        before = self._mark
        return before is not None and mark[0] == before[0] and mark[1] < before[1]

    def _begin(self, mark: Mark) -> None:
        self._pages.clear()
        self._puts.clear()
        self._puts_bytes = 0
        self._mark = mark

    def _keep(self, question: Question, page: RecentPage) -> None:
        self._pages.put(question, _Kept(page, len(self._puts)), page.size_bytes)


def _followed(page: RecentPage, question: Question, put: RecentPage) -> RecentPage | None:
    """Give an answer as it is after a put; `None` where that is to be asked."""
    [step] = put.steps
    others = (question.thread, step.thread), (question.ns, step.ns), (question.id, step.id)
    if any(asked is not None and asked != found for asked, found in others):
        return page
    if isinstance(question, StepAsked) or (question.thread, question.id, question.after) != (
        step.thread, None, None,
    ):  # fmt: skip
        return None
    if page.steps and page.steps[0].id >= step.id:
        return None
    steps = [step, *page.steps][: question.limit]
    contents = {**page.contents, **put.contents}
    held = {digest for one in steps for digest in one.values.values()}
    return RecentPage(
        steps,
        [*put.bodies, *page.bodies][: question.limit],
        {digest: data for digest, data in contents.items() if digest in held},
    )
