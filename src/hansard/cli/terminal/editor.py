"""Opens a text in the user's editor, and never loses what they wrote."""

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from hansard.kernel.problem import InvalidInput
from hansard.kernel.temporary_files import temporary_root

EDITOR_DEFAULT = "vi"


class Draft:
    """A text that is being written, in a file of its own until it is stored elsewhere."""

    def __init__(self, text: str, *, name: str = "record") -> None:
        """Begin with a text, which may be empty."""
        folder = tempfile.mkdtemp(prefix="hansard-edit-", dir=temporary_root())
        self.path = Path(folder) / f"{name}.md"
        self.put(text)

    def put(self, text: str) -> None:
        """Set the text. It is kept to the byte, so its line ends are left alone."""
        self.path.write_bytes(text.encode())

    def edit(self) -> str:
        """Open the text in $VISUAL or $EDITOR and give back what was saved."""
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or EDITOR_DEFAULT
        try:
            done = subprocess.run([*shlex.split(command), str(self.path)], check=False)
        except OSError as error:
            raise InvalidInput(
                f"The editor {command} cannot be started", hint="Name another in $EDITOR"
            ) from error
        if done.returncode != 0:
            raise InvalidInput(
                f"The editor ended with {done.returncode}; nothing was changed", hint=self.kept()
            )
        try:
            return self.path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise InvalidInput("What was saved is not UTF-8", hint=self.kept()) from error

    def kept(self) -> str:
        """Say where the text is."""
        return f"Your text is in {self.path}"

    def discard(self) -> None:
        """Remove the file: what it held is stored, or not new."""
        shutil.rmtree(self.path.parent, ignore_errors=True)


def edited(text: str) -> str:
    """Let a text be edited once, and give what was saved."""
    draft = Draft(text)
    saved = draft.edit()
    draft.discard()
    return saved
