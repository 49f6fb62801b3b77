"""The index of meanings is derived: it may be late, stopped, deleted or of another embedder."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import find_by_meaning, start
from hansard.embedders import local, meanings
from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.kernel import follow
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.follow import CURSORS, NotNow, catch_up, lag
from hansard.kernel.meaning import NoMeanings
from hansard.kernel.problem import InvalidInput
from tests.conftest import OpenApp
from tests.embedders.following import (
    QUERY,
    TEXT,
    create,
    embed_all,
    embedded,
    nearest,
    over_http,
    search,
    vector_follower,
)
from tests.embedders.serving import EmbeddingServer
from tests.patience import wait_until
from tests.records.chats import Chat


@pytest.fixture
def open_engine() -> Callable[[str, Schema], Engine]:
    """Use the engine in memory alone: what differs between engines, the records' tests try."""
    shared = MemoryStore()
    return lambda _, schema: MemoryEngine(schema, shared)


@pytest.fixture
def app(open_app: OpenApp, server: EmbeddingServer) -> Application:
    return over_http(open_app, server)


def test_each_text_is_embedded_once_and_only_when_it_changes(
    app: Application, server: EmbeddingServer
) -> None:
    record = create(app)
    embed_all(app)
    chat = Chat(app)
    chat.activate(record)

    chat.update(record, metadata={"colour": "black and white"})
    chat.move_state(record, "LATER", reason="first things first")
    embed_all(app)
    assert embedded(server) == [TEXT]

    chat.update(record, title="horses")
    embed_all(app)
    assert embedded(server) == [TEXT, "horses"]


def test_a_decision_is_as_near_by_its_title_as_by_all_of_it(
    app: Application, server: EmbeddingServer
) -> None:
    for title, why in [("bake bread", "grain " * 30), ("grain trade", "bread " * 30)]:
        Chat(app).ask("record_decision", title=title, target=title, rationale=why)
    embed_all(app)

    assert {"bake bread", "grain trade"} <= {*embedded(server)}
    finder = app.catalog.find("search_records").run.keywords["meanings"]  # type: ignore[attr-defined]
    [first, second] = finder.nearest(app.default_project, "decisions", "bake bread", limit=10)
    # By all of its words alone, the other one would be nearer.
    assert (first.key, second.key) == ("D001", "D002")


def test_a_text_that_was_replaced_meanwhile_is_not_embedded(
    app: Application, server: EmbeddingServer
) -> None:
    record = create(app)
    chat = Chat(app)
    chat.activate(record)
    chat.update(record, title="horses")

    embed_all(app)

    assert embedded(server) == ["horses"]
    assert nearest(app, "horses") == [record]


def test_nothing_is_asked_of_the_embedder_where_there_is_nothing_to_find(
    app: Application, server: EmbeddingServer
) -> None:
    create(app)

    search(app)

    assert server.asked == []


KILLED = """
import os, signal, sys
from hansard.app.settings import Settings
from hansard.app.start import start
from tests.embedders.following import vector_follower
from tests.records.chats import Chat

app = start(Settings(store=sys.argv[1], embedder_url=sys.argv[2], embedder_model="one"))
Chat(app).create("zebras graze quietly", summary="", body="")
follower = vector_follower(app)
entries = app.store.read(app.default_project, lambda tx: tx.entries(limit=9, kinds=follower.kinds))
follower.apply(app.default_project, entries)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_follower_killed_between_the_vectors_and_the_cursor_loses_nothing(
    tmp_path: Path, server: EmbeddingServer
) -> None:
    store = str(tmp_path / "store")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, store, server.url], check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    app = start(Settings(store=store, embedder_url=server.url, embedder_model="one"))
    try:
        assert lag(app.store, vector_follower(app), app.default_project) > 0
        embed_all(app)

        assert len(nearest(app)) == 1
        assert embedded(server).count(TEXT) == 1
    finally:
        app.close()


def test_an_embedder_that_fails_makes_a_search_go_by_words_and_say_so(
    app: Application, server: EmbeddingServer
) -> None:
    record = create(app)
    embed_all(app)
    server.status = 500

    answer = search(app)

    assert [one["id"] for one in answer["results"]] == [record]
    assert answer["index"] == "none (the embedder at 127.0.0.1 answers 500)"
    asked = len(server.asked)
    search(app)
    assert len(server.asked) == asked, "one that has just failed is not asked again at once"


def test_a_text_that_the_embedder_refuses_keeps_no_other_waiting(
    app: Application, server: EmbeddingServer
) -> None:
    server.refused_word = "poison"
    before, refused, after = create(app), create(app, "poison"), create(app, f"{TEXT} again")

    embed_all(app)
    assert sorted(nearest(app)) == [before, after]
    assert [one["id"] for one in search(app, "poison")["results"]] == [refused]

    server.asked.clear()
    app.store.write(app.default_project, lambda tx: tx.clear((CURSORS,), ()))
    embed_all(app)
    assert server.asked == [], "what was refused is not asked for again"


def test_an_embedder_that_recovers_is_used_again(
    app: Application, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meanings, "RETRY_S", 0.0)
    record = create(app)
    server.status = 500
    with pytest.raises(NotNow):
        catch_up(app.store, vector_follower(app), app.default_project)
    assert search(app)["index"].startswith("none (")

    server.status = 200
    embed_all(app)

    assert nearest(app) == [record]
    assert search(app)["index"] == "http one"


def test_a_server_that_follows_embeds_by_itself_when_the_embedder_comes_back(
    app: Application, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "RETRY_S", 0.01)
    monkeypatch.setattr(follow, "WAKE_S", 0.01)
    monkeypatch.setattr(meanings, "RETRY_S", 0.0)
    server.status = 503
    app.follow()
    record = create(app)
    wait_until(lambda: bool(server.asked))

    server.status = 200

    wait_until(lambda: search(app)["index_lag"] == 0)
    assert nearest(app) == [record]


def test_a_damaged_blob_keeps_only_its_own_record_from_being_embedded(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = app.store.engine
    assert isinstance(engine, MemoryEngine)
    Chat(app).create("lost", summary="", body="this blob goes")
    sound = create(app)
    for project in engine._store.projects.values():
        for digest in list(project.blobs):
            if project.blobs[digest].size == len("this blob goes"):
                del project.blobs[digest]

    embed_all(app)

    assert nearest(app) == [sound]


def test_what_made_room_in_memory_is_found_again(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meanings, "SHELVES_MAX", 1)
    record = create(app)
    embed_all(app)
    assert nearest(app) == [record]
    Chat(app).ask("create_project", id="other", name="Other")
    assert Chat(app, project_id="other").ask("search_records", query=QUERY)["total"] == 0

    assert nearest(app) == [record]


def test_only_who_is_told_to_follows_and_a_read_only_server_never_does(
    app: Application, open_app: OpenApp, server: EmbeddingServer
) -> None:
    create(app)
    assert not followers_running()

    open_app(read_only=True, embedder_url=server.url, embedder_model="one").follow()
    assert not followers_running()

    app.follow()
    app.follow()
    assert followers_running() == 1
    app.close()
    assert not followers_running()


def followers_running() -> int:
    return sum(thread.name == "followers" for thread in threading.enumerate())


def test_the_settings_choose_the_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_by_meaning(Settings()).name == "local minilm-l6"
    assert find_by_meaning(Settings(embedder="local")).name == "local minilm-l6"
    assert find_by_meaning(Settings(embedder="none")).name == "none"
    url = {"embedder_url": "http://localhost:1/v1", "embedder_model": "m"}
    assert find_by_meaning(Settings(**url)).name == "http m"  # type: ignore[arg-type]

    monkeypatch.setattr(local, "is_installed", lambda: False)
    assert isinstance(find_by_meaning(Settings()), NoMeanings)
    for chosen in ("local", "http"):
        with pytest.raises(InvalidInput) as caught:
            find_by_meaning(Settings(embedder=chosen, **url))  # type: ignore[arg-type]
        assert "hansard[semantic]" in str(caught.value.recovery_hint)


@pytest.mark.parametrize(("url", "model"), [("", "m"), ("ftp://host", "m"), ("http://host", "")])
def test_an_http_embedder_without_a_url_or_a_model_is_refused(url: str, model: str) -> None:
    with pytest.raises(InvalidInput):
        find_by_meaning(Settings(embedder="http", embedder_url=url, embedder_model=model))


def test_the_key_comes_from_the_environment_alone(
    monkeypatch: pytest.MonkeyPatch, open_app: OpenApp, server: EmbeddingServer
) -> None:
    monkeypatch.setenv("HANSARD_EMBEDDER_KEY", "sesame-sesame")
    app = over_http(open_app, server)
    create(app)

    embed_all(app)

    assert server.keys == ["Bearer sesame-sesame"]
