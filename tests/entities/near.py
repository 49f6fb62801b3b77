"""Meanings as a test wants them: one thing is near to every question, and no other."""

from hansard.entities.views import WORDS
from hansard.kernel.engine import Hit
from hansard.kernel.meaning import NoMeanings


class Near(NoMeanings):
    """Meanings that find one entity for every question about entities."""

    def __init__(self, key: str) -> None:
        self.key = key

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del project, query, limit, others
        return [Hit(self.key, 0.6)] if topic == WORDS.name else []
