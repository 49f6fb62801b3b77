"""Large blobs in an object store; each object exists before a row names it.

An object is named by the blob it holds and by its own bytes, so that none ever changes. The names
of a store lie in a folder of its own, which no other store collects in.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.schema import Names
from hansard.kernel.blob import Blob, Digest, digest_of, is_digest
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.problem import BlobDamaged, InvalidInput, StorageUnavailable

SCHEMES = ("s3://", "gs://", "az://", "file:///")
RETRIES_MAX = 3
RETRY_S = 15
"""How long a request is retried: a waiting write waits as long."""

BATCH = 100
"""Objects that are checked together while nobody may name one."""


def is_outside(blob: Blob) -> bool:
    """Whether a blob lies in the object store, where there is one, rather than in the database."""
    return len(blob.packed) > INLINE_BLOB_BYTES_MAX


class Objects:
    """The objects of one store."""

    def __init__(self, address: str, folder: str) -> None:
        """Reach the object store at this address; its keys are in the environment, as ever."""
        self._store = _reached(address)
        self._folder = folder

    def name(self, blob: Blob) -> str:
        """Give the name of a blob's object: only the same bytes have the same name."""
        return f"{self._of(blob.digest)}.{digest_of(blob.packed)}"

    def write(self, blob: Blob) -> None:
        """Make an object durable; one that is there already is the same."""
        name = self.name(blob)
        with _translated("The object store could not take a blob"):
            if not self._is_there(name):
                self._client.put(self._store, name, blob.packed)

    def has(self, name: str) -> bool:
        """Whether an object is there."""
        with _translated("The object store could not be asked for a blob"):
            return self._is_there(name)

    def read(self, digest: Digest, name: str) -> bytes:
        """Fetch what an object holds, and check it against its name."""
        with _translated("The object store could not give a blob"):
            try:
                packed = bytes(self._client.get(self._store, name).bytes())
            except FileNotFoundError:
                raise BlobDamaged(
                    "An object is gone from the object store", digest=digest
                ) from None
        if digest_of(packed) != name.rpartition(".")[2]:
            raise BlobDamaged("An object is not what its name says", digest=digest)
        return packed

    def size(self, name: str) -> int:
        """Ask how large an object is; 0 if it is gone."""
        with _translated("The object store could not be asked for a blob"):
            try:
                return int(self._client.head(self._store, name)["size"])
            except FileNotFoundError:
                return 0

    def listed(self, older_s: float) -> dict[str, int]:
        """Give the sizes of all objects that are at least this old."""
        until = datetime.now(UTC) - timedelta(seconds=older_s)
        return {
            one["path"]: one["size"]
            for one in self._beneath(f"{self._folder}/")
            if one["last_modified"] <= until and is_digest(digest_in(one["path"]))
        }

    def names_of(self, digests: Collection[Digest]) -> list[str]:
        """Name the objects of these blobs; each folder in which some may lie is listed once."""
        wanted = frozenset(digests)
        folders = sorted({f"{self._folder}/{digest[:2]}/" for digest in wanted})
        found = (one["path"] for folder in folders for one in self._beneath(folder))
        return [name for name in found if digest_in(name) in wanted]

    def remove(self, names: Collection[str]) -> None:
        """Remove objects; those that are gone already do not matter."""
        with _translated("The object store could not remove blobs"):
            # In one request where it can be: meanwhile nobody may name any of them.
            with suppress(FileNotFoundError):
                self._client.delete(self._store, list(names))
                return
            for name in names:
                with suppress(FileNotFoundError):
                    self._client.delete(self._store, name)

    def _is_there(self, name: str) -> bool:
        try:
            self._client.head(self._store, name)
        except FileNotFoundError:
            return False
        return True

    def _of(self, digest: Digest) -> str:
        return f"{self._folder}/{digest[:2]}/{digest[2:]}"

    def _beneath(self, folder: str) -> Iterator[Any]:
        """List what lies in a folder: prefixes end at a slash."""
        with _translated("The object store could not be listed"):
            for page in self._client.list(self._store, prefix=folder):
                yield from page

    @property
    def _client(self) -> Any:
        import obstore

        return obstore


def digest_in(name: str) -> Digest:
    """Give the digest of the blob that an object holds; `None` for a name that is not ours."""
    folder, _, rest = name.rpartition("/")
    return Digest(folder.rpartition("/")[2] + rest.partition(".")[0])


def open_objects(address: str, connection: Connection, names: Names) -> Objects:
    """Make a store keep large blobs at this address from now on.

    A copy of the database in another server gets a folder of its own: what it does not name may
    be named by the original.
    """
    place = _place(connection)
    folder = f"hansard-{os.urandom(8).hex()}"
    statement = f"INSERT INTO {names.objects} VALUES (%s, %s) ON CONFLICT DO NOTHING"
    connection.execute(statement.encode(), (place, folder))
    statement = f"SELECT folder FROM {names.objects} WHERE place = %s"
    [[folder]] = connection.execute(statement.encode(), (place,)).fetchall()
    return Objects(address, folder)


def _place(connection: Connection) -> str:
    """Say in which database of which server this is."""
    [[place]] = connection.execute(
        "SELECT s.system_identifier || '/' || d.oid FROM pg_control_system() s, pg_database d "
        "WHERE d.datname = current_database()"
    ).fetchall()
    return str(place)


def batched(names: Iterable[str]) -> Iterator[list[str]]:
    """Take names a few at a time."""
    rest = iter(names)
    while some := list(islice(rest, BATCH)):
        yield some


def unnamed(names: Names, some: Sequence[str], connection: Connection) -> list[str]:
    """Say which of these objects no row names."""
    statement = f"SELECT object FROM {names.blobs} WHERE object = ANY(%s)"
    rows = connection.execute(statement.encode(), (list(some),)).fetchall()
    return sorted(set(some) - {name for (name,) in rows})


def let_nobody_name(connection: Connection, names: Names) -> None:
    """Keep everybody from naming an object until the connection is closed; reading continues."""
    connection.execute("BEGIN")
    connection.execute(f"LOCK TABLE {names.blobs} IN SHARE MODE".encode())


def none_is_set() -> StorageUnavailable:
    """Say that what was asked for is in an object store that this program was not given."""
    return StorageUnavailable(
        "This content lies in an object store, and this Hansard was not told which",
        hint="Set HANSARD_BLOBS as on the server that wrote it",
    )


def _reached(address: str) -> Any:
    if not address.startswith(SCHEMES):
        raise InvalidInput(
            f"blobs: an address that begins with {', '.join(SCHEMES)}", argument="blobs"
        )
    try:
        from obstore.store import from_url
    except ImportError as error:
        raise InvalidInput(
            "Blobs in an object store need its driver", hint="pip install 'hansard[objects]'"
        ) from error
    if address.startswith("file:"):
        return from_url(address, mkdir=True)
    retrying: Any = {"max_retries": RETRIES_MAX, "retry_timeout": timedelta(seconds=RETRY_S)}
    with _translated("The object store's address cannot be used"):
        return from_url(address, retry_config=retrying)


@contextmanager
def _translated(what: str) -> Iterator[None]:
    """Raise any error of the object store as a problem of ours; its own text may contain keys."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        raise StorageUnavailable(f"{what}: {_reason(error)}") from error


_REASONS = {
    "PermissionDeniedError": "it does not allow that",
    "UnauthenticatedError": "it does not accept these keys",
}


def _reason(error: Exception) -> str:
    return _REASONS.get(type(error).__name__, "it cannot be reached, or refused")
