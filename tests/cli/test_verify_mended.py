"""`hansard verify` tells what the next start mends: open modes, an index that is gone."""

import apsw
import pytest

from tests.cli.running import Hansard

pytestmark = pytest.mark.fault("tampering")


@pytest.mark.parametrize("mode", [0o602, 0o620])
@pytest.mark.parametrize("name", ["hansard.db", "blobs", "."])
def test_what_others_can_write_to_is_told_and_closed_by_the_next_start(
    filled: Hansard, name: str, mode: int
) -> None:
    path = filled.store / name
    path.mkdir(exist_ok=True) if name == "blobs" else None
    path.chmod(mode | (0o100 if path.is_dir() else 0))

    ran = filled("verify")
    assert ran.code == 1
    assert f"Other users can write to {filled.store / name}" in ran.out.replace("/.", "")

    assert filled("doctor").code in {0, 1}
    assert filled("verify").code == 0


def test_an_index_that_was_dropped_is_told_and_made_again(filled: Hansard) -> None:
    database = apsw.Connection(str(filled.store / "hansard.db"))
    database.execute("DROP INDEX journal_session")
    database.close()

    ran = filled("verify")
    assert ran.code == 2
    assert "The index journal_session is gone" in ran.out

    assert filled("doctor").code in {0, 1}
    assert filled("verify").code == 0
