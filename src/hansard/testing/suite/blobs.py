"""Blobs: content by digest, each project's its own."""

import pytest

from hansard.kernel.blob import Blob, Digest, digest_of, redact, seal, seal_onto
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
    """What `stage`, `keep`, `blob`, `digests` and the verbs that take away promise."""

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

    @pytest.mark.parametrize("name", CONTENTS)
    def test_how_a_blob_is_kept_is_said_without_it(self, engine: Engine, name: str) -> None:
        """What it is packed against, and when asked how much room it takes."""
        base = seal(CONTENTS[name])
        delta = seal_onto(CONTENTS[name] + b"more", base, CONTENTS[name])
        keep(engine, base, delta)
        digests = [base.digest, delta.digest]

        kept = look(engine, lambda tx: tx.kept(digests))
        sized = look(engine, lambda tx: tx.kept(digests, sized=True))

        assert [(kept[one].base, kept[one].depth) for one in digests] == [
            (base.base, base.depth),
            (delta.base, delta.depth),
        ]
        assert [kept[one].packed_bytes for one in digests] == [None, None]
        assert [sized[one].packed_bytes for one in digests] == [
            len(base.packed),
            len(delta.packed),
        ]

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

    def test_what_is_kept_is_known_without_reading_it(self, engine: Engine) -> None:
        """How each is packed, and nothing of what the project does not keep."""
        data = CONTENTS["large"]
        base = seal(data)
        delta = seal_onto(data + b"more", base, data)
        erased, foreign = seal(b"erased"), seal(b"foreign")
        keep(engine, base, delta, erased)
        keep(engine, foreign, project=OTHER)
        engine.write(PROJECT, lambda tx: tx.repack(redact(erased)))
        asked = [blob.digest for blob in (base, delta, erased, foreign)]

        known = look(engine, lambda tx: tx.kept(asked))

        assert {digest: (one.codec, one.depth) for digest, one in known.items()} == {
            base.digest: (base.codec, 0),
            delta.digest: ("patch", 1),
            erased.digest: ("redacted", 0),
        }
        assert known[delta.digest].path is None
        assert look(engine, lambda tx: tx.kept([])) == {}
        assert look(engine, lambda tx: tx.kept(asked), "nobody") == {}

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

    @pytest.mark.parametrize("name", ["packed", "large"])
    def test_a_kept_blob_can_be_packed_anew(self, engine: Engine, name: str) -> None:
        """On no base, whatever it had, and for this project only."""
        data = CONTENTS[name]
        base = seal(noise(200, 4))
        delta = Blob(digest_of(data), len(data), "patch", noise(90_000, 5), base.digest, 1)
        keep(engine, base, delta)
        keep(engine, delta, project=OTHER)
        alone = seal(data)

        engine.write(PROJECT, lambda tx: tx.repack(alone))

        assert look(engine, lambda tx: tx.blob(alone.digest)) == alone
        assert look(engine, lambda tx: content(tx, alone.digest)) == data
        assert look(engine, lambda tx: tx.blob(alone.digest), OTHER) == delta

    def test_of_a_redacted_blob_name_and_size_are_left(self, engine: Engine) -> None:
        """Keeping the same content again does not bring it back."""
        blob = seal(CONTENTS["large"])
        keep(engine, blob)

        engine.write(PROJECT, lambda tx: tx.repack(redact(blob)))
        keep(engine, blob)

        assert look(engine, lambda tx: tx.blob(blob.digest)) == redact(blob)
        assert engine.loose(older_s=0).keys() <= {blob.digest}

    def test_a_dropped_blob_is_gone_for_its_project_only(self, engine: Engine) -> None:
        """Dropping what is not there is nothing."""
        blob = seal(CONTENTS["large"])
        keep(engine, blob)
        keep(engine, blob, project=OTHER)

        engine.write(PROJECT, lambda tx: tx.drop(blob.digest))
        engine.write(PROJECT, lambda tx: tx.drop(blob.digest))
        engine.discard([blob.digest])

        assert look(engine, lambda tx: tx.blob(blob.digest)) is None
        assert look(engine, lambda tx: tx.blob(blob.digest), OTHER) == blob

    def test_failed_work_neither_repacks_nor_drops(self, engine: Engine) -> None:
        """Both are undone with the rest."""
        one, two = seal(b"one"), seal(b"two")
        keep(engine, one, two)

        def work(tx: WriteTx) -> None:
            tx.repack(redact(one))
            tx.drop(two.digest)
            raise LookupError

        with pytest.raises(LookupError):
            engine.write(PROJECT, work)
        assert look(engine, lambda tx: [tx.blob(one.digest), tx.blob(two.digest)]) == [one, two]

    def test_what_was_staged_and_never_kept_can_be_discarded(self, engine: Engine) -> None:
        """What was kept since stays, and what is staged anew can be kept."""
        left, kept = seal(noise(90_000, 6)), seal(noise(90_000, 7))
        engine.stage(left)
        keep(engine, kept)

        assert engine.loose(older_s=0).keys() <= {left.digest}
        assert engine.loose(older_s=3_600) == {}
        engine.discard([left.digest, kept.digest])

        assert engine.loose(older_s=0) == {}
        assert look(engine, lambda tx: tx.blob(kept.digest)) == kept
        keep(engine, left)
        assert look(engine, lambda tx: tx.blob(left.digest)) == left

    def test_what_was_staged_is_kept_though_it_was_discarded_in_between(
        self, engine: Engine
    ) -> None:
        """The process that staged it does not learn that it went."""
        blob = seal(noise(90_000, 8))
        engine.stage(blob)
        engine.discard([blob.digest])

        engine.write(PROJECT, lambda tx: tx.keep(blob))

        assert look(engine, lambda tx: tx.blob(blob.digest)) == blob

    def test_scrubbing_changes_nothing_that_is_kept(self, engine: Engine) -> None:
        """It says whether it was undisturbed, which it was."""
        blobs = [seal(data) for data in CONTENTS.values()]
        keep(engine, *blobs)
        engine.write(PROJECT, lambda tx: tx.drop(blobs[0].digest))

        assert engine.scrub()

        assert look(engine, lambda tx: [tx.blob(blob.digest) for blob in blobs[1:]]) == blobs[1:]


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
