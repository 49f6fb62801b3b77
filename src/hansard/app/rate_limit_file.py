"""Rate limits that several processes share through a file.

Each caller has a slot by a digest. When all its possible slots are taken, the caller that was idle
longest is forgotten, and starts with a full allowance again.
"""

import mmap
import os
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

if sys.platform != "win32":
    import fcntl

PLACES = 1 << 14
NEAR = 8
"""How many places a caller could have."""

_PLACE = struct.Struct("=16sdd")


class Allowance(NamedTuple):
    """What a caller has left, and when that was."""

    left: float
    at: float


class RateLimitFile:
    """Holds what callers have left. Its lock is released when a process dies."""

    def __init__(self, path: Path) -> None:
        """Open the file, which the first one makes; times in it are the machine's."""
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self._file, PLACES * _PLACE.size)
        self._map = mmap.mmap(self._file, PLACES * _PLACE.size)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep the other threads and processes out meanwhile."""
        with self._lock:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def get(self, what: str, caller: str) -> Allowance | None:
        """Say what a caller has left of something; `None` if it has used nothing."""
        digest, place = self._find(what, caller)
        known, left, at = _PLACE.unpack_from(self._map, place)
        return Allowance(left, at) if known == digest else None

    def put(self, what: str, caller: str, kept: Allowance) -> None:
        """Note what a caller has left."""
        digest, place = self._find(what, caller)
        _PLACE.pack_into(self._map, place, digest, *kept)

    def _find(self, what: str, caller: str) -> tuple[bytes, int]:
        """Find the place of a caller, else the one that was used longest ago."""
        text = f"{what}\0{caller}".encode("utf-8", "surrogatepass")
        digest = blake2b(text, digest_size=16).digest()
        first = int.from_bytes(digest[:4])
        near = [(first + one) % PLACES * _PLACE.size for one in range(NEAR)]
        there = [_PLACE.unpack_from(self._map, place) for place in near]
        for place, (known, _, _) in zip(near, there, strict=True):
            if known == digest:
                return digest, place
        return digest, min(zip(near, there, strict=True), key=lambda one: one[1][2])[0]
