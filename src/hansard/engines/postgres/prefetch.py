"""Batches the questions that several readers would ask one after the other.

Each reader runs on what is cached. Where it lacks an answer it stops, the question is noted, and
the next reader runs. Then one round trip asks all noted questions, and the stopped readers run
again and get further. So it takes as many trips as the longest reader, not as all of them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence

from hansard.engines.postgres.row_cache import Answer, Question, asked_alike
from hansard.kernel.problem import Problem

Send = Callable[[Sequence[Question]], list[Answer]]
"""Asks the server, in one round trip."""


class LackingError(BaseException):
    """Something is asked that is not known yet. None of our code that asks may catch it."""

    def __init__(self, lacking: Mapping[Hashable, Question]) -> None:
        """Name the question; without one, it cannot be asked beforehand."""
        super().__init__(lacking)
        self.lacking = lacking


class Prefetch:
    """What a transaction has fetched in advance while a prefetch runs."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self.is_on = False
        self._answers: dict[Hashable, Answer] = {}

    def prefetch(self, asks: Sequence[Callable[[], object]], send: Send) -> None:
        """Run these until each has had all its answers, which the transaction remembers."""
        assert not self.is_on, "something is prefetched already"
        waiting = list(asks)
        while waiting:
            lacking: dict[Hashable, Question] = {}
            waiting = [ask for ask in waiting if self._lacks(ask, lacking)]
            if waiting:
                self._answers.update(zip(lacking, send([*lacking.values()]), strict=True))
        self._answers.clear()

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """Give the known answer, or stop the caller."""
        keys = [asked_alike(question) for question in questions]
        lacking = {
            key: question
            for key, question in zip(keys, questions, strict=True)
            if key not in self._answers
        }
        if lacking:
            raise LackingError(lacking)
        return [self._answers[key] for key in keys]

    def _lacks(self, ask: Callable[[], object], lacking: dict[Hashable, Question]) -> bool:
        self.is_on = True
        try:
            ask()
        except LackingError as stopped:
            lacking.update(stopped.lacking)
            return bool(stopped.lacking)
        except Problem:
            return False  # the real call will report it
        finally:
            self.is_on = False
        return False
