"""Search by meaning: a follower that embeds passages, and an index of them in each process."""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hansard.embedders import vectors
from hansard.embedders.embedder import Embedder, EmbedderRefused, EmbedderUnavailable
from hansard.embedders.held_vectors import HeldVectors, TopicOf
from hansard.kernel import follow
from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.deferred import Part
from hansard.kernel.engine import Hit, ReadTx, WriteTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.meaning import Passage, Passages, Sources
from hansard.kernel.operation import Capability
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.similarity import Likeness
from hansard.kernel.store import Store

if TYPE_CHECKING:
    from hansard.embedders.embedder import Vectors

CAPABILITY = "embedders"
FOLLOWER = "vectors"

FLOOR = 0.15
"""The cosine below which a text has nothing to do with a query, whatever else speaks for it."""

ECHOES = 2
"""How many of the nearest are asked along with a query (ADR 47)."""

FORM = "heads"
"""How vectors are made from passages; with another form all of them are made again."""

SHELVES_MAX = 32
"""Topics of projects that are held in memory; the one not asked for longest makes room."""

QUERIES_KNOWN_MAX = 64
"""Queries whose vectors are kept: each kind of thing is asked for the same one."""

RETRY_S = 10.0
"""How long an embedder that failed is not asked again, so that not every search waits for it."""


class VectorMeanings:
    """Finds by the vectors that an embedder makes."""

    def __init__(self, embedder: Embedder) -> None:
        """Use an embedder, which is not asked for anything yet."""
        self._embedder = embedder
        self._made_by = f"{embedder.id} {FORM}"
        self._store: Store | None = None
        self._follower: follow.Follower | None = None
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str, str], HeldVectors] = OrderedDict()
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._why_not: str | None = None
        self._asked_again_at = 0.0

    @property
    def name(self) -> str:
        """Name the embedder, or say why words alone count."""
        why = self._why_not
        return f"none ({why})" if why else self._embedder.name

    def capability(self, others: Sequence[Part]) -> Capability:
        """Build the part of the catalog: the follower of the others' passages."""
        return Capability(CAPABILITY, (), followers=partial(self._over, others))

    def nearest(
        self,
        project: str,
        topic: str,
        query: str,
        *,
        limit: int,
        are_alike: bool = False,
        about: str = "",
    ) -> list[Hit]:
        """Find the nearest documents; none, and no failure, when the embedder fails."""
        held = self._hold(project, topic)
        with held.lock:
            if self._store is not None:
                held.refresh(self._store)
            is_empty = not held.index
        vector = None if is_empty else self._embed_query(query)
        if vector is None:
            return []
        taken_off = self._embed_query(about) if about else None
        with held.lock:
            if held.index is None:
                return []
            echoes = 0 if are_alike else ECHOES
            return held.index.nearest(
                vector,
                limit=limit,
                floor=FLOOR,
                echoes=echoes,
                is_contrasted=True,
                taken_off=taken_off,
            )

    def alike(self, project: str, topic: str, query: str, keys: Sequence[str]) -> Likeness:
        """Say how like each other documents are, by what is in memory."""
        with self._lock:
            vector, held = self._known.get(query), self._held.get((project, topic))
        if vector is None or held is None:
            return ()
        with held.lock:
            return held.index.alike(vector, keys) if held.index else ()

    def lag(self, project: str) -> int:
        """Say how many entries of the project are yet to be processed."""
        if self._store is None or self._follower is None:
            return 0
        return follow.lag(self._store, self._follower, project)

    def _over(self, others: Sequence[Part], store: Store) -> Sequence[follow.Follower]:
        """Work on this store from now on; returns the follower of its passages."""
        self._store = store
        self._follower = follow.Follower(
            FOLLOWER,
            partial(self._apply, store, others),
            frozenset().union(*(other.passage_kinds for other in others)),
            self._embedder.batch,
            self._basis,
            self._embedder.close,
        )
        return [self._follower]

    def _basis(self, tx: ReadTx) -> str:
        current = vectors.generation(tx)
        return current.id if current and current.embedder == self._made_by else ""

    def _apply(
        self, store: Store, others: Sequence[Part], project: str, entries: Sequence[Entry]
    ) -> None:
        """Embed what these entries made new; a text whose vectors are there is left alone."""
        passages = _passages(others)
        events = [event for entry in entries if (event := store.kinds.decode(entry))]

        def look(tx: ReadTx) -> tuple[vectors.Generation | None, list[Passage]]:
            return vectors.generation(tx), list(self._fresh(tx, passages, events))

        seen, fresh = store.read(project, look)
        texts = [text for passage in fresh for text in _texts(passage)]
        made = iter(self._embed(texts))
        changes = [_change(passage, [next(made) for _ in _texts(passage)]) for passage in fresh]
        identifier = uuid.uuid4().hex

        def work(tx: WriteTx) -> None:
            if _id_of(vectors.generation(tx)) != _id_of(seen):
                # Perhaps for what these texts say.
                raise follow.NotNow("all vectors were erased meanwhile")
            vectors.save(tx, vectors.begin(tx, self._made_by, identifier), changes)

        if changes:
            store.write(project, work)
            self._keep_up(store, project, {change.topic for change in changes})

    def _keep_up(self, store: Store, project: str, topics: Iterable[str]) -> None:
        """Put what was made into the files that all map, so that a search need not."""
        for topic in topics if store.engine.derived is not None else ():
            held = self._hold(project, topic)
            with held.lock:
                held.refresh(store)

    def _fresh(self, tx: ReadTx, passages: Passages, events: Sequence[Event]) -> Iterator[Passage]:
        """Give the passages of these events that the table does not have as they are."""
        is_ours = bool(self._basis(tx))
        latest = {
            (passage.topic, passage.key): passage
            for event in events
            for passage in _made(passages, event, Sources(tx))
        }
        for passage in latest.values():
            known = vectors.text_digest(tx, passage.topic, passage.key) if is_ours else None
            if known != _digest(passage):
                yield passage

    def _embed(self, texts: Sequence[str]) -> "list[Vectors | None]":
        """Embed texts, or make the follower wait. A text that is itself refused gets `None`."""
        if not texts:
            return []
        try:
            made = self._embedder.embed(texts)
        except EmbedderRefused:
            # One bad text must not block all others forever.
            if len(texts) == 1:
                return [None]
            return [one for text in texts for one in self._embed([text])]
        except EmbedderUnavailable as unavailable:
            self._note(str(unavailable))
            raise follow.NotNow(str(unavailable)) from unavailable
        self._note(None)
        return [*made]

    def _embed_query(self, query: str) -> "Vectors | None":
        with self._lock:
            if query in self._known:
                self._known.move_to_end(query)
                return self._known[query]
        if self._why_not and time.monotonic() < self._asked_again_at:
            return None
        try:
            vector = self._embedder.embed_query(query)
        except EmbedderUnavailable as unavailable:
            self._note(str(unavailable))
            return None
        self._note(None)
        with self._lock:
            self._known[query] = vector
            if len(self._known) > QUERIES_KNOWN_MAX:
                self._known.popitem(last=False)
        return vector

    def _note(self, why_not: str | None) -> None:
        self._asked_again_at = time.monotonic() + RETRY_S
        self._why_not = why_not

    def _hold(self, project: str, topic: str) -> HeldVectors:
        with self._lock:
            of = TopicOf(project, topic, self._made_by)
            held = self._held.setdefault((project, topic), HeldVectors(of))
            self._held.move_to_end((project, topic))
            if len(self._held) > SHELVES_MAX:
                self._held.popitem(last=False)
            return held


def _passages(others: Sequence[Part]) -> Passages:
    """Gather the functions that make passages; capabilities that have some are loaded for it."""
    having = (other for other in others if other.passage_kinds)
    return {event: make for other in having for event, make in other.passages.items()}


def _made(passages: Passages, event: Event, sources: Sources) -> Iterable[Passage]:
    try:
        return list(passages[type(event)](event, sources))
    except BlobDamaged:
        # `hansard verify` names it; what else there is must still be found.
        return []


def _id_of(generation: vectors.Generation | None) -> str | None:
    return generation.id if generation else None


def _texts(passage: Passage) -> list[str]:
    """Give what is embedded of a passage."""
    return [text for text in (passage.text, passage.head) if text] if passage.text else []


def _digest(passage: Passage) -> Digest | None:
    texts = _texts(passage)
    return digest_of("\0".join(texts).encode()) if texts else None


def _change(passage: Passage, made: "Sequence[Vectors | None]") -> vectors.VectorChange:
    """Make a change of what was embedded; each vector lies halfway to that of the head."""
    digest = _digest(passage)
    whole = made[0] if made else None
    if whole is None:
        return vectors.VectorChange(passage.topic, passage.key, digest, None, 0)
    for head in made[1:]:
        whole = whole if head is None else _between(whole, head[:1])
    return vectors.VectorChange(
        passage.topic, passage.key, digest, vectors.pack(whole), whole.shape[1]
    )


def _between(some: "Vectors", other: "Vectors") -> "Vectors":
    import numpy as np

    sums: Vectors = some + other
    lengths: Vectors = np.linalg.norm(sums, axis=1, keepdims=True)
    # Opposites have nothing between them.
    return sums / lengths if (lengths > 0).all() else some
