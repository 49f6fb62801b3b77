"""What a project's tables and topics are in memory. Every change returns what undoes it."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import orjson

from hansard.kernel.blob import canonical_json
from hansard.kernel.engine import AnyOf, Hit, Range, Row, Scalar, Table, Topic, Where
from hansard.kernel.words import stems

Undo = Callable[[], object]

SATURATION = 1.2
LENGTH_PENALTY = 0.75
"""How BM25 damps repeated words and long documents: its customary constants."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A row as JSON, so that nobody can change it from outside, and its fields for filters."""

    body: bytes
    fields: Mapping[str, Any]
    from_seq: int
    to_seq: int | None = None

    @classmethod
    def of(cls, table: Table, row: Row, seq: int) -> Self:
        return cls(canonical_json(row), {name: row.get(name) for name in table.fields}, seq)

    def row(self) -> Row:
        row: Row = orjson.loads(self.body)
        return row


class Rows:
    """A table of one project: rows that stand, and versions that no longer do."""

    def __init__(self, table: Table) -> None:
        self.current: dict[str, Stored] = {}
        self.past: defaultdict[str, list[Stored]] = defaultdict(list)
        leading = {fields[0] for fields in table.indexes}
        self._keys_by: dict[str, defaultdict[Any, dict[str, None]]] = {
            name: defaultdict(dict) for name in leading
        }

    def set(self, key: str, stored: Stored | None) -> Undo:
        """Make this the row that stands under the key, or none; returns what undoes it."""
        old = self.current.pop(key, None)
        if old is not None:
            for name, keys in self._keys_by.items():
                del keys[old.fields[name]][key]
        if stored is not None:
            self.current[key] = stored
            for name, keys in self._keys_by.items():
                keys[stored.fields[name]][key] = None
        return lambda: self.set(key, old)

    def shelve(self, key: str, version: Stored) -> Undo:
        """Keep a version that no longer stands; returns what undoes it."""
        self.past[key].append(version)
        return self.past[key].pop

    def versions(self, key: str) -> list[Stored]:
        """Give all versions of a row, oldest first."""
        standing = self.current.get(key)
        return [*self.past.get(key, ()), *([standing] if standing else [])]

    def at(self, key: str, as_of: int | None) -> Stored | None:
        """Give the row as it stands, or stood right after entry `as_of`."""
        if as_of is None:
            return self.current.get(key)
        stood = (
            version
            for version in self.versions(key)
            if version.from_seq <= as_of and (version.to_seq is None or as_of < version.to_seq)
        )
        return next(stood, None)

    def matching(self, where: Where, as_of: int | None) -> Iterator[tuple[str, Stored]]:
        """Give the rows that fit, in no order."""
        for key in self._candidates(where) if as_of is None else {**self.past, **self.current}:
            stored = self.at(key, as_of)
            if stored is not None and _fits(stored.fields, where):
                yield key, stored

    def _candidates(self, where: Where) -> Iterable[str]:
        """Narrow by one indexed field that must equal something, if there is such."""
        for name, wanted in where.items():
            if name in self._keys_by and not isinstance(wanted, AnyOf | Range):
                return self._keys_by[name].get(wanted, ())
        return self.current


def _fits(fields: Mapping[str, Any], where: Where) -> bool:
    return all(_matches(fields[name], wanted) for name, wanted in where.items())


def _matches(value: Any, wanted: Scalar | AnyOf | Range | None) -> bool:
    if isinstance(wanted, AnyOf):
        return value is not None and value in wanted.values
    if isinstance(wanted, Range):
        if value is None or (wanted.at_least is not None and value < wanted.at_least):
            return False
        return wanted.below is None or bool(value < wanted.below)
    return bool(value == wanted)


@dataclass(frozen=True, slots=True)
class Document:
    """How often a document has each stem, an occurrence counting its column's weight."""

    counts: Mapping[str, float]
    length: float

    @classmethod
    def of(cls, topic: Topic, texts: Mapping[str, str]) -> Self:
        counts: defaultdict[str, float] = defaultdict(float)
        for column, text in texts.items():
            for word, times in Counter(stems(text)).items():
                counts[word] += times * topic.columns[column]
        return cls(dict(counts), sum(counts.values()))

    def mark(self) -> str:
        """Give what stands for all of it."""
        return repr(sorted(self.counts.items()))

    def score(self, word: str, length_mean: float) -> float:
        """Say how much this document is about a word, as BM25 has it."""
        length = 1 - LENGTH_PENALTY + LENGTH_PENALTY * self.length / length_mean
        return self.counts[word] / (self.counts[word] + SATURATION * length)


class Words:
    """A topic of one project: which documents have which words."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._keys_by_stem: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def set(self, key: str, document: Document | None) -> Undo:
        """Make this the document under the key, or none; returns what undoes it."""
        old = self._documents.pop(key, None)
        for word in old.counts if old else ():
            del self._keys_by_stem[word][key]
        if document is not None:
            self._documents[key] = document
            for word in document.counts:
                self._keys_by_stem[word][key] = None
        return lambda: self.set(key, old)

    def documents(self) -> Iterable[tuple[str, Document]]:
        """Give all documents with their keys."""
        return self._documents.items()

    def ranked(self, words: Sequence[str], beginnings: Mapping[str, str]) -> list[Hit]:
        """Give the documents that have some of the words; those with all of them come first."""
        count = len(self._documents)
        length_mean = sum(each.length for each in self._documents.values()) / max(count, 1)
        scores: defaultdict[str, float] = defaultdict(float)
        found: Counter[str] = Counter()
        for word in words:
            stems = {word, *self._beginning_with(beginnings.get(word))}
            having = {key for stem in stems for key in self._keys_by_stem.get(stem, ())}
            rarity = math.log1p((count - len(having) + 0.5) / (len(having) + 0.5))
            for key in having:
                document = self._documents[key]
                value = sum(
                    document.score(one, length_mean) for one in stems if one in document.counts
                )
                scores[key] += rarity * value
                found[key] += 1
        # Squeezed below 1, so that having all the words, which doubles, outdoes any sum.
        hits = (
            Hit(key, (1 + score / (1 + score)) * (2 if found[key] == len(words) else 1))
            for key, score in scores.items()
        )
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))

    def _beginning_with(self, word: str | None) -> list[str]:
        return [stem for stem in self._keys_by_stem if word and stem.startswith(word)]
