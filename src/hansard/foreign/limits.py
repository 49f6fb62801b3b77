"""Limits on reading other programs' files. Units come last."""

from hansard.kernel.limits import MIB

LINE_BYTES_MAX = 32 * MIB
"""A line of JSON: above it there is no transcript, only a mistake or an attack."""

DOCUMENT_BYTES_MAX = 256 * MIB
"""A file that has to be read whole."""

NOTE_BYTES_MAX = 4 * MIB
"""A file of Markdown."""

LINES_MAX = 5_000_000
FILES_MAX = 100_000
"""In one folder and all below it."""

FOLDERS_DEEP_MAX = 12
"""Below the folder that is named."""

NESTING_MAX = 200
"""Levels of lists and objects that a line may have to be looked at."""

ROWS_PAGE = 500
"""Rows of a database that are read at a time."""

COMMAND_CHARS_MAX = 2_000
"""Of a shell command, in the note that tells of it."""

DIFF_CHARS_MAX = 8_000
"""Of an edit of which only the changed lines are known, in the note that tells of it."""

QUIET_S = 24 * 3600
"""A session in which nothing has happened for so long is over, whatever its transcript says."""

SKIPPED_SHOWN_MAX = 5
"""Places that are named for each reason why something is left out."""
