"""Makes texts of any length indexable by PostgreSQL. Pure."""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from hansard.kernel.blob import digest_of
from hansard.kernel.engine import Topic
from hansard.kernel.words import Term, stems

SHORT_BYTES_MAX = 512
"""Four such texts and a project's name fit into an index entry, which may have 2,704 bytes."""

PREFIX_BYTES = 440
"""How much of a longer text is kept, so that it sorts by that much."""

MARK = "\U0010ffff"
"""What stands between the beginning of a long text and the digest of all of it."""

TSVECTOR_BYTES_MAX = 1_000_000
"""A `tsvector` may have 1,048,575 bytes; words past this limit are not indexed."""

POSITION_MAX = 16_383
OCCURRENCES_MAX = 255
"""PostgreSQL's own limits: where in a text a word can be, and how often it is noted."""

BEGINNING_CHARS = 4
"""The length of the prefix of a project's words: one in sixteen million other projects has the
same."""

WEIGHT_LETTERS = "ABCD"
"""The four weights a word in a `tsvector` can have, in the order of a topic's columns."""


def short(text: str) -> str:
    """Give the text, or if it is too long to be indexed, what stands for it there.

    Equal texts stay equal and different ones different. Long texts that begin alike sort by digest.
    """
    data = text.encode()
    if len(data) <= SHORT_BYTES_MAX and MARK not in text:
        return text
    return f"{data[:PREFIX_BYTES].decode(errors='ignore')}{MARK}{digest_of(data)}"


def is_short_for_another(text: str) -> bool:
    """Whether this stands for a longer text."""
    return MARK in text


def lexemes_of(project: str) -> str:
    """Give the prefix of a project's words, so that a lookup meets no other project's.

    In one index for all projects a word would be followed by the documents of all that use it.
    """
    digest = b64encode(sha256(project.encode()).digest(), altchars=b"-_")
    return digest[:BEGINNING_CHARS].decode()


LEXEMES_OF = (
    "left(translate(encode(sha256(convert_to({}, 'UTF8')), 'base64'), '+/', '-_'), "
    f"{BEGINNING_CHARS})"
)
"""The same in SQL, of a column."""


def tsvector(topic: Topic, texts: Mapping[str, str], begun: str = "") -> str:
    """Write a document as PostgreSQL reads a `tsvector`: each stem, where it is and its weight."""
    places = _places(topic, texts, len(begun))
    return " ".join(
        f"{_lexeme(begun + word)}:{','.join(f'{place}{letter}' for place, letter in noted)}"
        for word, noted in places.items()
        if noted
    )


def written_back(topic: Topic, texts: Mapping[str, str], begun_chars: int) -> str:
    """Write a document as PostgreSQL writes the `tsvector` that it has read.

    The prefix of its words is left out, but for the room it takes.
    """
    places = _places(topic, texts, begun_chars)
    return " ".join(
        f"{_lexeme(word)}:{','.join(map(_shown, _unlike(noted)))}"
        for word, noted in sorted(places.items(), key=lambda each: each[0].encode())
        if noted
    )


def tsquery(terms: Iterable[Term], begun: str = "", *, operator: str = "|") -> str:
    """Write terms as PostgreSQL reads a `tsquery`, some also as words that others begin with."""
    return operator.join(f"({'|'.join(_forms(term, begun))})" for term in terms)


def places(
    noted: Iterable[str], topic: Topic, begun: str = ""
) -> dict[str, list[tuple[int, float]]]:
    """Read where a document has some lexemes, each with its positions and its weights."""
    weights = dict(zip(WEIGHT_LETTERS, topic.columns.values(), strict=False))
    found: dict[str, list[tuple[int, float]]] = {}
    for line in noted:
        lexeme, positions, letters = line.split(" ")
        found[lexeme.removeprefix(begun)] = [
            (int(position), weights[letter])
            for position, letter in zip(positions.split(","), letters, strict=True)
        ]
    return found


def length_of(topic: Topic, texts: Mapping[str, str]) -> float:
    """Say how long a document is, words counting what their columns do."""
    return sum(
        weight * sum(1 for _ in stems(texts.get(name, "")))
        for name, weight in topic.columns.items()
    )


def _forms(term: Term, begun: str) -> Iterator[str]:
    for form in term.forms:
        yield "<->".join(_lexeme(begun + word) for word in form.split())
    if term.beginning is not None:
        yield f"{_lexeme(begun + term.beginning)}:*"


def _places(
    topic: Topic, texts: Mapping[str, str], begun_chars: int
) -> Mapping[str, list[tuple[int, str]]]:
    """Give where each stem is, as many places as fit, each with the letter of its weight."""
    assert len(topic.columns) <= len(WEIGHT_LETTERS), f"{topic.name} has too many columns"
    places: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    position, size = 0, 0
    for letter, name in zip(WEIGHT_LETTERS, topic.columns, strict=False):
        for word in stems(texts.get(name, "")):
            position += 1
            noted = places[word]
            if len(noted) == OCCURRENCES_MAX:
                continue
            size += 2 if noted else begun_chars + len(word.encode()) + 6
            if size > TSVECTOR_BYTES_MAX:
                return places
            noted.append((min(position, POSITION_MAX), letter))
        # No words stand side by side that are in two texts.
        position += 1
    return places


def _unlike(noted: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Keep the first of the places that are the same, which has the larger weight."""
    return list({place: (place, letter) for place, letter in reversed(noted)}.values())[::-1]


def _shown(noted: tuple[int, str]) -> str:
    place, letter = noted
    return f"{place}{'' if letter == WEIGHT_LETTERS[-1] else letter}"


def _lexeme(word: str) -> str:
    # Words are letters and digits; should that change, a quote still ends nothing here.
    return f"'{word.replace(chr(92), 2 * chr(92)).replace(chr(39), 2 * chr(39))}'"
