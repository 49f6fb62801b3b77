"""The embedder behind HTTP, against a real server that answers well, badly, late or not at all."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hansard.embedders import http
from hansard.embedders.embedder import EmbedderUnavailable
from hansard.embedders.http import CHUNK_CHARS_MAX, CHUNKS_MAX, INPUTS_MAX, HttpEmbedder
from tests.embedders.serving import EmbeddingServer, count_words, serving
from tests.patience import PATIENCE_S, wait_until

MODEL = "words-64"
KEY = "key-that-nobody-sees"


@pytest.fixture
def embedder(server: EmbeddingServer) -> HttpEmbedder:
    return HttpEmbedder(server.url, MODEL, KEY)


def test_texts_are_embedded_in_their_order_with_the_model_and_the_key(
    server: EmbeddingServer, embedder: HttpEmbedder
) -> None:
    made = embedder.embed(["a zebra", "a horse"])

    for vector, text in zip(made, ["a zebra", "a horse"], strict=True):
        expected = np.array(count_words(text))
        assert vector[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    [asked] = server.asked
    assert asked["model"] == MODEL
    assert asked["input"] == ["a zebra", "a horse"]
    assert server.keys == [f"Bearer {KEY}"]
    assert server.paths == ["/v1/embeddings"]


def test_the_whole_path_may_be_given_and_the_key_left_out(server: EmbeddingServer) -> None:
    HttpEmbedder(f"{server.url}/embeddings/", MODEL).embed_query("x")

    assert server.paths == ["/v1/embeddings"]
    assert server.keys == [None]


def test_a_long_text_is_cut_and_many_are_asked_for_in_turns(
    server: EmbeddingServer, embedder: HttpEmbedder
) -> None:
    long = "z" * CHUNK_CHARS_MAX * 20

    made = embedder.embed([long, *(f"text {number}" for number in range(70)), ""])

    assert [len(vectors) for vectors in made] == [CHUNKS_MAX, *[1] * 71]
    assert [len(asked["input"]) for asked in server.asked] == [INPUTS_MAX, CHUNKS_MAX + 71 - 64]
    assert max(len(text) for asked in server.asked for text in asked["input"]) == CHUNK_CHARS_MAX


@pytest.mark.parametrize("status", [302, 401, 404, 429, 500])
def test_another_status_than_ok_is_no_answer_and_a_redirect_is_not_followed(
    server: EmbeddingServer, embedder: HttpEmbedder, status: int
) -> None:
    server.status = status

    with pytest.raises(EmbedderUnavailable, match=str(status)) as caught:
        embedder.embed(["x"])

    assert len(server.asked) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"not JSON",
        b"[]",
        b'{"data": 7}',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": [[1.0]]}]}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
    ],
)
def test_what_is_no_list_of_vectors_is_no_answer(
    server: EmbeddingServer, embedder: HttpEmbedder, body: bytes
) -> None:
    server.body = body

    with pytest.raises(EmbedderUnavailable, match="no list of vectors"):
        embedder.embed(["x"])


def test_an_answer_that_comes_too_late_is_not_waited_for(
    server: EmbeddingServer, embedder: HttpEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "QUERY_WAIT_S", 0.05)
    server.wait_s = PATIENCE_S

    with pytest.raises(EmbedderUnavailable, match="in time"):
        embedder.embed_query("x")


def test_an_answer_without_end_is_not_read(
    server: EmbeddingServer, embedder: HttpEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_BYTES_MAX", 1_000)
    server.body = b"[" * 100_000

    with pytest.raises(EmbedderUnavailable, match="does not answer"):
        embedder.embed(["x"])


def test_where_nobody_listens_nobody_answers() -> None:
    with serving() as server:
        url = server.url

    with pytest.raises(EmbedderUnavailable, match=r"127\.0\.0\.1 does not answer"):
        HttpEmbedder(url, MODEL).embed_query("x")


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("http://localhost:8080/v1", True),
        ("https://embed.example", True),
        ("localhost:8080", False),
        ("file:///etc/passwd", False),
        ("http://", False),
        ("", False),
    ],
)
def test_only_http_urls_with_a_host_are_addresses(url: str, is_one: bool) -> None:
    assert http.is_address(url) is is_one


def test_closing_ends_what_is_waited_for(server: EmbeddingServer, embedder: HttpEmbedder) -> None:
    server.wait_s = PATIENCE_S
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(embedder.embed, ["x"])
        wait_until(lambda: server.asked)

        embedder.close()

        with pytest.raises(EmbedderUnavailable):
            waiting.result(timeout=PATIENCE_S / 2)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed(["x"])
    assert len(server.asked) == 1
