"""The tables derived from recorded sessions, and how their rows are named."""

from hansard.kernel.blob import digest_of
from hansard.kernel.engine import Table

VERSION = 2

FILES = Table(
    "recorder_files",
    {"workspace": "text", "seq": "integer"},
    (("workspace", "seq"),),
    version=VERSION,
)
"""Every file by its id: where it lies, its latest revision and what it then held."""

REVISIONS = Table(
    "recorder_revisions",
    {"file": "text", "seq": "integer"},
    (("file", "seq"),),
    version=VERSION,
)
"""What a file has been, one row a revision; before it, it was what the one before it left."""

PENDING = Table("recorder_pending", {"file": "text"}, (("file",),), version=VERSION)
"""Announced operations without an outcome, by the seq of the intent; a move has two rows."""

OUTCOMES = Table("recorder_outcomes", version=VERSION)
"""How operations ended that did not simply succeed, by the seq of the intent."""

TOUCHED = Table(
    "recorder_touched",
    {"session": "text", "seq": "integer"},
    (("session", "seq"),),
    version=VERSION,
)
"""Which files a session has changed, or met changed."""

BEATS = Table("recorder_beats", version=VERSION)
"""Of each file in a session: the beat of the story that it was last in."""

SITTINGS = Table("recorder_sittings", version=VERSION)
"""Of each session its title, its plan, where it stands in it, and what it has done in numbers."""

STORY = Table(
    "recorder_story",
    {"session": "text", "place": "integer"},
    (("session", "place"),),
    version=VERSION,
)
"""Chapters and beats in the order in which they are told."""

UNDONE = Table("recorder_undone", version=VERSION)
"""Changes to files that no longer stand, by file and seq: what took each of them back."""

FOLDERS = Table("recorder_folders", version=VERSION)
"""Folders that were made for a file, by their id: they go again when the last file in them does."""

TABLES = (FILES, REVISIONS, PENDING, OUTCOMES, TOUCHED, BEATS, SITTINGS, STORY, UNDONE, FOLDERS)

FILE_ID_CHARS = 32
"""Half a SHA-256: enough that no two files of a store ever meet."""

SEQ_BITS = 40
"""A beat's place is its chapter's number shifted by this, plus the seq it began at."""

CHAPTERS_PER_REVISION = 1_024
"""More than a plan has steps, and one for what is done under none of them."""


def file_id(workspace: str, path: str) -> str:
    """Name a file: short, whatever the length of its path."""
    return digest_of(f"{workspace}\n{path}".encode())[:FILE_ID_CHARS]


def revision_key(file: str, number: int) -> str:
    """Name a revision so that keys sort as numbers do."""
    return f"{file}{number:010d}"


def touched_key(session: str, file: str) -> str:
    """Name a file within a session."""
    return f"{file}\n{session}"


def chapter_number(revision: int | None, step: int | None) -> int:
    """Number the chapter of a plan's step; without a step, the one before the plan's first."""
    return (revision or 0) * CHAPTERS_PER_REVISION + (0 if step is None else step + 1)


def chapter_of(place: int) -> int:
    """Give the chapter that a place lies in."""
    return place >> SEQ_BITS


def story_place(chapter: int, seq: int = 0) -> int:
    """Give a beat its place: by chapter, then by when it began; 0 is the chapter's head."""
    return (chapter << SEQ_BITS) + seq


def story_key(session: str, place: int) -> str:
    """Name a row of the story."""
    return f"{place:019d}\n{session}"
