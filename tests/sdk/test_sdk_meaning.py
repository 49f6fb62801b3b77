"""What a program writes through the library is found by meaning, with no server running."""

from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.sdk import Hansard
from tests.embedders.serving import serving
from tests.patience import wait_until


def test_what_the_library_wrote_is_embedded_by_its_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as server:
        monkeypatch.setenv("HANSARD_EMBEDDER_URL", server.url)
        monkeypatch.setenv("HANSARD_EMBEDDER_MODEL", "one")

        with Hansard(tmp_path / "store", project="shop") as hansard:
            hansard.records.create("zebras graze quietly", "At length.", type="note")
            wait_until(lambda: _lag(hansard) == 0)
            found = hansard.call("search_records", query="zebras").model_dump()

    texts = [text for asked in server.asked for text in asked["input"]]
    assert any("zebras graze quietly" in text for text in texts)
    assert found["index"] == "http one"


def test_an_application_that_is_lent_is_not_made_to_follow(app: Application) -> None:
    Hansard(application=app)

    assert app._following is None


def _lag(hansard: Hansard) -> int:
    lag: int = hansard.call("search_records", query="zebras").model_dump()["index_lag"]
    return lag
