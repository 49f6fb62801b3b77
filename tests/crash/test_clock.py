"""A clock that is set back or forward: the record's own order does not go by it."""

from pathlib import Path

import pytest

from hansard.app.verify import verify
from tests.crash import checks, scenes, toys
from tests.crash.harness import playing

LIBFAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")

pytestmark = pytest.mark.skipif(not LIBFAKETIME.exists(), reason="libfaketime is not installed")


@pytest.mark.fault("clock set")
@pytest.mark.slow("starts five interpreters under another clock")
def test_processes_with_other_clocks_write_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", str(LIBFAKETIME))
    monkeypatch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
    acks = []

    for shift in ("-10y", "+10y", "-1d", "+0", "-10y"):
        monkeypatch.setenv("FAKETIME", shift)
        with playing(scenes.plain_write, tmp_path) as child:
            assert child.end() == 0, child.complaint
        acks.append(child.acks)

    monkeypatch.undo()
    app = toys.open_application(tmp_path / scenes.STORE)
    entries = [entry for _, entry in checks.tokens(app.store, app.default_project)]
    findings = verify(app.store).findings
    amiss = checks.takes_new_work(app, "afterwards")
    app.close()
    assert (list(findings), amiss) == ([], [])
    assert [(entry.seq, entry.hash) for entry in entries] == [
        (ack.seq, ack.hash) for life in acks for ack in life
    ]
    assert len({entry.at[:4] for entry in entries}) >= 3, "the clock was never set"
