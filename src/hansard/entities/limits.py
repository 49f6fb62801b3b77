"""The limits of entities, by name. Units come last."""

from hansard.kernel.limits import KIB, MIB

ID_ALPHANUMERICS = 20
"""How many letters and digits follow the type in an id."""

ENTITY_BYTES_MAX = 4 * MIB
"""All that a caller gives of one entity, as canonical JSON."""

SENDER_CHARS_MAX = 255
CALL_ID_CHARS_MAX = 255

OUTPUT_BYTES_MAX = 1 * MIB
"""What a tool gave back, or one text in a turn."""

PARTIALS_MAX = 1_000
"""Partials in one append."""

TURNS_MAX = 10_000
"""Turns in one creation, such as the import of a long chat; a longer one is appended to."""

OPEN_CALLS_MAX = 256
"""Tool requests of a thread that wait for an answer. Each thread carries them along, so that a
response is judged without a walk; they are few, or appending would not cost the same always."""

NODES_MAX = 5_000
EDGES_MAX = 20_000

EVENTS_MAX = 1_000
"""Events of an execution in one call."""

RECORDED_EVENTS_MAX = 10_000
"""Events of a run that is recorded when it is over."""

SETTINGS_KEYS_MAX = 1_000

DIMENSIONS_MAX = 8
"""Dimensions of one measurement. Each also makes a line of roll-ups of its own."""

VALUE_MAX = 1e300
"""The largest value either way: sums of any number of such values are still numbers."""

WHERE_CHARS_MAX = 600
"""What a list can be filtered by is short, white space included: PostgreSQL's indexes take no more
than 2,700 bytes."""

NAME_SHOWN_CHARS = 100
"""How much of an unknown name is repeated to the caller."""

WHERE_VALUES_MAX = 100
"""Values of one field in a filter."""

TURNS_SHOWN_DEFAULT = 50
"""Turns, or events of an execution, that one look shows; a cursor leads to the ones before."""

TURNS_SHOWN_MAX = 1_000
PARTIALS_SHOWN_MAX = 2_000
SHOWN_BYTES_MAX = 2 * MIB
"""A page of turns ends before it holds more than about this."""

APPENDED_SHOWN_BYTES_MAX = 4 * KIB
"""The answer to an append shows what was added, and so much of what came before it."""

APPENDED_SHOWN_TURNS_MAX = 10

LISTED_BYTES_MAX = 256 * KIB
"""A page of a list ends before it holds more than about this, but has at least one entity."""

SEARCHED_CHARS_MAX = 100_000
"""How much of one text is indexed by its words."""

IMPORTED_MAX = 1_000
"""Lines of an export that are taken in with one write."""
