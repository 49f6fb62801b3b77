"""A hostile neighbour: lets two names change places as fast as it can, until it is killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hansard.recorder.workspace import linux
from tests.launcher.programs import Popen

HERE = -100
"""AT_FDCWD: names are relative to the current folder."""


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """Swap two names in another process while the block runs."""
    command = [sys.executable, "-m", __name__, str(one), str(other)]
    root = Path(__file__).parents[2]
    process: Popen[bytes] = Popen(command, cwd=root, stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"swapping\n"
        try:
            yield
        finally:
            assert process.poll() is None, "the neighbour gave up"
            process.kill()


def swap_for_ever(one: str, other: str) -> None:
    """Let two names change places, again and again."""
    linux.renameat2(HERE, one, HERE, other, linux.RENAME_EXCHANGE)
    sys.stdout.write("swapping\n")
    sys.stdout.flush()
    while True:
        try:
            linux.renameat2(HERE, one, HERE, other, linux.RENAME_EXCHANGE)
        except FileNotFoundError:
            continue  # taken away for a moment by those we try to fool


if __name__ == "__main__":
    swap_for_ever(*sys.argv[1:])
