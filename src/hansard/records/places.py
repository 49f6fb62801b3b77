"""Places of records: parent, neighbours, speaker and time.

Children of a record are in the order in which they came. So do records without a parent that say
who speaks: those are turns of a talk, recorded one by one. Others have no neighbours.
"""

import re
from collections.abc import Collection
from datetime import date

from hansard.kernel.dates import HEAD_CHARS, day_said
from hansard.kernel.engine import AnyOf, ReadTx, Row, Table
from hansard.kernel.surroundings import TextPlace
from hansard.kernel.transcript import speaker_of, turns_of
from hansard.kernel.view import Derivation

VERSION = 7
"""Of the view of records, which this table belongs to."""

PLACES = Table("records_places", {"id": "text"}, (("id",),), version=VERSION)
"""By id: what comes before and after a record, its whole, who said it, and the day.

Under the name of a group, which is no id: the last record of the group.
"""

WHO_CHARS_MAX = 60
_SPEAKER = ("speaker", "who", "sender", "said_by", "from", "role")
_AUTHOR = ("author", "authors", "by", "user", "name")
_DAY = ("date", "day", "when", "at", "time", "timestamp", "datetime", "said_at", "created", "sent")
_TALK = ("session", "session_id", "conversation", "thread", "chat", "dialog", "dialogue", "channel")
"""The names under which metadata says who spoke, who wrote, when, and in which talk."""

_NAME = r"[A-Z\u00c0-\u00de\u0400-\u042f][\w'.-]*(?: [A-Z][\w'.-]*){0,2}"
_LABELS = frozenset(
    "note notes todo bug fix feature task idea question answer warning error decision update"
    " summary docs test refactor chore plan step goal status issue problem result source example"
    " why what how when where who reason context background file path url title see re fwd".split()
)
"""Words before a colon that are nobody's name."""

SPEAKER_TITLES_MIN = 3
"""A title that is a name and repeats this often names the speaker."""

_ONLY_NAME = re.compile(rf"^{_NAME}$")


def places(tx: ReadTx, keys: Collection[str]) -> dict[str, TextPlace]:
    """Look up the places of records, all with one query."""
    if not keys:
        return {}
    # In the order of the index that has them: in the order of keys, all would be read.
    rows = tx.scan(PLACES, {"id": AnyOf(sorted(keys))}, order="id", limit=len(keys))
    return {found.key: _place(found.row) for found in rows}


def _place(row: Row) -> TextPlace:
    day = date.fromisoformat(row["day"]) if row["day"] else None
    return TextPlace(row["before"], row["after"], row["whole"], row["who"], day)


def put(derivation: Derivation, row: Row, body: str) -> None:
    """Note the place of a record, given its row and body as they will be."""
    known = derivation.get(PLACES, row["id"])
    whole = derivation.get(PLACES, row["parent_id"]) if row["parent_id"] else None
    speaker, day = _speaker(row, body), _day(row, body) or (whole or {}).get("told")
    title = row["title"]
    if not (speaker or known) and _ONLY_NAME.match(title) and _says_all(title, body):
        speaker = _titled(derivation, title)
    group = known["group"] if known and _is_there(known, row) else _group(row, speaker, day)
    who = speaker or _named(row["metadata"], _AUTHOR) or row["author"].partition(":")[2]
    told = {"who": who, "told": day}
    told |= {"whole": row["parent_id"], "day": day or row["created"][:10]}
    if known and known["group"] == group:
        derivation.put(PLACES, row["id"], known | told)
        return
    if known:
        _take_out(derivation, known)
    last = (derivation.get(PLACES, group) or {}).get("last") if group else None
    place = {"id": row["id"], "group": group, "before": last, "after": None}
    derivation.put(PLACES, row["id"], place | told)
    if last:
        derivation.put(PLACES, last, _row(derivation, last) | {"after": row["id"]})
    if group:
        derivation.put(PLACES, group, {"last": row["id"]})


def _is_there(known: Row, row: Row) -> bool:
    """Whether a record has stayed where it was, whatever else about it has changed."""
    return bool(known["whole"] == row["parent_id"])


def _titled(derivation: Derivation, title: str) -> str | None:
    """Take a title for a speaker's name once it has come back."""
    key = f"titled {title}"
    times = (derivation.get(PLACES, key) or {"times": 0})["times"] + 1
    derivation.put(PLACES, key, {"times": times})
    return title if times >= SPEAKER_TITLES_MIN else None


def _take_out(derivation: Derivation, place: Row) -> None:
    """Make the neighbours of a record that moves away neighbours of each other."""
    before, after = place["before"], place["after"]
    if before:
        derivation.put(PLACES, before, _row(derivation, before) | {"after": after})
    if after:
        derivation.put(PLACES, after, _row(derivation, after) | {"before": before})
    elif place["group"]:
        derivation.put(PLACES, place["group"], {"last": before})


def _row(derivation: Derivation, identifier: str) -> Row:
    row = derivation.get(PLACES, identifier)
    assert row is not None, f"{identifier} stands beside a record but has no place"
    return row


def _group(row: Row, speaker: str | None, day: str | None) -> str | None:
    if row["parent_id"]:
        return f"under {row['parent_id']}"
    talk = _named(row["metadata"], _TALK)
    return f"said {talk or day or ''} {row['type']}" if speaker else None


def _speaker(row: Row, body: str) -> str | None:
    """Say who speaks, if a record says so in one of the ways in which talks are written down."""
    named = _named(row["metadata"], _SPEAKER)
    if named:
        return named
    heads = map(speaker_of, (body[:HEAD_CHARS], row["title"]))
    names = (name for name in heads if name and _ONLY_NAME.match(name))
    name = next((name for name in names if name.lower() not in _LABELS), None)
    return name if name and _says_all(name, body) else None


def _says_all(name: str, body: str) -> bool:
    """Whether nobody else has a turn in a body: a talk of several has no single speaker."""
    return all(speaker_of(turn) == name for turn in turns_of(body))


def _day(row: Row, body: str) -> str | None:
    return day_said(_named(row["metadata"], _DAY) or "", row["title"], body[:HEAD_CHARS])


def _named(metadata: object, names: Collection[str]) -> str | None:
    """Give the first short value that metadata has under one of some names.

    Of names that differ only in case, the last in order counts, even if a caller gave it first.
    """
    if not isinstance(metadata, dict):
        return None
    values = {key.lower(): metadata[key] for key in sorted(metadata)}
    found = (str(values[name]) for name in names if isinstance(values.get(name), str | int))
    return next((text for text in found if 0 < len(text) <= WHO_CHARS_MAX), None)
