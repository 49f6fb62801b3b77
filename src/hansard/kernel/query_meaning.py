"""The part of a question that is compared by meaning: not names that all of a project is about.

Where every other text is by Ana, `What did Ana bake?` is nearest to what is by Ana, whatever it
says. Such names mislead a search by words as well, but there they are common and count little
anyhow. Who said something and when is compared with the text's own author and time
(`kernel.surroundings`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from hansard.kernel.dates import without_dates
from hansard.kernel.engine import Hit, ReadTx, Topic
from hansard.kernel.languages import is_small
from hansard.kernel.meaning import Meanings, NoMeanings
from hansard.kernel.operation import Context
from hansard.kernel.people import is_addressed
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.similarity import Alike
from hansard.kernel.words import QUERY_WORDS_MAX, RUN, fold, query_stems, stem

COMMON_SHARE = 0.1
COMMON_MIN = 10
"""A name is common if this share of a project's newest texts has it, and this many of them."""

ABOUT_SHARE = 0.05
"""If this share has a word, it only says which of several similar texts a question is about."""

OF_ONESELF = ("my", "i")
ONESELF_SHARE = 0.05
ONESELF_MIN = 3
"""If this many texts have the first of these words, their authors speak of themselves, and may be
addressed."""

TALK_SHARE = 0.2
"""If this many have the second as well, a person whom no text names is taken for a speaker."""

USES_MAX = 32
"""How many texts with a name are read for how they use it."""

Texts = Callable[[ReadTx, Sequence[str]], Iterable[str]]
"""Reads what documents say, by their keys."""

_DOES = "am is are was were do does did has have had can could will would shall should may might"
_DOING = re.compile(
    rf"\b(?i:{_DOES.replace(' ', '|')})\s+(?P<who>[^\W\d_]\w+)"
    r"|(?P<whose>\b[^\W\d_]\w+)(?=['\u2019]s\b)"
)
"""Who does something or has something, in a question."""


def today(context: Context) -> date:
    """Give the day on which something is asked."""
    return date.fromisoformat(context.stamp.at[:10])


@dataclass(frozen=True, slots=True)
class Near:
    """Texts near to a question in meaning, best first, and how similar they are to each other."""

    hits: Sequence[Hit] = ()
    alike: Alike | None = None


def near(
    meanings: Meanings,
    topic: Topic,
    query: str,
    context: Context,
    *,
    limit: int,
    texts: Texts | None = None,
) -> Near:
    """Find texts near to a question in meaning, outside any transaction; the result may be stale.

    `texts` reads what is found, to see who is a person in it.
    """
    if not query_stems(query) or type(meanings) is NoMeanings:
        return Near()
    asked = telling(query, topic, context, texts)
    hits = meanings.nearest(context.project, topic.name, asked, limit=limit)
    return Near(hits, partial(meanings.alike, context.project, topic.name, asked))


@dataclass(frozen=True, slots=True)
class NearOfAlike:
    """Texts near to a question in meaning among similar texts, best first."""

    hits: Sequence[Hit] = ()
    about: frozenset[str] = frozenset()
    """The stems of what the question is about, in words that many of the texts have."""


def nearest_of_alike(
    meanings: Meanings, topic: Topic, query: str, context: Context, *, limit: int
) -> NearOfAlike:
    """Find texts near to a question about something that many texts are about."""
    if not query_stems(query) or type(meanings) is NoMeanings:
        return NearOfAlike()
    asked, words = telling(query, topic, context), _about(query, topic, context)
    left = [word for word in words if word in {*RUN.findall(asked)}]
    about = f"the {' '.join(left)}" if left else ""
    hits = meanings.nearest(
        context.project, topic.name, asked, limit=limit, are_alike=True, about=about
    )
    return NearOfAlike(hits, frozenset(stem(fold(word)) for word in words))


def _about(query: str, topic: Topic, context: Context) -> list[str]:
    """Give the words of a question that many texts have: the part of a product that it names."""
    words = [one for one in dict.fromkeys(RUN.findall(query)) if not is_small(fold(one), "english")]
    return _common(words[:QUERY_WORDS_MAX], topic, context, ABOUT_SHARE)


def _common(words: Sequence[str], topic: Topic, context: Context, share: float) -> list[str]:
    """Give those words that this share of a project's newest texts has."""
    if not words:
        return []
    found = [stem(fold(word)) for word in words]
    total, counts = context.read(lambda tx: tx.having(topic, found))
    least = max(share * total, COMMON_MIN)
    return [word for word, count in zip(words, counts, strict=True) if count >= least]


def telling(query: str, topic: Topic, context: Context, texts: Texts | None = None) -> str:
    """Give a question without the days and names that do not help, if it still asks something.

    Without `texts`, nobody is known to be a person.
    """
    kept = without_dates(query, today(context))
    kept = _without(kept, _saying_nothing(kept, topic, context, texts))
    return kept if query_stems(kept) else query


def _saying_nothing(
    query: str, topic: Topic, context: Context, texts: Texts | None
) -> Collection[str]:
    """Give the names in a question that many texts have, and those of people who speak in them."""
    names = _names(query)
    if not names:
        return []
    found = [stem(fold(word)) for word in (*names, *OF_ONESELF)]

    def work(tx: ReadTx) -> Collection[str]:
        total, counts = tx.having(topic, found)
        least = max(COMMON_SHARE * total, COMMON_MIN)
        common = {word for word, count in zip(names, counts, strict=False) if count >= least}
        *_, own, spoken = counts
        if texts is None or own < max(ONESELF_SHARE * total, ONESELF_MIN):
            return common
        unnamed = _people(query) if spoken >= TALK_SHARE * total else set()
        uses = {word: _uses(tx, topic, word, texts) for word in names if word not in common}
        return common | {
            word
            for word, said in uses.items()
            if (is_addressed(word, said) if said else word in unnamed)
        }

    return context.read(work)


def _uses(tx: ReadTx, topic: Topic, name: str, texts: Texts) -> list[str]:
    """Read texts that have a name; another word may have the same stem."""
    keys = [hit.key for hit in tx.search(topic, name, limit=USES_MAX)]
    try:
        return [text for text in texts(tx, keys) if name.casefold() in text.casefold()]
    except BlobDamaged:
        # Others are found nevertheless; nothing is known about the name, so it stays.
        return [name]


def _people(query: str) -> set[str]:
    """Give who does or has something; a name such as `OAuth` is not a person's."""
    found = (one["who"] or one["whose"] for one in _DOING.finditer(query))
    return {name for name in found if name.istitle()}


def _names(query: str) -> list[str]:
    """Give the words that are written like names."""
    words = dict.fromkeys(RUN.findall(query))
    return [one for one in words if one[0].isupper() and not is_small(fold(one), "english")]


def _without(query: str, names: Collection[str]) -> str:
    if not names:
        return query
    any_name = "|".join(map(re.escape, names))
    return " ".join(re.sub(rf"\b(?:{any_name})\b(?:['\u2019]s\b)?", " ", query).split())
