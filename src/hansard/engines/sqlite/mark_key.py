"""The secret key of integrity marks, unknown to anyone who could alter a file.

Each process has its own, and passes it to the processes it starts, so that their marks compare.
"""

import os
from functools import lru_cache
from hashlib import blake2b

WORDS_MAX = 16_384
"""How many words' numbers are remembered: most come again and again."""

_keys = [os.urandom(16)]


def mark_key() -> bytes:
    """Give the key of this process."""
    return _keys[-1]


def share_marks(key: bytes) -> None:
    """Make marks from now on with the key of another process."""
    _keys.append(key)
    number_of.cache_clear()


@lru_cache(maxsize=WORDS_MAX)
def number_of(said: object) -> int:
    """Give the number that stands for a word, or for whatever a file that was altered has there."""
    match said:
        case str():
            form = b"s" + said.encode(errors="surrogatepass")
        case bytes():
            form = b"b" + said
        case _:
            form = b"o" + repr(said).encode()
    return int.from_bytes(blake2b(form, digest_size=8, key=_keys[-1]).digest())
