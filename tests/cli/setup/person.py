"""Somebody whose hosts are connected: a home, a repository, and the command."""

import json
import os
import sys
from pathlib import Path

from tests.app.repositories import repository
from tests.cli.running import Hansard, Ran

PROGRAM = str(Path(sys.executable).with_name("hansard"))
"""What hosts are to run."""


class Person:
    """Somebody with a home, a repository and hosts."""

    def __init__(self, hansard: Hansard, folder: Path) -> None:
        self.home, self.repository = folder / "home", repository(folder / "shop")
        self.hansard = hansard
        self.home.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()

    def has(self, files: dict[str, str], base: Path | None = None) -> None:
        for name, text in files.items():
            path = (base or self.repository) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())

    @property
    def environment(self) -> dict[str, str]:
        hidden = {name: "" for name in os.environ if name.startswith("XDG_")}
        return hidden | {
            "HOME": str(self.home),
            "PATH": str(self.bin),
            "HANSARD_WORKSPACE": str(self.repository),
        }

    def __call__(self, *arguments: str) -> Ran:
        return self.hansard(*arguments, **self.environment)

    def files(self, base: Path | None = None) -> dict[str, bytes]:
        """Give all files of the repository or the home, but those of Git and our copies."""
        base = base or self.repository
        return {
            str(path.relative_to(base)): path.read_bytes()
            for path in base.rglob("*")
            if path.is_file() and ".git" not in path.parts and ".local" not in path.parts
        }

    def servers(self, name: str, *keys: str) -> dict[str, dict[str, object]]:
        found = json.loads((self.repository / name).read_text())
        for key in keys or ("mcpServers",):
            found = found[key]
        return dict(found)
