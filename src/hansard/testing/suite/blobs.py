"""Blobs: content by digest, each project's its own."""

import pytest

from hansard.kernel.blob import Blob, Digest, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import Engine, WriteTx
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.testing.suite.base import OTHER, PROJECT, Opener, SuiteBase, look, noise

CONTENTS = {
    "empty": b"",
    "small": b"quill",
    "binary": bytes(range(256)) * 4,
    "packed": b"quill and ink " * 1_000,
    "limit": noise(INLINE_BLOB_BYTES_MAX, 1),
    "large": noise(INLINE_BLOB_BYTES_MAX * 5 + 1, 2),
}


class BlobSuite(SuiteBase):
    """What `stage`, `keep`, `blob` and `digests` promise."""

    @pytest.mark.parametrize("name", CONTENTS)
    def test_a_kept_blob_is_fetched_as_it_was(self, engine: Engine, name: str) -> None:
        """Every part of it, however large or small, inside the transaction and after."""
        blob = seal(CONTENTS[name])
        engine.stage(blob)

        def work(tx: WriteTx) -> Blob | None:
            tx.keep(blob)
            return tx.blob(blob.digest)

        assert engine.write(PROJECT, work) == blob
        assert look(engine, lambda tx: tx.blob(blob.digest)) == blob
        assert look(engine, lambda tx: content(tx, blob.digest)) == CONTENTS[name]

    def test_a_blob_keeps_its_base_and_depth(self, engine: Engine) -> None:
        """A delta can be unpacked again, which needs to know onto what."""
        data = noise(20_000, 3)
        base = seal(data)
        delta = seal_onto(data + b"more", base, data)
        assert (delta.base, delta.depth) == (base.digest, 1)

        keep(engine, base, delta)

        assert look(engine, lambda tx: tx.blob(delta.digest)) == delta
        assert look(engine, lambda tx: content(tx, delta.digest)) == data + b"more"

    def test_an_unknown_blob_is_none(self, engine: Engine) -> None:
        """So is one that was staged and never kept, or kept by work that failed."""
        blob = seal(CONTENTS["large"])
        engine.stage(blob)

        assert look(engine, lambda tx: tx.blob(blob.digest)) is None
        assert look(engine, lambda tx: tx.blob(digest_of(b"never"))) is None
        assert look(engine, lambda tx: tx.digests(limit=9)) == []

    def test_keeping_twice_is_keeping_once(self, engine: Engine) -> None:
        """The first stays, whatever the second is packed like."""
        blob = seal(CONTENTS["packed"])
        raw = Blob(blob.digest, blob.size, "raw", CONTENTS["packed"])

        keep(engine, blob, blob)
        keep(engine, blob)
        keep(engine, raw)

        assert look(engine, lambda tx: tx.blob(blob.digest)) == blob
        assert look(engine, lambda tx: tx.digests(limit=9)) == [blob.digest]

    @pytest.mark.parametrize("name", ["small", "large"])
    def test_a_project_has_only_what_it_kept(self, engine: Engine, name: str) -> None:
        """Knowing a digest opens nothing that another project keeps."""
        blob = seal(CONTENTS[name])
        keep(engine, blob)

        assert look(engine, lambda tx: tx.blob(blob.digest), OTHER) is None
        assert look(engine, lambda tx: tx.digests(limit=9), OTHER) == []

        keep(engine, blob, project=OTHER)
        assert look(engine, lambda tx: tx.blob(blob.digest), OTHER) == blob

    def test_digests_are_paged_in_order(self, engine: Engine) -> None:
        """From page to page every blob is met once."""
        blobs = [seal(f"blob {number}".encode()) for number in range(25)]
        keep(engine, *blobs)

        met: list[str] = []
        while page := next_page(engine, met):
            met += page

        assert met == sorted(blob.digest for blob in blobs)

    def test_blobs_are_there_after_opening_again(self, engine: Engine, open_engine: Opener) -> None:
        """Small and large outlive the engine."""
        blobs = [seal(data) for data in CONTENTS.values()]
        keep(engine, *blobs)
        engine.close()

        again = open_engine()

        assert look(again, lambda tx: [tx.blob(blob.digest) for blob in blobs]) == blobs


def keep(engine: Engine, *blobs: Blob, project: str = PROJECT) -> None:
    """Stage blobs and keep them in one transaction."""
    for blob in blobs:
        engine.stage(blob)

    def work(tx: WriteTx) -> None:
        for blob in blobs:
            tx.keep(blob)

    engine.write(project, work)


def next_page(engine: Engine, met: list[str]) -> list[Digest]:
    """List the digests that follow those already met."""
    return look(engine, lambda tx: tx.digests(after=met[-1] if met else "", limit=10))
