# ruff: noqa: RUF001 - words of Russian are meant
"""What of a word its forms share, by language, and which language a text is in. Pure.

The stems are Snowball's. A script decides where it can: Cyrillic is taken for Russian. Between the
languages of one script the small words decide that a sentence cannot do without, and letters that
only one of them has. Anything else is taken for English.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

import Stemmer  # type: ignore[import-not-found,import-untyped,unused-ignore]

Language = Literal["english", "german", "french", "spanish", "russian"]

STEMS_KNOWN_MAX = 16_384

LOOKED_AT_WORDS = 300
"""How much of a text is read to tell its language."""

STOP_WORDS = frozenset(
    # Words of nearly every text, and what an apostrophe leaves of others.
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with s t d m ll re ve don"
    # Questions, persons and what helps a verb: they ask, and say nothing of what is asked for.
    " what which who whom whose when where why how i you he she we me him her us them my your his"
    " its our mine yours hers ours theirs am been being were have has had having do does did doing"
    " done can could may might must shall should would about above after again against all also"
    " any anybody anyone anything because before below between both during each else ever every"
    " everybody everyone everything few from further here herself himself itself just let more"
    " most much myself neither nobody nor nothing now off once only other others ought ourselves"
    " out over own same since so some somebody someone something still than themselves those"
    " though through thus too under until up upon very via whether while within without yet"
    " yourself one get got make made know tell please want need like isn aren wasn weren doesn"
    " didn hasn haven hadn won wouldn couldn shouldn mustn cannot ain".split()
)
"""Words of an English question that help to find nothing."""

_SMALL_WORDS: dict[Language, frozenset[str]] = {
    "german": frozenset(
        "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine mit von"
        " vom zu zum zur im ist sind war waren wird werden wurde wurden wie wo wer wann warum"
        " welche welcher welches fur auf aus bei nach uber unter durch gegen ohne um sich wir ihr"
        " sie ich er es haben hat hatte kann konnen muss mussen soll sollen auch nur noch schon"
        " sehr mehr als wenn dass ob diese dieser dieses unser unsere gibt man".split()
    ),
    "french": frozenset(
        "le la les un une des du de au aux et ou mais ne pas avec pour par sur sous dans est sont"
        " etait sera etre avoir avait ont nous vous ils elles je tu il elle on que qui quoi dont"
        " quand comment pourquoi quel quelle quels quelles ce cette ces cet son sa ses leur leurs"
        " notre nos votre vos plus tres aussi en y se lors chez sans entre qu est-ce".split()
    ),
    "spanish": frozenset(
        "el la los las un una unos unas de del al y o u pero no con por para sobre bajo en es son"
        " era fue ser estar esta estan tiene tienen hay nosotros ellos ellas yo tu usted que quien"
        " cual cuales cuando como donde porque cuanto este estos estas ese esa eso su sus nuestro"
        " nuestra mas muy tambien se lo le les sin entre hasta desde si ya".split()
    ),
    "russian": frozenset(
        "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее"
        " мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был"
        " него до вас них мы их чем была себя кто этот того потому какой где почему зачем какие"
        " для это эта эти при над под без про".split()
    ),
}

_SMALL_ELSEWHERE = frozenset[str]().union(*_SMALL_WORDS.values())

_OWN_LETTERS: dict[Language, re.Pattern[str]] = {
    "german": re.compile("[äöüß]"),
    "french": re.compile("[çèêàâîôûœë]"),
    "spanish": re.compile("[ñáíóú¿¡]"),
}

_CYRILLIC = re.compile("[\u0400-\u04ff]")


def language(text: str, words: Sequence[str]) -> Language:
    """Say which language a text is in, given its words without accents."""
    looked_at = words[:LOOKED_AT_WORDS]
    if text.isascii():
        # Most texts are told at a look: no language has more small words there than all together.
        elsewhere = sum(map(_SMALL_ELSEWHERE.__contains__, looked_at))
        if elsewhere <= sum(map(STOP_WORDS.__contains__, looked_at)):
            return "english"
    elif _CYRILLIC.search(text):
        return "russian"
    counts: dict[Language, int] = {
        name: sum(map(small.__contains__, looked_at))
        for name, small in _SMALL_WORDS.items()
        if name != "russian"
    }
    if not text.isascii():
        beginning = text[: LOOKED_AT_WORDS * 8].lower()
        for name, letters in _OWN_LETTERS.items():
            counts[name] += len(letters.findall(beginning))
    best = max(counts, key=counts.__getitem__)
    if not counts[best]:
        return "english"
    english = sum(map(STOP_WORDS.__contains__, looked_at))
    return best if counts[best] > english else "english"


def is_small(word: str, name: Language) -> bool:
    """Whether a word of a question helps to find nothing."""
    return word in STOP_WORDS if name == "english" else word in _SMALL_WORDS[name]


def is_small_elsewhere(word: str) -> bool:
    """Whether a word alone is taken for one of another language than English."""
    return word in _SMALL_ELSEWHERE


@lru_cache(STEMS_KNOWN_MAX)
def stem(word: str, name: Language = "english") -> str:
    """Cut a word down to what its forms share; anything but letters stays as it is."""
    if len(word) < len("its") or not word.isalpha():
        return word
    if _CYRILLIC.match(word):
        name = "russian"
    elif not word.isascii() and name == "english":
        return word
    cut: str = _stemmer(name).stemWord(word)
    return cut


@cache
def _stemmer(name: Language) -> Stemmer.Stemmer:
    # Its own cache is not safe for several threads; ours is.
    return Stemmer.Stemmer(name, 0)
