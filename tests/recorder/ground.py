"""A folder to work in, what lies around it, and the steps by which the corpus sets its traps."""

import hashlib
import os
import socket
import stat
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from hansard.kernel.blob import digest_of
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState
from hansard.recorder.workspace.temporaries import PREFIX

OWNER = "owner-0123456789abcdef"
OLD, NEW, OTHER = b"the old text\n", b"the new text\n", b"what someone else wrote\n"
CANARY = "what nobody may read or change\n"


class Ground:
    """ROOT, the workspace; OUT, a folder elsewhere; SIB, a sibling whose name begins alike."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root, self.out, self.sibling = (folder / n for n in ("ws", "outside", "ws-sibling"))
        for place in (self.root, self.out, self.sibling):
            place.mkdir()
        for place in (self.out, self.sibling, folder):
            (place / "canary").write_text(CANARY)
        self._mounted: list[Path] = []

    def fill(self, text: str) -> str:
        """Put the places where a case names them."""
        for name, place in (("ROOT", self.root), ("OUT", self.out), ("SIB", self.sibling)):
            text = text.replace(f"{{{name}}}", str(place))
        return text.replace("{SIBNAME}", self.sibling.name)

    def set_up(self, steps: Iterable[Sequence[object]]) -> None:
        """Do a case's steps; a race is for the test to run."""
        for kind, name, *rest in steps:
            path, words = self.root / str(name), [self.fill(str(word)) for word in rest]
            if kind != "race":
                getattr(self, f"_{kind}")(path, *words)

    def around(self) -> dict[str, str]:
        """Take the fingerprints of everything but the workspace."""
        return fingerprints(self.folder, without=self.root)

    def leftovers(self) -> list[str]:
        """Find temporary files of ours, in the workspace or out of it."""
        return [str(path) for path in self.folder.rglob(f"{PREFIX}*")]

    def mount(self, name: str, *options: str) -> None:
        """Mount something in the workspace until the test is over."""
        needs_root("mounts something")
        path = self.root / name
        if not path.exists():
            path.mkdir()
        done = subprocess.run(["mount", *options, path], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("mounting is not possible here")
        self._mounted.append(path)

    def clear(self) -> None:
        """Undo the mounts."""
        for path in self._mounted:
            subprocess.run(["umount", path], check=True)
        self._mounted.clear()

    def _dir(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)

    def _file(self, path: Path, text: str) -> None:
        path.write_text(text)

    def _symlink(self, path: Path, target: str) -> None:
        path.symlink_to(target)

    def _hardlink(self, path: Path, source: str) -> None:
        path.hardlink_to(self.root / source)

    def _fifo(self, path: Path) -> None:
        os.mkfifo(path)

    def _sock(self, path: Path) -> None:
        # A relative name, since an address holds no more than some hundred bytes.
        with socket.socket(socket.AF_UNIX) as server:
            folder = os.open(path.parent, os.O_RDONLY)
            server.bind(f"/proc/self/fd/{folder}/{path.name}")
            os.close(folder)

    def _chr(self, path: Path, major: str, minor: str) -> None:
        needs_root("makes a device")
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(int(major), int(minor)))

    def _sparse(self, path: Path, size: str) -> None:
        with path.open("wb") as file:
            file.truncate(int(size))

    def _chmod(self, path: Path, mode: str) -> None:
        path.chmod(int(mode, 8))

    def _mountbind(self, path: Path, source: str) -> None:
        path.mkdir()
        self.mount(path.name, "--bind", source)


def at(path: str) -> FilePath:
    """Take a path as one that has passed the rule."""
    return FilePath(tuple(path.split("/")))


def needs_root(why: str) -> None:
    """Skip a test that only root can run."""
    if os.geteuid() != 0:
        pytest.skip(f"{why}, which needs root")


def overwrite(path: Path, content: bytes = OTHER) -> None:
    """Save as editors do: a new file renamed over the old."""
    new = path.with_name("editors-own")
    new.write_bytes(content)
    new.rename(path)


def fingerprints(folder: Path, without: Path | None = None) -> dict[str, str]:
    """Describe everything in a folder: kind, mode, content or where it points."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if without is None or not path.is_relative_to(without):
            found[str(path.relative_to(folder))] = _fingerprint(path)
    return found


def _fingerprint(path: Path) -> str:
    facts = path.lstat()
    kind = f"{facts.st_mode:o} {facts.st_size if not stat.S_ISDIR(facts.st_mode) else ''}"
    if path.is_symlink():
        return f"{kind} -> {path.readlink()}"
    if stat.S_ISREG(facts.st_mode) and facts.st_size < 1 << 24:
        return f"{kind} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return kind


def act(workspace: Workspace, action: str, path: FilePath, content: bytes) -> FileState | None:
    """Do what file_op does: look at the file, then change what was seen."""
    if action == "create":
        return workspace.replace(path, content, expect=None, make_parents=True)
    before = workspace.read(path)
    # Of a file that is not there nothing can be expected; the digest of nothing stands in.
    expect = before.digest if before else digest_of(b"")
    if action == "delete":
        workspace.delete(path, expect=expect)
        return None
    return workspace.replace(path, content, expect=expect)
