"""What a bundle is: a project's entries and blobs in one file that any engine can take in.

A bundle is a tar archive, packed with zstd. In this order it holds `bundle.json`, which says whose
it is; pages of blobs, each a list of lines (`blobs/000001.jsonl`) followed by the packed blobs it
lists; pages of entries (`entries/000001.jsonl`), one JSON object to a line; and `end.json`, with
counts and a digest of all that came before, without which the bundle is not whole.
"""

import hashlib
import io
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
import zstandard

from hansard.kernel.blob import Blob, canonical_json
from hansard.kernel.event import Actor, Entry
from hansard.kernel.limits import BLOB_BYTES_MAX, ENTRIES_PAGE, MIB
from hansard.kernel.problem import Problem

T = TypeVar("T")

FORMAT = 1
OPENING, END = "bundle.json", "end.json"
PAGE_BYTES = 8 * MIB
"""A page ends when it holds this much, or `ENTRIES_PAGE` things."""

MEMBER_BYTES_MAX = 2 * BLOB_BYTES_MAX
"""No member of a sound bundle is larger: a page's last entry is at most a request."""

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


@dataclass(frozen=True, slots=True)
class End:
    """What a whole bundle has held."""

    entries: int
    blobs: int
    sha256: str


Page = list[Blob] | list[Entry]


class Writer:
    """Writes a bundle member by member."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        """Write into an open archive."""
        self._tar = tar
        self._seen = hashlib.sha256()
        self._entries = self._blobs = self._pages = 0

    def begin(self, opening: Opening) -> None:
        """Say whose it is."""
        self._add(OPENING, orjson.dumps(asdict(opening)))

    def add_blobs(self, blobs: list[Blob]) -> None:
        """Add a page of blobs."""
        self._add(self._page("blobs"), b"".join(map(_blob_line, blobs)))
        for blob in blobs:
            self._add(_blob_name(blob), blob.packed)
        self._blobs += len(blobs)

    def add_entries(self, entries: list[Entry]) -> None:
        """Add a page of entries."""
        self._add(self._page("entries"), b"".join(map(entry_line, entries)))
        self._entries += len(entries)

    def finish(self) -> End:
        """Make the bundle whole."""
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
def writing(path: Path) -> Iterator[Writer]:
    """Open a new file to write a bundle into."""
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with (
        path.open("xb") as file,
        packer.stream_writer(file, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        yield Writer(tar)


class Reader:
    """Reads a bundle page by page, never more of it at a time."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        """Read an archive from its beginning."""
        self._tar = tar
        self._seen = hashlib.sha256()
        self.place = OPENING
        self.opening = self._open()

    def pages(self) -> Iterator[Page]:
        """Go through the pages, and prove at the end that they were all there were."""
        entries = blobs = 0
        while True:
            before = self._seen.hexdigest()
            name, content = self._next()
            if name.startswith("entries/"):
                page = [_entry(self.opening.project, line) for line in content.splitlines()]
                entries += len(page)
                yield page
            elif name.startswith("blobs/"):
                packed = [self._blob(line) for line in content.splitlines()]
                blobs += len(packed)
                yield packed
            elif name == END:
                if End(**orjson.loads(content)) != End(entries, blobs, before):
                    raise BundleDamaged("The bundle does not hold what its end says")
                return
            else:
                raise BundleDamaged(f"The bundle holds {name[:100]!r}, which no bundle does")

    def _open(self) -> Opening:
        name, content = self._next()
        if name != OPENING:
            raise BundleDamaged("This is not a bundle: it does not begin like one")
        said = orjson.loads(content)
        if said.get("format", 0) > FORMAT:
            raise BundleDamaged(
                "This bundle was made by a newer Hansard than this one", hint="Upgrade Hansard"
            )
        return Opening(**said)

    def _blob(self, line: bytes) -> Blob:
        said = orjson.loads(line)
        name, packed = self._next()
        blob = Blob(packed=packed, **said)
        if name != _blob_name(blob):
            raise BundleDamaged(f"Blob {blob.digest} is not where its page says")
        return blob

    def _next(self) -> tuple[str, bytes]:
        member = self._tar.next()
        if member is None:
            raise BundleDamaged(f"The bundle is cut short after {self.place}", place=self.place)
        self.place = member.name
        file = self._tar.extractfile(member)
        if file is None or member.size > MEMBER_BYTES_MAX:
            raise BundleDamaged(f"The bundle holds {member.name[:100]!r}, which no bundle does")
        content = file.read()
        self._seen.update(content)
        return member.name, content


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Open a bundle to read it; what is wrong with its form is said by where it is."""
    reader = None
    try:
        with (
            path.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=False) as packed,
            tarfile.open(fileobj=packed, mode="r|") as tar,
        ):
            reader = Reader(tar)
            yield reader
    except (zstandard.ZstdError, tarfile.TarError, EOFError, ValueError, TypeError) as error:
        place = reader.place if reader else OPENING
        message = f"The bundle is damaged at {place}: {error}"
        raise BundleDamaged(message, place=place) from error
    except FileNotFoundError as error:
        raise BundleDamaged(f"There is no bundle {path}", hint="Name the file") from error


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
    said = orjson.loads(line)
    body = canonical_json(said.pop("payload")) if "payload" in said else None
    is_redacted = said.pop("redacted", False)
    said["actor"] = Actor(*said["actor"])
    entry = Entry(project=project, payload=body, **said)
    return entry.redacted(body) if is_redacted else entry


def _blob_line(blob: Blob) -> bytes:
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
