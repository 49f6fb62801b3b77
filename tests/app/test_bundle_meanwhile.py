"""A bundle written while others write can be taken in, whatever they add meanwhile."""

import itertools
import os
from pathlib import Path

import pytest

from hansard.app.keeping.bundle import PAGE_BYTES, BundleDamaged, reading, writing
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.importing import import_project, look_through
from hansard.app.verify import verify
from hansard.kernel.blob import Blob, digest_of, seal, seal_onto
from tests.app import kept
from tests.app.kept import PROJECT, STAMP, opened

COMMON = os.urandom(2_000)


def test_what_is_added_meanwhile_comes_with_what_it_rests_on(tmp_path: Path) -> None:
    behind = named("0000")
    base = seal(behind)
    ahead = seal_onto(named("ffff"), base, behind)
    assert ahead.base == base.digest

    with opened(tmp_path / "origin") as app:
        for _ in range(3):
            kept.keep(app.store, os.urandom(PAGE_BYTES))
        added: list[Blob] = []

        def add(_: str, what: str, *__: int) -> None:
            if what == "blobs" and not added:
                added.extend((base, ahead))
                for blob in added:
                    kept.keep_blob(app.store, blob)

        export_project(app.store, PROJECT, tmp_path / "a.bundle", progress=add)

    assert added
    with opened(tmp_path / "other") as other:
        import_project(other.store, tmp_path / "a.bundle", STAMP)
        assert other.store.read(PROJECT, lambda tx: tx.blob(ahead.digest)) == ahead
        assert verify(other.store).findings == ()


def test_a_bundle_that_lacks_what_others_rest_on_is_found_out(tmp_path: Path) -> None:
    with opened(tmp_path / "origin") as app:
        kept.fill(app)
        export_project(app.store, PROJECT, tmp_path / "whole.bundle")
        kinds = app.store.kinds
    with reading(tmp_path / "whole.bundle") as whole, writing(tmp_path / "less.bundle") as less:
        less.begin(whole.opening)
        for page in whole.pages():
            blobs = [one for one in page if isinstance(one, Blob)]
            bases = {blob.base for blob in blobs}
            less.add_blobs([blob for blob in blobs if blob.digest not in bases])
            less.add_entries([one for one in page if not isinstance(one, Blob)])
        less.finish()

    look_through(tmp_path / "whole.bundle", kinds)
    with pytest.raises(BundleDamaged):
        look_through(tmp_path / "less.bundle", kinds)


def named(beginning: str) -> bytes:
    """Make content whose digest begins so."""
    made = (COMMON + str(number).encode() for number in itertools.count())
    return next(content for content in made if digest_of(content).startswith(beginning))
