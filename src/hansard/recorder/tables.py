"""Tables derived from recorded sessions, and the keys of their rows."""

from functools import lru_cache

from hansard.kernel.blob import digest_of
from hansard.kernel.engine import Table

VERSION = 4

FILES = Table(
    "recorder_files",
    {"workspace": "text", "seq": "integer", "digest": "text", "is_away": "boolean"},
    (("workspace", "seq"), ("workspace", "digest")),
    version=VERSION,
)
"""Every path by its id: its latest revision, what the file there then held, and its history.

A path is away once its file was moved elsewhere; it has a history of its own again when another
file comes to lie there.
"""

REVISIONS = Table(
    "recorder_revisions",
    {"file": "text", "seq": "integer", "history": "text", "revision": "integer"},
    (("file", "seq"), ("history", "revision")),
    version=VERSION,
    is_large=True,
)
"""What was at a path, one row a change; before it, it was what the one before it left.

Each row is a revision of the history of the file that lies there, but for one that says only that
the file has gone elsewhere: the revision is then the row of the path it went to.
"""

HISTORIES = Table("recorder_histories", version=VERSION)
"""Of each file through all its names: where it lies now, and its latest revision.

With a base, its first revisions are those of another history, up to that one.
"""

PENDING = Table("recorder_pending", {"file": "text"}, (("file",),), version=VERSION)
"""Announced operations without an outcome, by the seq of the intent; a move has two rows."""

OUTCOMES = Table("recorder_outcomes", version=VERSION)
"""How operations ended that did not simply succeed, by the seq of the intent, and what they were.
"""

TOUCHED = Table(
    "recorder_touched",
    {"session": "text", "seq": "integer", "is_away": "boolean"},
    (("session", "seq"),),
    version=VERSION,
)
"""Which paths a session has changed, or met changed; those away it has moved a file from."""

BEATS = Table("recorder_beats", version=VERSION)
"""The beat of the story that a file of a session was last in, and that a restore is told in."""

SITTINGS = Table("recorder_sittings", version=VERSION)
"""By session: its title, its plan, its current step, and what it has done in numbers."""

STORY = Table(
    "recorder_story",
    {"session": "text", "place": "integer"},
    (("session", "place"),),
    version=VERSION,
    is_large=True,
)
"""Chapters and beats in the order of the story."""

UNDONE = Table("recorder_undone", version=VERSION)
"""Changes to files that no longer stand, by file and seq: what took each of them back."""

FOLDERS = Table("recorder_folders", version=VERSION)
"""Folders that were made for a file, by their id: they go again when the last file in them does."""

COPIES = Table("recorder_copies", version=VERSION)
"""Every place that a marked workspace was written in: its mark, and what it went on from."""

TABLES = (
    COPIES,
    *(FILES, REVISIONS, HISTORIES, PENDING, OUTCOMES, TOUCHED),
    *(BEATS, SITTINGS, STORY, UNDONE, FOLDERS),
)

FILE_ID_CHARS = 32
"""Half a SHA-256: enough that no two files of a store ever meet."""

FILE_IDS_KNOWN = 4_096
"""A change asks a dozen times for the id of its file."""

SEQ_BITS = 40
"""A beat's place is its chapter's number shifted by this, plus the seq it began at."""

CHAPTERS_PER_REVISION = 1_024
"""More than a plan has steps, and two for what is done before and after them."""


@lru_cache(maxsize=FILE_IDS_KNOWN)
def file_id(workspace: str, path: str) -> str:
    """Name a file: short, whatever the length of its path."""
    return digest_of(f"{workspace}\n{path}".encode())[:FILE_ID_CHARS]


def revision_key(file: str, number: int) -> str:
    """Name a revision so that keys sort as numbers do."""
    return f"{file}{number:010d}"


def touched_key(session: str, file: str) -> str:
    """Name a file within a session."""
    return f"{file}\n{session}"


def chapter_number(revision: int | None, step: int | None, *, is_begun: bool = False) -> int:
    """Number the chapter of a plan's step.

    What is done under no step comes before the plan's first, or once one is begun after its last.
    """
    within = CHAPTERS_PER_REVISION - 1 if is_begun else 0
    return (revision or 0) * CHAPTERS_PER_REVISION + (within if step is None else step + 1)


def chapter_of(place: int) -> int:
    """Give the chapter that a place lies in."""
    return place >> SEQ_BITS


def story_place(chapter: int, seq: int = 0) -> int:
    """Give a beat its place: by chapter, then by when it began; 0 is the chapter's head."""
    return (chapter << SEQ_BITS) + seq


def story_key(session: str, place: int) -> str:
    """Name a row of the story."""
    return f"{place:019d}\n{session}"
