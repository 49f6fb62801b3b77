"""Comparing and merging texts, by libgit2. It is imported on first use: few chats need it.

libgit2 merges objects, not strings, so the three texts of a merge lie for a moment in a temporary
folder. Therefore a merge is never made inside a transaction; a diff needs no files and may be.
"""

import tempfile
from dataclasses import dataclass

from hansard.records import limits

_HEADER_LINES = 4
"""`diff --git`, `index`, `---`, `+++`: replaced by ours, since these are no files."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What came out of a merge; not clean means that it has conflict markers."""

    text: str
    is_clean: bool


def unified_diff(old: str, new: str, *, was: str = "before", now: str = "after") -> str:
    """Give the unified diff of two texts; empty if they are the same."""
    if old == new:
        return ""
    if _is_too_long(old, new):
        sizes = f"{len(old)} characters became {len(new)}"
        return f"--- {was}\n+++ {now}\n(too long to compare: {sizes})\n"
    import pygit2
    from pygit2.enums import DiffOption

    # The patch reads from these until it is written out, and pygit2 does not keep them alive.
    old_bytes, new_bytes = old.encode(), new.encode()
    # As text even where control characters abound, which libgit2 would take for a binary.
    patch = pygit2.Patch.create_from(old_bytes, new_bytes, flag=DiffOption.FORCE_TEXT)
    hunks = str(patch.text).split("\n", _HEADER_LINES)[_HEADER_LINES]
    return f"--- {was}\n+++ {now}\n{hunks}"


def shorten(diff: str, *, chars_max: int = limits.DIFF_SHOWN_CHARS_MAX) -> str:
    """Cut a diff that only comes along, and say how to get all of it."""
    if len(diff) <= chars_max:
        return diff
    return f"{diff[:chars_max]}\n({len(diff) - chars_max} more characters: get_record_diff)\n"


def three_way(base: str, stored: str, yours: str) -> Merged:
    """Merge two changes of one text, as Git would, the sides marked `stored` and `yours`."""
    if yours in (base, stored):
        return Merged(stored, is_clean=True)
    if base == stored:
        return Merged(yours, is_clean=True)
    if _is_too_long(stored, yours) or _is_too_long(base, stored):
        both = f"<<<<<<< stored\n{stored}\n=======\n{yours}\n>>>>>>> yours\n"
        return Merged(both, is_clean=False)
    return _merge_objects(base, stored, yours)


def _merge_objects(base: str, stored: str, yours: str) -> Merged:
    import pygit2
    from pygit2.enums import FileMode, ObjectType

    with tempfile.TemporaryDirectory(prefix="hansard-merge-") as folder:
        objects = pygit2.Odb()
        objects.add_backend(pygit2.OdbBackendLoose(folder, -1, False), 1)
        repository = pygit2.Repository()
        repository.set_odb(objects)

        def side(name: str, text: str) -> pygit2.IndexEntry:
            return pygit2.IndexEntry(
                name, objects.write(ObjectType.BLOB, text.encode()), FileMode.BLOB
            )

        # The names become the labels of conflict markers.
        merged = repository.merge_file_from_index(
            side("base", base), side("stored", stored), side("yours", yours)
        )
    return Merged(merged.contents, is_clean=merged.automergeable)


def _is_too_long(old: str, new: str) -> bool:
    return old.count("\n") + new.count("\n") > limits.DIFF_LINES_MAX
