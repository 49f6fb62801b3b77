"""Corrects mistyped words against the words of the project.

A word counts as mistyped if no text of the project has it or a word that begins with it, if it is
not an English word, and if the project has a word one typing error away. Other words stay as they
are: a correct word may simply not occur.
"""

from collections import Counter
from collections.abc import Sequence

from hansard.embedders.wordpiece import vocabulary
from hansard.kernel.engine import ReadTx, Topic
from hansard.kernel.spelling import likely, replaced


def corrections(tx: ReadTx, topics: Sequence[Topic], words: Sequence[str]) -> dict[str, str]:
    """Give for each mistyped word the one that was probably meant."""
    found = {word: _meant(tx, topics, word) for word in words if word not in vocabulary()}
    return {word: meant for word, meant in found.items() if meant}


def corrected(query: str, instead: dict[str, str]) -> str:
    """Write a query with the words that were probably meant."""
    for word, meant in instead.items():
        query = replaced(query, word, meant)
    return query


def _meant(tx: ReadTx, topics: Sequence[Topic], word: str) -> str | None:
    if any(tx.search(topic, word, limit=1, beginnings=True) for topic in topics):
        return None
    candidates = likely(word)
    counts: Counter[str] = Counter()
    for topic in topics:
        counts.update(tx.known(topic, list(candidates)))
    # Among equals, the likelier slip comes first.
    best = max(candidates, key=lambda one: counts[one], default=None)
    return candidates[best] if best and counts[best] else None
