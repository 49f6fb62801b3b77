"""Builds a session from its transcript: messages, actions and file contents."""

from dataclasses import dataclass, field

from hansard.foreign import limits, patching
from hansard.foreign.items import Edited, NotedItem, Said, Session
from hansard.foreign.patching import PatchHunk

SHELL, SUBAGENT, COMPACTED, EDITED = "shell", "subagent", "compaction", "file_edit"


@dataclass(slots=True)
class TranscriptSession:
    """A session that is being told, with what is known of its files at each moment."""

    session: Session
    files: dict[str, str] = field(default_factory=dict)
    """What files are known to hold, by the path the host gives them."""
    unended: dict[str, str] = field(default_factory=dict)
    """The same of files of which is not known whether their last line ends."""
    used: set[str] = field(default_factory=set)

    def say(self, key: str, text: str, at: str | None) -> None:
        """Tell what the user said."""
        if text.strip():
            self.session.happenings.append(Said(self._key(key), text, at))

    def note(self, key: str, kind: str, text: str, at: str | None) -> None:
        """Tell something in words."""
        if text.strip():
            self.session.happenings.append(NotedItem(self._key(key), kind, text, at))

    def shell(self, key: str, command: str, at: str | None, *, tells_files: bool = False) -> None:
        """Tell of a command; unless its host tells which files it changed, none is known after."""
        self.note(key, SHELL, _cut(command, limits.COMMAND_CHARS_MAX), at)
        if not tells_files:
            self.files.clear()
            self.unended.clear()

    def create(self, key: str, path: str, content: str, at: str | None) -> None:
        """Record a new file."""
        self._edited(Edited(self._key(key), path, content, is_new=True, at=at))

    def write(self, key: str, path: str, after: str, before: str | None, at: str | None) -> None:
        """Record a file that was written, with what it held before as far as that is known."""
        known = self.files.get(path) if before is None else before
        self._edited(Edited(self._key(key), path, after, known, at=at))

    def delete(self, key: str, path: str, before: str | None, at: str | None) -> None:
        """Record a file that is gone."""
        known = self.files.pop(path, None) if before is None else before
        self.files.pop(path, None)
        self.session.happenings.append(Edited(self._key(key), path, None, known, at=at))

    def patch(self, key: str, path: str, hunks: list[PatchHunk], at: str | None) -> None:
        """Record lines that changed: as an edit if the file is known, else in words."""
        before = self.files.get(path)
        after = patching.patched(before, hunks) if before is not None else None
        if after is not None:
            self.write(key, path, after, before, at)
            return
        self.files.pop(path, None)
        lines = _cut(patching.shown(hunks), limits.DIFF_CHARS_MAX)
        self.note(key, EDITED, f"{path}: only the lines that changed are known\n{lines}", at)

    def replace(self, key: str, path: str, old: str, new: str, at: str | None) -> None:
        """Record one text that replaced another."""
        before = self.files.get(path)
        if before is not None and old and before.count(old) == 1:
            self.write(key, path, before.replace(old, new), before, at)
            return
        self.files.pop(path, None)
        lines = _cut(f"-{old}\n+{new}", limits.DIFF_CHARS_MAX)
        self.note(key, EDITED, f"{path}: only the text that changed is known\n{lines}", at)

    def _edited(self, edited: Edited) -> None:
        if edited.after is not None:
            self.files[edited.path] = edited.after
        self.session.happenings.append(edited)

    def _key(self, key: str) -> str:
        """Make a key of this session's that no other happening of it has."""
        whole, number = f"{self.session.key}/{key}", 1
        while whole in self.used:
            number += 1
            whole = f"{self.session.key}/{key}#{number}"
        self.used.add(whole)
        return whole


def _cut(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else f"{text[:chars_max]}…"
