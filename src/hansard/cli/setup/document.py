"""A configuration file's text, with checked changes only. Pure."""

from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Protocol

from hansard.cli.setup import jsonc, marked_section, toml_text
from hansard.cli.setup.texts import LeftAloneError, Path, value_at


class Format(Protocol):
    """How a kind of file is read and edited."""

    def read(self, text: str) -> dict[str, Any]:
        """Give what a text says."""

    def put(self, text: str, path: Path, value: Any) -> str:
        """Set a value."""

    def remove(self, text: str, path: Path) -> str:
        """Take a value out."""

    def is_bare(self, text: str, path: Path) -> bool:
        """Whether an empty value holds no remarks either."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text and how it is written; every change gives another."""

    text: str
    format: Format

    @property
    def data(self) -> dict[str, Any]:
        """What it says."""
        return self.format.read(self.text)

    def at(self, *path: str | int) -> Any:
        """Give the value at a path; `None` where there is none."""
        return value_at(self.data, path)

    def is_bare(self, path: Path) -> bool:
        """Whether nothing at all is written in a value: no members, and no remarks."""
        return self.at(*path) in ({}, []) and self.format.is_bare(self.text, path)

    def put(self, path: Path, value: Any) -> "Document":
        """Set a value, and nothing else."""
        text, meant = self.format.put(self.text, path, value), deepcopy(self.data)
        _set(meant, path, value)
        return self._checked(text, meant)

    def remove(self, path: Path) -> "Document":
        """Take a value out, and nothing else."""
        meant = deepcopy(self.data)
        _unset(meant, path)
        # In TOML, what leads to a table goes with the last one.
        bare = deepcopy(meant)
        for length in range(len(path) - 1, 0, -1):
            if value_at(bare, path[:length]) == {}:
                _unset(bare, path[:length])
        return self._checked(self.format.remove(self.text, path), meant, bare)

    def _checked(self, text: str, *meant: Any) -> "Document":
        """Take an edited text only if it says what was meant."""
        if self.format.read(text) not in meant:
            raise LeftAloneError("it is written in a form that is not edited here")
        return replace(self, text=text)


def document(name: str, text: str) -> Document:
    """Give the text of a file of this name."""
    known: dict[str, Format] = {".toml": toml_text, ".md": marked_section}
    return Document(text, known.get(PurePath(name).suffix, jsonc))


def _set(data: Any, path: Path, value: Any) -> None:
    for number, step in enumerate(path[:-1]):
        if isinstance(step, int) or step in data:
            data = data[step]
        else:
            data[step] = data = {} if isinstance(path[number + 1], str) else []
    if isinstance(data, list) and path[-1] == len(data):
        data.append(value)
    else:
        data[path[-1]] = value


def _unset(data: Any, path: Path) -> None:
    holder = value_at(data, path[:-1])
    if isinstance(holder, list) or (isinstance(holder, dict) and path[-1] in holder):
        del holder[path[-1]]  # type: ignore[arg-type]
