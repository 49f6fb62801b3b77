"""Limits of the recorder by name. Units come last."""

from hansard.kernel.limits import BLOB_BYTES_MAX, LIST_LIMIT_DEFAULT, MIB

STEPS_MAX = 500
"""Steps in one revision of a plan, those added later among them."""

OPS_MAX = 100
"""Operations in a batch: as many locks are held and as many files rewritten in one go."""

EDITS_MAX = 500
"""Replacements in one edit."""

CITES_MAX = 100

KINDS_MAX = 50
"""Kinds of entries that a timeline may be asked for at once."""

FILE_WAIT_S = 10.0
"""How long an operation waits for another on the same file."""

FILE_POLL_S = 0.002
FILE_POLL_MAX_S = 0.05
"""The pause between two checks whether the file is free; it doubles up to the second."""

PAUSE_S = 120.0
"""Edits of one file with no longer pause between them are one beat of the story."""

RESTORE_FILES_MAX = 5_000
"""Files that one restore may change."""

RESTORE_SHOWN_MAX = 200
"""Files on one page of its preview, and in its answer."""

TAKES_MAX = 1_000
"""Files that an undo may be asked to be about, or to decide about, by name."""

MOVE_CANDIDATES_MAX = 20
"""How many files of the same content are searched for the one that was moved."""

CLEAN_DIGESTS_MAX = 10_000
"""How many contents a process remembers to hold no secret."""

DIFF_LINES_MAX = 40_000
"""Lines up to which two contents are compared; above, a diff could take seconds."""

COPY_SHOWN_CHARS = 8
"""Of the id of a workspace's copy: enough to tell a few apart."""

FILES_COPIED_MAX = 100_000
"""Files that a new copy of a workspace goes on with."""

LINE_NUMBER_MAX = 20 * 1024 * 1024
"""More lines than any file has of which contents are kept."""

LINES_ASKED_MAX = 10_000
"""Lines that can be asked about at once."""

ORIGINS_TOLD_MAX = 200
"""Entries that one answer about lines names."""

REGIONS_KEPT_MAX = 500
"""Regions of changed lines that are recorded with a change; of more, the contents are compared."""

DIFF_BYTES_MAX = 4 * 1024 * 1024
"""Bytes of both contents up to which a diff is shown."""

CHARS_PER_TOKEN = 4
"""How budgets are counted: near enough for prose in English, and the same for every model."""

BUDGET_TOKENS_MIN = 200
BUDGET_TOKENS_MAX = 1_000_000
STORY_BUDGET_TOKENS = 4_000
TIMELINE_BUDGET_TOKENS = 4_000

BEATS_PAGE = 200
"""Rows of the story read at a time; the budget usually ends a page before."""

BEATS_READ_MAX = 5_000
"""Rows read for one answer, if many are shown as one."""

FILES_TOLD_MAX = 12
"""Files that are shown one by one; more in a row are shown by folder,"""

FOLDERS_TOLD_MAX = 8
"""and these from a level up on which there are no more of them."""

TIMELINE_LIMIT_DEFAULT = LIST_LIMIT_DEFAULT

TIMELINE_LOOKED_MAX = 5_000
"""Entries looked at for one page when a filter leaves most of them out."""

MESSAGE_SHOWN_CHARS = 500
"""How much of the user's message heads the story."""

MESSAGE_TIMELINE_CHARS = 2_000
"""How much of it is on the timeline."""

NOTE_SHOWN_CHARS = 500
"""How much of a note the story shows; the timeline has all of it."""

SUMMARIES_SHOWN_MAX = 3
"""How many of a run of like events the story describes."""

LARGE_BYTES_MAX = 1024 * MIB
"""A file over the recorder's limit is moved and deleted up to this size: it is read for its
digest."""

KEPT_BYTES_MAX = BLOB_BYTES_MAX
"""Up to this size a file that is deleted is kept, though nothing over 10 MiB is written."""

HUNKS_SHOWN_MAX = 20
"""How many of the places where an undo clashes in one file are shown."""

HUNK_SHOWN_CHARS = 2_000
"""How much of each side of such a place is shown."""

DIFF_SHOWN_CHARS = 20_000
"""How much of what a restore or undo would change in one file is shown."""

OUTSIDE_STEPPED_OVER_MAX = 50
"""Over how many changes from outside a change is told which session's work it goes over."""
