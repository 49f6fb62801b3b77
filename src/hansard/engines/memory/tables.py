"""Tables and topics in memory. Every change returns its undo."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import orjson

from hansard.engines.bm25 import MEAN_OF_DOCUMENTS, Candidate, Ranking, occurrences
from hansard.kernel.blob import canonical_json
from hansard.kernel.engine import AnyOf, Hit, Range, Row, Scalar, Table, Topic, Where
from hansard.kernel.words import Term, stems

Undo = Callable[[], object]


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
    """A table of one project: current rows, and past versions."""

    def __init__(self, table: Table) -> None:
        self.current: dict[str, Stored] = {}
        self.past: defaultdict[str, list[Stored]] = defaultdict(list)
        leading = {fields[0] for fields in table.indexes}
        self._keys_by: dict[str, defaultdict[Any, dict[str, None]]] = {
            name: defaultdict(dict) for name in leading
        }

    def set(self, key: str, stored: Stored | None) -> Undo:
        """Make this the current row under the key, or remove it; returns the undo."""
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
        """Keep a past version; returns the undo."""
        self.past[key].append(version)
        return self.past[key].pop

    def versions(self, key: str) -> list[Stored]:
        """Give all versions of a row, oldest first."""
        standing = self.current.get(key)
        return [*self.past.get(key, ()), *([standing] if standing else [])]

    def at(self, key: str, as_of: int | None) -> Stored | None:
        """Give the row as it is, or was right after entry `as_of`."""
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
class IndexedDocument:
    """Where a document has each stem, an occurrence counting its column's weight."""

    places: Mapping[str, Sequence[tuple[int, float]]]
    length: float

    @classmethod
    def of(cls, topic: Topic, texts: Mapping[str, str]) -> Self:
        places: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        place, length = 0, 0.0
        for column, weight in topic.columns.items():
            for word in stems(texts.get(column, "")):
                places[word].append((place, weight))
                place += 1
                length += weight
            # No words stand side by side that are in two texts.
            place += 1
        return cls(dict(places), length)

    def mark(self) -> str:
        """Give a mark of all of it."""
        return repr(sorted(self.places.items()))


class Words:
    """A topic of one project: which documents have which words."""

    def __init__(self) -> None:
        self._documents: dict[str, IndexedDocument] = {}
        self._keys_by_stem: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def set(self, key: str, document: IndexedDocument | None) -> Undo:
        """Make this the document under the key, or remove it; returns the undo."""
        old = self._documents.pop(key, None)
        for word in old.places if old else ():
            del self._keys_by_stem[word][key]
        if document is not None:
            self._documents[key] = document
            for word in document.places:
                self._keys_by_stem[word][key] = None
        return lambda: self.set(key, old)

    def documents(self) -> Iterable[tuple[str, IndexedDocument]]:
        """Give all documents with their keys."""
        return self._documents.items()

    def having(self, words: Sequence[str]) -> tuple[int, list[int]]:
        """Count the newest documents, and those of them that have each stem."""
        newest = self._newest()
        return len(newest), [sum(word in each.places for each in newest) for word in words]

    def known(self, words: Sequence[str]) -> dict[str, int]:
        """Count the documents that have each of these stems, as far as some have."""
        counts = {word: len(self._keys_by_stem.get(word, ())) for word in words}
        return {word: count for word, count in counts.items() if count}

    def _newest(self) -> list[IndexedDocument]:
        return list(self._documents.values())[-MEAN_OF_DOCUMENTS:]

    def ranked(self, terms: Sequence[Term]) -> list[Hit]:
        """Give the documents that have some of the terms, best first."""
        having = [self._having(term) for term in terms]
        newest = self._newest()
        length_mean = sum(each.length for each in newest) / max(len(newest), 1)
        ranking = Ranking(terms, [len(each) for each in having], len(self._documents), length_mean)
        return ranking.ranked(
            Candidate(key, [occurrences(term, document.places) for term in terms], document.length)
            for key in dict.fromkeys(key for each in having for key in each)
            for document in [self._documents[key]]
        )

    def _having(self, term: Term) -> Collection[str]:
        """Give the keys of what has a word; of words side by side, each is asked for alone too."""
        if term.is_phrase:
            return ()
        stems = {*term.forms, *self._beginning_with(term.beginning)}
        return {key for stem in stems for key in self._keys_by_stem.get(stem, ())}

    def _beginning_with(self, word: str | None) -> list[str]:
        return [stem for stem in self._keys_by_stem if word and stem.startswith(word)]
