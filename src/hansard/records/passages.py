"""The texts by which records are found by meaning."""

from collections.abc import Iterable

from hansard.kernel.blob import Digest
from hansard.kernel.meaning import Passage, Passages, Sources
from hansard.records.events import RecordCreated, RecordUpdated
from hansard.records.views import RECORDS, WORDS


def _passages(event: RecordCreated | RecordUpdated, sources: Sources) -> Iterable[Passage]:
    """Give the whole record as it stands: an update names only what it changed."""
    row = sources.row(RECORDS, event.id)
    assert row is not None, f"something happened to {event.id}, which was never created"
    body = sources(Digest(row["body"])).decode()
    text = "\n".join(filter(None, [row["title"], row["summary"], body]))
    yield Passage(WORDS.name, event.id, text)


PASSAGES: Passages = {RecordCreated: _passages, RecordUpdated: _passages}
