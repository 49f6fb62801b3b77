"""The doctor says what searches go by, and keeps the key to itself."""

import json
from pathlib import Path

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import local
from tests.cli.running import Hansard
from tests.records.chats import Chat

KEY = "key-that-nobody-sees"


def says(hansard: Hansard, what: str, *arguments: str, **environment: str) -> list[str]:
    ran = hansard("doctor", "--json", *arguments, **environment)
    assert KEY not in ran.out + ran.err
    return [each["says"] for each in json.loads(ran.out)["checks"] if each["what"] == what]


def test_the_doctor_names_the_embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hansard = Hansard(tmp_path)

    assert says(hansard, "search") == ["words and meaning, by local minilm-l6"]
    url = ("--embedder-url", "http://localhost:1/v1", "--embedder-model", "m")
    named = says(hansard, "search", *url, HANSARD_EMBEDDER_KEY=KEY)
    assert named == ["words and meaning, by http m"]
    [none] = says(hansard, "search", "--embedder", "none")
    assert none.startswith("words only")

    monkeypatch.setattr(local, "is_installed", lambda: False)
    [missing] = says(hansard, "search")
    assert missing == "words only; for meaning too: pip install 'hansard[semantic]'"


def test_an_embedder_that_cannot_be_had_is_a_failure(tmp_path: Path) -> None:
    ran = Hansard(tmp_path)("doctor", "--json", "--embedder", "http")

    assert ran.code == 1
    failed = [each for each in json.loads(ran.out)["checks"] if each["status"] == "fail"]
    assert "search" in {each["what"] for each in failed}


def test_the_doctor_says_how_far_the_vectors_are_behind(tmp_path: Path) -> None:
    hansard = Hansard(tmp_path)
    app = start(Settings(store=str(hansard.store), embedder="none"))
    Chat(app).create("zebra")
    app.close()

    [behind] = says(hansard, "vectors")

    assert behind.endswith("entries behind; a running server works them off")
