"""The kernel's limits by name. Units come last."""

KIB = 1024
MIB = 1024 * KIB

REQUEST_BYTES_MAX = 16 * MIB
"""One request over stdio or HTTP."""

NESTING_MAX = 64
"""Levels of lists and objects in anything a caller sends."""

INTEGER_BITS_MAX = 64
"""Integers beyond this have no exact home in JSON, SQLite or PostgreSQL."""

TITLE_CHARS_MAX = 500
SUMMARY_CHARS_MAX = 2_000
DESCRIPTION_CHARS_MAX = 10_000
BODY_BYTES_MAX = 1 * MIB
QUERY_CHARS_MAX = 10_000

POINT_CHARS_MAX = 64
"""A point in time: a tick, a seq, or an ISO time with all its digits and an offset."""

ID_CHARS_MAX = 255
"""Ids are opaque handles; past this length nothing we made can match."""

PROJECT_ID_CHARS_MAX = 64
LABEL_CHARS_MAX = 100
"""Short labels: record types, tags, event types."""

IDEMPOTENCY_KEY_CHARS_MAX = 255

LIST_LIMIT_DEFAULT = 50
LIST_LIMIT_MAX = 1_000
CURSOR_CHARS_MAX = 2_000
FILTER_VALUES_MAX = 100
"""Values of one field that a list may be filtered by at once."""

ID_BLOCK_SIZE = 100
"""Ids a project is granted at a time, so that taking one costs no second transaction."""

INLINE_BLOB_BYTES_MAX = 64 * KIB
"""A packed blob up to this size lies in the database; above it, in a file of its own."""

BLOB_BYTES_MAX = 64 * MIB
"""The unpacked size no blob may exceed: what is read back is bounded before it is inflated."""

BLOB_CHAIN_MAX = 40
"""How many deltas may hang on one another before a blob is packed whole again."""

FILE_BYTES_MAX = 10 * MIB
"""A file the recorder reads, writes or keeps a version of."""

PATH_COMPONENT_BYTES_MAX = 255
"""What the common file systems take as one name."""

PATH_LEVELS_MAX = 64
PATH_BYTES_MAX = 4_095
"""What Linux takes as one path, less its closing NUL."""

WRITE_WAIT_S = 30.0
"""How long a caller waits for its turn to write before being told the store is unavailable."""

REBUILD_WAIT_S = 20.0
"""How long a caller waits for tables that are derived again before being told how far they are."""

GROUP_COMMIT_MAX = 256
"""Pieces of work that may share one commit."""

ENTRIES_PAGE = 1_000
"""Entries read at a time when the whole journal is read."""

SHUTDOWN_S = 5.0
"""A server that is told to stop has stopped by then."""
