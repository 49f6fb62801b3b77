"""Tables of entities: one for each type, one for threads, one for search."""

import re

from hansard.entities.types import BY_NAME, TYPES
from hansard.entities.types.entity import EntityType
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.kernel.engine import FieldType, Table, Topic

VERSION = 7


def _table(declared: EntityType) -> Table:
    name = re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", declared.name)
    looked_for = (*declared.where, *(one for one in declared.linked if one.endswith("Id")))
    indexes = (("created_seq",), ("updatedAt",), *((one, "created_seq") for one in looked_for))
    short = ("createdAt", "updatedAt", *declared.where, *declared.linked)
    fields: dict[str, FieldType] = {"created_seq": "integer", **dict.fromkeys(short, "text")}
    fields |= dict.fromkeys(map(key_of, declared.keyed), "text")
    fields |= dict.fromkeys(declared.grows.values(), "integer")
    return Table(
        f"entities_{name}",
        fields,
        indexes,
        history=True,
        version=VERSION,
    )


def key_of(field: str) -> str:
    """Name what stands in a row for a value of any length and kind, to compare it by."""
    return f"{field}_key"


TABLES = {one.name: _table(one) for one in TYPES if one is not MESSAGE_THREAD}
"""By type: what is known of each entity, by id. What its caller gave is in a blob.

What a list can be filtered by is in the row: short texts as they are (and what stands there
counts), what is longer as the key of its value.
"""

THREADS = Table(
    "entities_threads",
    {
        "id": "text",
        "base": "text",
        "created_seq": "integer",
        "is_deleted": "boolean",
        "createdAt": "text",
        "partials": "integer",
    },
    (("is_deleted", "created_seq"), ("id",), ("base", "created_seq")),
    version=VERSION,
)
"""By id: the thread that it goes on from (`base`), and what it adds to it (`segment`).

A thread never changes, so there is no history. One that was deleted stays for those that go on
from it. `jump` names a thread further down, so that any place is found in a few steps.
"""

BATCHES = Table(
    "entities_batches",
    {"execution": "text", "first": "integer"},
    (("execution", "first"),),
    version=VERSION,
)
"""What happened in executions, as it came in: the number of the first, and the blob of all."""

TEXTS = Table(
    "entities_texts", {"id": "text", "type": "text"}, (("id",), ("type",)), version=VERSION
)
"""By id: type and title of what can be found by its words, and the day that it says it is of."""

WORDS = Topic("entities", TEXTS, {"title": 3.0, "text": 1.0})

SETTINGS = TABLES["settings"]
CHATS = TABLES["chatThread"]
DOCUMENTS = TABLES["textDocument"]
EXECUTIONS = TABLES["agentGraphExecution"]


def type_of(identifier: str) -> EntityType | None:
    """Give the type of an id; `None` if it is of no known type."""
    return BY_NAME.get(identifier.partition("::")[0])
