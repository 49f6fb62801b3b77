"""Fetches hosts from npm, one at a time, into a folder that outlives the checkout.

For `make hosts`, which names some or takes all. What cannot be fetched is told, and its tests are
skipped; a host is fetched anew when its lock changes.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import platformdirs

PACKAGES = Path(__file__).with_name("packages")
NAMED = ("package.json", "package-lock.json", ".npmrc")
VARIABLE = "HANSARD_HOSTS_CACHE"
OLD_S = 30 * 86400
"""When a version that nobody asked for since may go."""


def names() -> list[str]:
    """Name the hosts there are packages of."""
    return sorted(path.parent.name for path in PACKAGES.glob("*/package.json"))


def cache() -> Path:
    """Give the folder that hosts lie in."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else platformdirs.user_cache_path("hansard-hosts")


def place(name: str) -> Path:
    """Give the folder of a host, by what its lock says; it need not be there."""
    lock = (PACKAGES / name / "package-lock.json").read_bytes()
    return cache() / f"{name}-{hashlib.sha256(lock).hexdigest()[:12]}"


def installed(name: str) -> Path | None:
    """Give the folder of a host's packages, if it is there."""
    found = place(name) / "node_modules"
    return found if found.is_dir() else None


def install(name: str) -> str:
    """Fetch a host if it is not there; give what to tell about it."""
    if (found := installed(name)) is not None:
        os.utime(found.parent)
        return f"is there, {_megabytes(found)} MB"
    if shutil.which("npm") is None:
        return "not installed: there is no npm"
    began = time.monotonic()
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        made = Path(folder) / "host"
        made.mkdir()
        for file in NAMED:
            shutil.copy(PACKAGES / name / file, made)
        npm = subprocess.run(
            ["npm", "ci", "--no-progress"], cwd=made, capture_output=True, text=True, check=False
        )
        if npm.returncode != 0:
            return f"not installed: npm ended with {npm.returncode}\n{_errors(npm.stderr)}"
        _put(made, place(name))
    return f"{_megabytes(place(name))} MB in {time.monotonic() - began:.0f} s"


def _put(made: Path, at: Path) -> None:
    """Move what was made to where it is looked for, whole; somebody may have been first."""
    try:
        made.rename(at)
    except OSError:
        if not at.is_dir():
            raise


def _errors(said: str) -> str:
    return "\n".join(line for line in said.splitlines() if line.startswith("npm error"))


def _megabytes(folder: Path) -> int:
    sizes = (path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    return sum(sizes) // 1_000_000


def clear() -> None:
    """Take away versions that no lock names any more, and that nobody used for long."""
    wanted = {place(name) for name in names()}
    for path in cache().glob("*-*"):
        if path not in wanted and time.time() - path.stat().st_mtime > OLD_S:
            shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    """Fetch the hosts that are named, or all."""
    for name in sys.argv[1:] or names():
        print(f"{name}: {install(name)}", flush=True)  # noqa: T201 - for a person
    clear()


if __name__ == "__main__":
    main()
