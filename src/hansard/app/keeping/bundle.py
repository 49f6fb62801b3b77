"""The bundle format: a project's entries and blobs in one file that any engine can import.

A bundle is a tar archive, packed with zstd. In this order it holds `bundle.json`, which says whose
it is; pages of blobs, each a list of lines (`blobs/000001.jsonl`) followed by the packed blobs it
lists; pages of entries (`entries/000001.jsonl`), one JSON object to a line; and `end.json`, with
counts and a digest of all that came before, without which the bundle is not whole.

The maker of a bundle may be hostile: nothing in it is believed that was not checked here for
its form, and no more of it is read at a time than a sound one could hold.
"""

import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypeVar

import orjson
import zstandard
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hansard.kernel.blob import Blob, Codec, Digest, canonical_json
from hansard.kernel.event import Actor, ActorKind, Entry, Role
from hansard.kernel.limits import (
    BLOB_BYTES_MAX,
    BLOB_CHAIN_MAX,
    ENTRIES_PAGE,
    MIB,
    REQUEST_BYTES_MAX,
)
from hansard.kernel.model import Model
from hansard.kernel.private_files import open_new
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.kernel.store import CATALOG
from hansard.sessions.contract import CreateProject

T = TypeVar("T")
Line = TypeVar("Line", bound=BaseModel)

FORMAT = 1
PART_FORMAT = 2
"""A part: what a project has after an entry that the receiver has too. Parts travel from
store to store (`parts.py`) and are not kept."""

OPENING, END = "bundle.json", "end.json"
PAGE_BYTES = 8 * MIB
"""A page ends when it holds this much, or `ENTRIES_PAGE` things."""

LINES_BYTES_MAX = PAGE_BYTES + 2 * REQUEST_BYTES_MAX
"""No list of lines in a sound bundle is larger: a page's last entry is at most a request."""

PACKED_BYTES_MAX = 2 * BLOB_BYTES_MAX
"""No packed blob in a sound bundle is larger."""

FileState = tuple[int, int, int, int]
"""What distinguishes a file from others, and from itself before a change."""

LEVEL = 6


class BundleDamaged(Problem):
    """A bundle is cut short, was altered, or is no bundle."""

    code, http_status = "BUNDLE_DAMAGED", 422
    hint = "Export it again; nothing of it was taken in that its digests do not prove"


@dataclass(frozen=True, slots=True)
class Opening:
    """Whose bundle it is, and where its journal ends."""

    project: str
    name: str
    description: str | None
    seq: int
    hash: str
    made_by: str = ""
    format: int = FORMAT
    after: int = 0
    """Of a part: the seq of the entry that it goes on from;"""
    after_hash: str = ""
    """and the hash of that entry."""

    @property
    def is_part(self) -> bool:
        """Whether it lacks what came before."""
        return self.format == PART_FORMAT

    def said(self) -> dict[str, Any]:
        """Give what is written; for a whole bundle, the same as ever."""
        told = asdict(self)
        return told if self.is_part else {name: told[name] for name in told if "after" not in name}


@dataclass(frozen=True, slots=True)
class End:
    """What a bundle held, counted at its end."""

    entries: int
    blobs: int
    sha256: str


Page = list[Blob] | list[Entry]

Hex = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
"""The form of a digest: it becomes the name of a file, so nothing else may pass for one."""


class _EntryLine(Model):
    model_config = ConfigDict(strict=True, extra="forbid")

    seq: int
    tick: int
    at: str
    clock: str
    kind: str
    session: str | None
    actor: Annotated[tuple[ActorKind, str, Role], Field(strict=False)]
    payload_digest: Hex
    hash: Hex
    redacted: bool = False
    payload: Any = None


class _BlobLine(Model):
    model_config = ConfigDict(strict=True, extra="forbid")

    digest: Hex
    size: int = Field(ge=0, le=BLOB_BYTES_MAX)
    codec: Codec
    base: Hex | None
    depth: int = Field(ge=0, le=BLOB_CHAIN_MAX)


class BundleWriter:
    """Writes a bundle member by member."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        """Write into an open archive."""
        self._tar = tar
        self._seen = hashlib.sha256()
        self._entries = self._blobs = self._pages = 0

    def begin(self, opening: Opening) -> None:
        """Say whose it is."""
        self._add(OPENING, orjson.dumps(opening.said()))

    def add_blobs(self, blobs: list[Blob]) -> None:
        """Add a page of blobs."""
        self._add(self._page("blobs"), b"".join(map(blob_line, blobs)))
        for blob in blobs:
            self._add(_blob_name(blob), blob.packed)
        self._blobs += len(blobs)

    def add_entries(self, entries: list[Entry]) -> None:
        """Add a page of entries."""
        self._add(self._page("entries"), b"".join(map(entry_line, entries)))
        self._entries += len(entries)

    def finish(self) -> End:
        """Complete the bundle."""
        end = End(self._entries, self._blobs, self._seen.hexdigest())
        self._add(END, orjson.dumps(asdict(end)))
        return end

    def _page(self, what: str) -> str:
        self._pages += 1
        return f"{what}/{self._pages:06d}.jsonl"

    def _add(self, name: str, content: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        self._tar.addfile(member, io.BytesIO(content))
        self._seen.update(content)


@contextmanager
def writing(path: Path) -> Iterator[BundleWriter]:
    """Open a new file to write a bundle into."""
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with (
        open_new(path) as file,
        packer.stream_writer(file, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        yield BundleWriter(tar)


class Reader:
    """Reads a bundle page by page, never more of it at a time."""

    def __init__(self, archive: BinaryIO, file: FileState) -> None:
        """Read an archive from its beginning."""
        self._archive = archive
        self._seen = hashlib.sha256()
        self.file = file
        self.place = OPENING
        self.opening = self._open()

    def pages(self) -> Iterator[Page]:
        """Go through the pages, and prove at the end that they were all there were."""
        entries = blobs = 0
        while True:
            before = self._seen.hexdigest()
            name, content = self._next(LINES_BYTES_MAX)
            if name.startswith("entries/"):
                page = [_entry(self.opening.project, line) for line in content.splitlines()]
                entries += len(page)
                yield page
            elif name.startswith("blobs/"):
                packed = self._blobs(content)
                blobs += len(packed)
                yield packed
            elif name == END:
                if End(**orjson.loads(content)) != End(entries, blobs, before):
                    raise BundleDamaged("The bundle does not hold what its end says")
                self._close()
                return
            else:
                raise BundleDamaged(f"The bundle holds {self.place}, which no bundle does")

    def _open(self) -> Opening:
        name, content = self._next(LINES_BYTES_MAX)
        if name != OPENING:
            raise BundleDamaged("This is not a bundle: it does not begin like one")
        said = orjson.loads(content)
        if isinstance(said, dict) and said.get("format", 0) > PART_FORMAT:
            raise BundleDamaged(
                "This bundle was made by a newer Hansard than this one", hint="Upgrade Hansard"
            )
        opening = Opening(**said)
        if opening.project != CATALOG:
            _require_project(opening)
        return opening

    def _blobs(self, lines: bytes) -> list[Blob]:
        blobs: list[Blob] = []
        total = 0
        for line in lines.splitlines():
            if total >= PAGE_BYTES:
                raise BundleDamaged(f"The page before {self.place} holds more than a page does")
            blobs.append(self._blob(line))
            total += len(blobs[-1].packed)
        return blobs

    def _blob(self, line: bytes) -> Blob:
        said = _checked(_BlobLine, line)
        if (said.codec == "patch") != (said.base is not None):
            raise BundleDamaged(f"The base of blob {said.digest} and its codec differ")
        name, packed = self._next(PACKED_BYTES_MAX)
        base = Digest(said.base) if said.base else None
        blob = Blob(Digest(said.digest), said.size, said.codec, packed, base, said.depth)
        if name != _blob_name(blob):
            raise BundleDamaged(f"Blob {blob.digest} is not where its page says")
        return blob

    def _next(self, bytes_max: int) -> tuple[str, bytes]:
        # Header by header rather than by `tarfile.open`, which reads into memory whatever a header
        # of an extension claims to be long. No bundle has such headers.
        header = self._archive.read(tarfile.BLOCKSIZE)
        if len(header) < tarfile.BLOCKSIZE or not header.strip(b"\0"):
            raise BundleDamaged(f"The bundle is cut short after {self.place}", place=self.place)
        member = tarfile.TarInfo.frombuf(header, tarfile.ENCODING, "surrogateescape")
        self.place = ascii(member.name)[1:-1]
        if member.type != tarfile.REGTYPE or not 0 <= member.size <= bytes_max:
            raise BundleDamaged(f"The bundle holds {self.place}, which no bundle does")
        content = self._archive.read(member.size)
        padding = self._archive.read(-member.size % tarfile.BLOCKSIZE)
        if len(content) < member.size or (len(content) + len(padding)) % tarfile.BLOCKSIZE:
            raise BundleDamaged(f"The bundle is cut short in {self.place}", place=self.place)
        self._seen.update(content)
        return member.name, content

    def _close(self) -> None:
        """Read to the very end, where the frame has its checksum."""
        rest = self._archive.read(2 * tarfile.RECORDSIZE)
        if rest.strip(b"\0") or self._archive.read(1):
            raise BundleDamaged("The bundle goes on after its end")


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Open a bundle to read it; what is wrong with its form is said by where it is."""
    reader = None
    try:
        with (
            path.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=False) as packed,
        ):
            reader = Reader(packed, _state(file))
            yield reader
    except (zstandard.ZstdError, tarfile.TarError, EOFError, ValueError, TypeError) as error:
        place = reader.place if reader else OPENING
        message = f"The bundle is damaged at {place}: {error}"
        raise BundleDamaged(message, place=place) from error
    except FileNotFoundError as error:
        raise BundleDamaged(f"There is no bundle {path}", hint="Name the file") from error
    except OSError as error:
        raise StorageUnavailable(f"{path} cannot be read: {error.strerror}") from error


def _state(file: BinaryIO) -> FileState:
    seen = os.fstat(file.fileno())
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def _require_project(opening: Opening) -> None:
    """Refuse what `create_project` would not have made."""
    if not opening.project:
        raise BundleDamaged("The bundle does not say whose it is")
    try:
        CreateProject(id=opening.project, name=opening.name, description=opening.description)
    except ValidationError as error:
        raise BundleDamaged(f"The bundle is of no project that can be: {said_by(error)}") from None


def _checked(line: type[Line], written: bytes) -> Line:
    try:
        return line.model_validate(orjson.loads(written))
    except ValidationError as error:
        raise BundleDamaged(f"A line of the bundle is none: {said_by(error)}") from None


def said_by(error: ValidationError) -> str:
    """Say in a line what a model refused first, without what it was given."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{ascii('.'.join(map(str, first['loc'])))[1:-1]}: {first['msg']}"


def paged(things: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Part things into pages of a bounded size."""
    page: list[T] = []
    total = 0
    for thing in things:
        page.append(thing)
        total += size_of(thing)
        if len(page) == ENTRIES_PAGE or total >= PAGE_BYTES:
            yield page
            page, total = [], 0
    if page:
        yield page


def entry_line(entry: Entry) -> bytes:
    """Write an entry as a line of JSON, its payload inside it."""
    who = entry.actor
    line: dict[str, Any] = {
        "seq": entry.seq,
        "tick": entry.tick,
        "at": entry.at,
        "clock": entry.clock,
        "kind": entry.kind,
        "session": entry.session,
        "actor": [who.kind, who.id, who.role],
        "payload_digest": entry.payload_digest,
        "hash": entry.hash,
    }
    if entry.is_redacted:
        line["redacted"] = True
    if entry.body is not None:
        line["payload"] = orjson.Fragment(entry.body)
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _entry(project: str, line: bytes) -> Entry:
    said = _checked(_EntryLine, line)
    body = canonical_json(said.payload) if "payload" in said.model_fields_set else None
    entry = Entry(
        project=project,
        seq=said.seq,
        tick=said.tick,
        at=said.at,
        clock=said.clock,
        kind=said.kind,
        session=said.session,
        actor=Actor(*said.actor),
        payload=body,
        payload_digest=Digest(said.payload_digest),
        hash=Digest(said.hash),
    )
    return entry.redacted(body) if said.redacted else entry


def blob_line(blob: Blob) -> bytes:
    """Write what a blob is, without its content, as a line of JSON."""
    said = {
        "digest": blob.digest,
        "size": blob.size,
        "codec": blob.codec,
        "base": blob.base,
        "depth": blob.depth,
    }
    return orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE)


def _blob_name(blob: Blob) -> str:
    return f"blobs/{blob.digest}.{blob.codec}"
