"""What of a question is compared with meanings: not the names that a whole project is about.

Where every other text is by Ana, `What did Ana bake?` is nearest to what is by Ana, whatever it
says. Such names lead words astray no less, but there they are common and count little anyhow. Who
said something and when is compared with the text's own author and time (`kernel.context`).
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from hansard.kernel.dates import without_dates
from hansard.kernel.engine import Hit, Topic
from hansard.kernel.languages import is_small
from hansard.kernel.likeness import Alike
from hansard.kernel.meaning import Meanings, NoMeanings
from hansard.kernel.operation import Context
from hansard.kernel.words import RUN, fold, query_stems, stem

COMMON_SHARE = 0.1
COMMON_MIN = 10
"""A name is common that so large a part of a project's newest texts has, and so many of them."""


def today(context: Context) -> date:
    """Give the day on which something is asked."""
    return date.fromisoformat(context.stamp.at[:10])


@dataclass(frozen=True, slots=True)
class Near:
    """What means what a question means, best first, and how like each other such texts are."""

    hits: Sequence[Hit] = ()
    alike: Alike | None = None


def near(meanings: Meanings, topic: Topic, query: str, context: Context, *, limit: int) -> Near:
    """Find what means what a question means, outside any transaction; it may be stale."""
    if not query_stems(query) or type(meanings) is NoMeanings:
        return Near()
    asked = telling(query, topic, context)
    hits = meanings.nearest(context.project, topic.name, asked, limit=limit)
    return Near(hits, partial(meanings.alike, context.project, topic.name, asked))


def nearest(
    meanings: Meanings,
    topic: Topic,
    query: str,
    context: Context,
    *,
    limit: int,
    are_alike: bool = False,
) -> list[Hit]:
    """Find what means what a question means, outside any transaction; it may be stale."""
    if not query_stems(query) or type(meanings) is NoMeanings:
        return []
    asked = telling(query, topic, context)
    return meanings.nearest(context.project, topic.name, asked, limit=limit, are_alike=are_alike)


def telling(query: str, topic: Topic, context: Context) -> str:
    """Give a question without the days and the common names in it, if it still asks something."""
    kept = without_dates(query, today(context))
    if names := _names(kept):
        found = [stem(fold(name)) for name in names]
        total, counts = context.read(lambda tx: tx.having(topic, found))
        least = max(COMMON_SHARE * total, COMMON_MIN)
        common = {name for name, count in zip(names, counts, strict=True) if count >= least}
        kept = _without(kept, common)
    return kept if query_stems(kept) else query


def _names(query: str) -> list[str]:
    """Give the words that are written like names."""
    words = dict.fromkeys(RUN.findall(query))
    return [one for one in words if one[0].isupper() and not is_small(fold(one), "english")]


def _without(query: str, names: Collection[str]) -> str:
    if not names:
        return query
    any_name = "|".join(map(re.escape, names))
    return " ".join(re.sub(rf"\b(?:{any_name})\b(?:['\u2019]s\b)?", " ", query).split())
