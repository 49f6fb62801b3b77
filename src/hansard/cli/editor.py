"""Letting a person write a text in the editor of their choice."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from hansard.kernel.problem import InvalidInput

EDITOR_DEFAULT = "vi"


def edited(text: str) -> str:
    """Open the text in $VISUAL or $EDITOR and give back what was saved."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or EDITOR_DEFAULT
    with tempfile.TemporaryDirectory(prefix="hansard-edit-") as folder:
        path = Path(folder) / "record.md"
        path.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(command), str(path)], check=False)
        except OSError as error:
            raise InvalidInput(
                f"The editor {command} cannot be started", hint="Name another in $EDITOR"
            ) from error
        if done.returncode != 0:
            raise InvalidInput(f"The editor ended with {done.returncode}; nothing was changed")
        return path.read_text(encoding="utf-8")
