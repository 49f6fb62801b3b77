"""Encrypts contents that hold secrets, under a key outside the store.

Whoever has the store, a copy or a bundle of it has nothing of them; whoever has the key's file too
can bring them back. The form is a mark, the key's name, a nonce, and the packed content under
ChaCha20-Poly1305. The library is imported on first need: few files hold a secret.
"""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import zstandard

from hansard.kernel.blob import Blob, seal
from hansard.kernel.limits import BLOB_BYTES_MAX
from hansard.kernel.private_files import make_folder

MARK = b"hansard-sealed-1\n"
KEY_BYTES = 32
NAME_BYTES = 8
NONCE_BYTES = 12


class NoKeyError(Exception):
    """There is no key to seal or unseal with; the message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the name by which sealed contents ask for it."""

    secret: bytes

    @property
    def name(self) -> bytes:
        """Name it without telling it."""
        return hashlib.sha256(b"hansard key\n" + self.secret).digest()[:NAME_BYTES]


class SealingKeys:
    """The keys in one file, a line each; the first one seals. The file is made on first need."""

    def __init__(self, file: Path | None, *, store: Path | None = None) -> None:
        """Use this file, which must not lie in the store; `None` means that there is none."""
        self._file = file
        self._store = store
        self._known: tuple[Key, ...] = ()

    def seal(self, content: bytes) -> Blob:
        """Encrypt a content and pack it as a blob, a different one each time."""
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        key = self._load(make=True)[0]
        head = MARK + key.name
        nonce = secrets.token_bytes(NONCE_BYTES)
        packed = zstandard.ZstdCompressor().compress(content)
        return seal(head + nonce + ChaCha20Poly1305(key.secret).encrypt(nonce, packed, head))

    def unseal(self, sealed: bytes) -> bytes:
        """Give the content again."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        head, rest = sealed[: len(MARK) + NAME_BYTES], sealed[len(MARK) + NAME_BYTES :]
        name = head.removeprefix(MARK)
        key = next((key for key in self._load(make=False) if key.name == name), None)
        if key is None:
            raise NoKeyError("it is sealed under a key that is not here")
        try:
            packed = ChaCha20Poly1305(key.secret).decrypt(
                rest[:NONCE_BYTES], rest[NONCE_BYTES:], head
            )
        except InvalidTag:
            raise NoKeyError("what was sealed has been damaged") from None
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=BLOB_BYTES_MAX)

    def why_not(self) -> str | None:
        """Say why nothing can be sealed here; `None` if it can."""
        try:
            self._load(make=True)
        except NoKeyError as reason:
            return str(reason)
        return None

    def _load(self, *, make: bool) -> tuple[Key, ...]:
        if not self._known:
            self._known = self._read(make=make)
        return self._known

    def _read(self, *, make: bool) -> tuple[Key, ...]:
        if self._file is None:
            raise NoKeyError("no key is set up for contents that hold secrets")
        if self._store and self._file.resolve().is_relative_to(self._store.resolve()):
            raise NoKeyError("the key's file lies in the store, where it protects nothing")
        try:
            if make and not self._file.exists():
                _make(self._file)
            if self._file.stat().st_mode & 0o077:
                raise NoKeyError("the key's file can be read by others: chmod 600 it")
            lines = self._file.read_text(encoding="ascii").split()
            keys = tuple(Key(bytes.fromhex(line)) for line in lines)
        except (OSError, ValueError) as error:
            raise NoKeyError("the key's file cannot be made or read") from error
        if not keys or any(len(key.secret) != KEY_BYTES for key in keys):
            raise NoKeyError("the key's file holds no key")
        return keys


def _make(file: Path) -> None:
    """Put a new key in place, unless another process was faster; durable when this returns."""
    make_folder(file.parent)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as writing:  # noqa: PTH123 - no path
            writing.write(f"{secrets.token_hex(KEY_BYTES)}\n")
            writing.flush()
            os.fsync(descriptor)
        try:
            os.link(draft, file)
        except FileExistsError:
            return
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        draft.unlink()
