"""A topic's vectors in a file that all processes map. Derived, and disposable.

The rows of the table are the truth. What is in the file is believed only if its beginning says that
it is of this form, project, topic, embedder and generation, and block after block its checksum is
right: whatever else lies there is made anew. It is only ever added to, or replaced by another, so
that who has it mapped finds what it was. Who writes has a lock; who reads needs none.
"""

import json
import mmap
import os
import secrets
import stat
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from hansard.embedders.vector_blocks import Block, Witness, WrittenBlock, decoded, encoded
from hansard.kernel.private_files import make_folder, open_new

FORMAT = 1
"""How such a file is written; a Hansard that writes it otherwise keeps one of its own."""

_MAGIC = b"hansard vectors "
_HEAD = struct.Struct("<16sIII")
HEAD_BYTES = 4096
_ONLY_FILES = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class FileTitle:
    """What the vectors of one file have in common."""

    project: str
    topic: str
    embedder: str
    generation: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """A file as it was when it was mapped."""

    dimensions: int
    written: Sequence[WrittenBlock]
    descriptor: int
    size: int
    """How far it is whole; what lies beyond was never finished."""

    @property
    def until(self) -> int:
        """Number the last change that it has."""
        return self.written[-1].until

    @property
    def witness(self) -> Witness:
        """Give the last change, by which the table is known that it was made of."""
        return self.written[-1].witness

    @property
    def blocks(self) -> list[Block]:
        """Give what is in it."""
        return [one.block for one in self.written]

    def is_there(self) -> bool:
        """Whether it has not been removed, replaced or cut off since.

        We never cut one off, but what is missing of a mapped file ends the process that reads it.
        """
        about = os.fstat(self.descriptor)
        return about.st_nlink > 0 and about.st_size >= self.size

    def __del__(self) -> None:
        """Close it; what is still mapped stays mapped."""
        with suppress(OSError):
            os.close(self.descriptor)


class VectorFile:
    """The file of one topic in a folder of such files."""

    def __init__(self, folder: Path, title: FileTitle) -> None:
        """Touch nothing yet."""
        self._title = title
        self._folder = folder
        self.path = folder / f"{_named(title.project)}-{_named(title.topic)}.vectors{FORMAT}"

    def mapped(self) -> Mapped | None:
        """Map what is there, as far as it is whole; `None` if there is nothing to be believed."""
        try:
            descriptor = os.open(self.path, _ONLY_FILES)
        except OSError:
            return None
        found = None
        try:
            found = self._mapped(descriptor)
        except (OSError, ValueError, struct.error):
            return None
        finally:
            if found is None:
                os.close(descriptor)
        return found

    def _mapped(self, descriptor: int) -> Mapped | None:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size <= HEAD_BYTES:
            return None
        whole = mmap.mmap(descriptor, about.st_size, prot=mmap.PROT_READ)
        dimensions = self._dimensions(whole[:HEAD_BYTES])
        if not dimensions:
            return None
        written: list[WrittenBlock] = []
        end = HEAD_BYTES
        for one in decoded(whole, dimensions, HEAD_BYTES):
            if one.after != (written[-1].until if written else 0):
                break
            written.append(one)
            end = one.end
        # Proving it has read all of it, of which a search needs a tenth.
        if hasattr(whole, "madvise"):
            whole.madvise(mmap.MADV_DONTNEED)
        return Mapped(dimensions, written, descriptor, end) if written else None

    def _dimensions(self, head: bytes) -> int:
        """Read how long vectors are from a beginning; 0 if it is not that of this file."""
        magic, form, length, checksum = _HEAD.unpack_from(head)
        told = head[_HEAD.size : _HEAD.size + length]
        if (magic, form) != (_MAGIC, FORMAT) or zlib.crc32(told) != checksum:
            return 0
        said = json.loads(told)
        dimensions = said.pop("dimensions")
        return int(dimensions) if said == asdict(self._title) else 0

    def add(self, there: Mapped, block: Block, until: int, witness: Witness) -> bool:
        """Add a block to what is there; false if it is not as it was. Only under the lock."""
        added = encoded(block, there.until, until, witness)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            about = os.fstat(descriptor)
            is_same = os.path.samestat(about, os.fstat(there.descriptor))
            if not is_same or about.st_size != there.size:
                return False
            # A truncated rest is no block, and the next process replaces the file.
            return os.pwrite(descriptor, added, there.size) == len(added)
        finally:
            os.close(descriptor)

    def replace(self, block: Block, until: int, witness: Witness) -> None:
        """Put a file in place that has only this. Only under the lock."""
        make_folder(self._folder)
        told = asdict(self._title) | {"dimensions": block.numbers.shape[1]}
        said = json.dumps(told).encode()
        if len(said) > HEAD_BYTES - _HEAD.size:
            raise OSError("the name of a project is too long for a file of vectors")
        head = _HEAD.pack(_MAGIC, FORMAT, len(said), zlib.crc32(said)) + said
        temporary = self._folder / f".{secrets.token_hex(8)}"
        try:
            with open_new(temporary) as file:
                file.write(head.ljust(HEAD_BYTES, b"\0"))
                file.write(encoded(block, 0, until, witness))
            temporary.replace(self.path)
        finally:
            temporary.unlink(missing_ok=True)


def _named(text: str) -> str:
    return blake2b(text.encode(), digest_size=10).hexdigest()
