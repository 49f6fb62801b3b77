"""Turns text into search terms, the same on every engine. Pure.

A word is a run of letters and digits, without case and accents; of a word, the stem. Some words are
also found by their pieces: `fooBar` by `foo` and by `bar`. Scripts that put no spaces between words
are cut into pairs of characters, the customary way to search them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise
from types import MappingProxyType

from hansard.kernel.languages import Language, is_small, language, stem

__all__ = ["Term", "query_stems", "query_terms", "stem", "stems"]

WORD_CHARS_MAX = 64
"""Longer runs are hashes and encodings; they are found by their beginning."""

QUERY_WORDS_MAX = 64
"""Past this many different words a query is a text, and only its first words are used."""

BEGINNING_CHARS_MIN = 3
"""Prefixes shorter than this begin too many words to mean anything."""

QUERIES_KNOWN_MAX = 64
"""A query is parsed again for every text that it found, and often asked again."""

PHRASES_MAX = 16
PHRASE_WORDS_MAX = 12

NEIGHBOURS_WEIGHT = 0.3
"""The weight of two words side by side, as in the query, relative to each alone."""

PIECE_WEIGHT = 0.3
"""The weight of a piece of a name if the whole name was asked for."""

# The insides of character classes, by script.
_SOUTHEAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
_EAST = (
    "\u3005\u3007\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003fffd"
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_ACCENTS = "\u00ad\u0300-\u0305\u0307-\u036f\u200c\u200d\ufe00-\ufe0f"
_HEBREW_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_ARABIC_POINTS = "\u0610-\u061a\u064b-\u065f\u0670"

SPACELESS = _SOUTHEAST + _EAST
"""Characters of scripts without spaces between words, and of Korean, whose words take particles."""

WORD_CHAR = f"[\\w{_INDIC}{_SOUTHEAST}]"
"""A letter, a digit, or a vowel that is neither to `\\w` and yet within the word."""

RUN = re.compile(f"{WORD_CHAR}+")
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
"""What stands for each character of ASCII where words are split."""

_SPACELESS_RUN = re.compile(f"[{SPACELESS}]+")

# A breve is an accent, but in Russian it makes another letter.
_FOLDED_AWAY = re.compile(f"[{_ACCENTS}{_HEBREW_POINTS}{_ARABIC_POINTS}]+|(?<!\u0438)\u0306")
_QUOTED = re.compile(
    '["\u201c\u201d\u201e\u00ab\u00bb]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201c\u201d\u201e\u00ab\u00bb]'
)
# Names of code, paths, versions and codes of errors: what is joined without a space.
# It begins where a word does, or a long word would be tried from each of its letters.
_JOINED = re.compile(f"(?<!{WORD_CHAR}){WORD_CHAR}+(?:(?:[./:#@\\\\-]|::|->){WORD_CHAR}+)+")
_UNDERSCORED = re.compile(f"(?<!{WORD_CHAR})[^\\W_]+(?:_[^\\W_]+)+")
# Where the next part of a name like fooBar or HTTPServer begins: at the capital.
_HUMP = re.compile("[A-Z](?:(?<=[a-z0-9].)|(?<=[A-Z].)[a-z]{2})")
_HUMPED = re.compile("(?<![A-Za-z0-9])[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2})[A-Za-z0-9]*")


@dataclass(frozen=True, slots=True)
class Term:
    """Something that a query asks for: a word, or words that stand side by side."""

    forms: tuple[str, ...]
    """A document that has one of these has the term; a form is stems with a space between."""
    weight: float = 1.0
    is_word: bool = True
    """Whether it is a word of the query itself: of these, a document has all or some."""
    beginning: str | None = None
    """A prefix: all words that begin with it match as well."""

    @property
    def is_phrase(self) -> bool:
        """Whether it is words side by side."""
        return " " in self.forms[0]

    def words(self) -> list[str]:
        """Give the stems of its first form."""
        return self.forms[0].split()


def stems(text: str) -> Iterator[str]:
    """Give what a text is found by: the stems of its words, and of their pieces."""
    words = split(text)
    return chain(map(stem, words), map(stem, pieces(text)), _foreign_stems(text, words))


def stems_with(initials: Collection[str], text: str, wanted: Collection[str]) -> set[str]:
    """Give those of a text's stems that begin with one of some letters, and perhaps others.

    A word in ASCII begins as its stems do, so that the others need not be cut down. With all that
    is `wanted` there, those of another language are not added.
    """
    if not text.isascii():
        return set(stems(text))
    words = split(text)
    found = {stem(word) for word in {*words, *pieces(text)} if word[0] in initials}
    if found.issuperset(wanted) or language(text, words) == "english":
        return found
    return set(stems(text))


def query_terms(query: str, *, beginnings: bool = False) -> Sequence[Term]:
    """Give what to look for: each word once, with how often it is asked for, then what is joined.

    Small words are left out unless there is nothing else. With `beginnings`, a word as it was asked
    for may also be the beginning of others (its stem begins too many), and a name's pieces count.
    """
    return _query_terms(query, beginnings)


@lru_cache(QUERIES_KNOWN_MAX)
def _query_terms(query: str, beginnings: bool) -> tuple[Term, ...]:  # noqa: FBT001 - for the cache
    found = split(query)
    spoken = language(query, found)
    telling = [word for word in found if not is_small(word, spoken)] or found
    whole = _words(query, telling, spoken)
    phrases = _phrases(query, found, set(telling))
    if not beginnings:
        return (*whole, *phrases)
    begun = {stem(word): word for word in reversed(telling) if len(word) >= BEGINNING_CHARS_MIN}
    whole = [replace(one, beginning=begun.get(one.forms[0])) for one in whole]
    return (*whole, *_parts(query, {form for one in whole for form in one.forms}), *phrases)


def _parts(query: str, known: Collection[str]) -> list[Term]:
    """Give the pieces of names like `fooBar` in a query, for where the whole is hardly found."""
    found = dict.fromkeys(map(stem, _parts_of_names(query)))
    return [Term((piece,), PIECE_WEIGHT, is_word=False) for piece in found if piece not in known][
        :PHRASES_MAX
    ]


def query_stems(query: str) -> list[str]:
    """Give the stems of the words that a query asks for."""
    return list(_query_stems(query))


@lru_cache(QUERIES_KNOWN_MAX)
def _query_stems(query: str) -> tuple[str, ...]:
    terms = (one for one in query_terms(query) if one.is_word)
    return tuple(dict.fromkeys(form for one in terms for form in one.forms))


@lru_cache(QUERIES_KNOWN_MAX)
def query_beginnings(query: str) -> Mapping[str, str]:
    """Give the words asked for that may also be the beginnings of others, by their stems."""
    terms = query_terms(query, beginnings=True)
    begun = {one.forms[0]: one.beginning for one in terms if one.beginning}
    return MappingProxyType(begun)


def _words(query: str, telling: Sequence[str], spoken: Language) -> list[Term]:
    times = Counter(map(stem, telling))
    if spoken in ("english", "russian"):
        return [Term((one,), float(count)) for one, count in times.items()][:QUERY_WORDS_MAX]
    # A short text may not show its language: its words are found either way.
    others = {stem(fold(word)): _foreign(word, spoken) for word in _written(query)}
    return [
        Term(tuple(dict.fromkeys([one, others.get(one, one)])), float(count))
        for one, count in times.items()
    ][:QUERY_WORDS_MAX]


def _phrases(query: str, found: Sequence[str], telling: set[str]) -> list[Term]:
    """Give what the query has side by side: quoted, joined into one name, or just so."""
    named = [match.group(1) for match in _QUOTED.finditer(query)]
    named += _JOINED.findall(query) + _UNDERSCORED.findall(query)
    named += [_HUMP.sub(r" \g<0>", name) for name in _HUMPED.findall(query)]
    runs = [split(name)[:PHRASE_WORDS_MAX] for name in named]
    whole = dict.fromkeys(" ".join(map(stem, run)) for run in runs if len(run) > 1)
    beside = dict.fromkeys(
        f"{stem(one)} {stem(other)}"
        for one, other in pairwise(found)
        if one in telling and other in telling and one != other
    )
    phrases = [Term((run,), 1.0, is_word=False) for run in whole]
    phrases += [
        Term((run,), NEIGHBOURS_WEIGHT, is_word=False) for run in beside if run not in whole
    ]
    return phrases[:PHRASES_MAX]


def _written(text: str) -> list[str]:
    return RUN.findall(text.casefold())


def _foreign(word: str, spoken: Language) -> str:
    return fold(stem(word, spoken))


def _foreign_stems(text: str, words: Sequence[str]) -> Iterable[str]:
    """Give the stems of another language's words that are not those of English ones."""
    spoken = language(text, words)
    if spoken in ("english", "russian"):
        return ()
    pairs = ((stem(fold(word)), _foreign(word, spoken)) for word in _written(text))
    return (foreign for english, foreign in pairs if foreign != english)


def coverage(query: str, text: str) -> float:
    """Give the share of the query's words that a text has: at least one, since it was found."""
    asked = [one for one in query_terms(query) if one.is_word]
    forms = query_stems(query)
    there = stems_with({form[0] for form in forms}, text, forms)
    has = sum(any(form in there for form in one.forms) for one in asked)
    return max(has, 1) / len(asked) if asked else 0.0


def is_name(query: str) -> bool:
    """Whether a query is one name or path, as code and files have them, and no word of a text."""
    asked = query.strip()
    return any(one.fullmatch(asked) for one in (_JOINED, _UNDERSCORED, _HUMPED))


def shown_words(query: str, text: str) -> list[str]:
    """Give the words of a text that a query asks for, as they are written there, each once."""
    asked = {*query_stems(query)}
    begun = tuple(query_beginnings(query).values())
    shown: dict[str, None] = {}
    for run in RUN.findall(text):
        there = [*split(run), *pieces(run)]
        if any(stem(word) in asked or (begun and word.startswith(begun)) for word in there):
            shown[run] = None
    return list(shown)


def split(text: str) -> list[str]:
    """Give the words of a text, in order."""
    if text.isascii():
        # The same as below, in a third of the time.
        return [run[:WORD_CHARS_MAX] for run in text.translate(_ASCII_WORDS).split()]
    plain = _SPACELESS_RUN.sub(_in_pairs, fold(text).replace("_", " "))
    return [run[:WORD_CHARS_MAX] for run in RUN.findall(plain)]


def fold(text: str) -> str:
    """Normalize what makes no difference to a search: case, accents, ways to write."""
    if text.isascii():
        return text.lower()
    plain = _FOLDED_AWAY.sub("", unicodedata.normalize("NFKD", text).casefold())
    # Compose again what is no accent: the syllables of Korean, the sounds of Japanese.
    return unicodedata.normalize("NFC", plain)


def pieces(text: str) -> Iterator[str]:
    """Give what some words are found by besides themselves."""
    yield from _parts_of_names(text)
    if not text.isascii():
        for run in _SPACELESS_RUN.findall(fold(text)):
            yield from run


def has_names(text: str) -> bool:
    """Whether a text has names like `fooBar`, which are found by their pieces."""
    return _HUMP.search(text) is not None


def _parts_of_names(text: str) -> Iterator[str]:
    # Most texts have no such names, and checking for a capital inside costs a tenth of a search.
    for name in _HUMPED.findall(text) if has_names(text) else ():
        if len(name) <= WORD_CHARS_MAX:
            yield from _HUMP.sub(r" \g<0>", name).lower().split()


def _in_pairs(run: re.Match[str]) -> str:
    chars = run.group()
    pairs = [chars[start : start + 2] for start in range(len(chars) - 1)] or [chars]
    return f" {' '.join(pairs)} "
