"""The texts by which entities are found by their meaning."""

from collections.abc import Iterable

import orjson

from hansard.entities.events import (
    EntityCreated,
    EntityDeleted,
    EntityImported,
    EntityUpdated,
    ThreadExtended,
)
from hansard.entities.tables import WORDS
from hansard.entities.turns import talk_of
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.entities.views import searched
from hansard.kernel.blob import Digest
from hansard.kernel.meaning import Passage, Passages, ReadContent


def _content(
    event: EntityCreated | EntityUpdated | EntityImported, read: ReadContent
) -> Iterable[Passage]:
    if event.content is None:
        return
    content = orjson.loads(read(event.content))
    if event.type == MESSAGE_THREAD.name:
        yield Passage(WORDS.name, event.id, talk_of(content))
    elif texts := searched(event.type, content):
        yield Passage(WORDS.name, event.id, "\n".join(filter(None, texts)))


def _said(event: ThreadExtended, read: ReadContent) -> Iterable[Passage]:
    if event.segment:
        pieces = orjson.loads(read(Digest(event.segment)))
        yield Passage(WORDS.name, event.id, talk_of(pieces))


def _gone(event: EntityDeleted, read: ReadContent) -> Iterable[Passage]:
    del read
    yield Passage(WORDS.name, event.id, None)


PASSAGES: Passages = {
    EntityCreated: _content,
    EntityUpdated: _content,
    EntityImported: _content,
    ThreadExtended: _said,
    EntityDeleted: _gone,
}
