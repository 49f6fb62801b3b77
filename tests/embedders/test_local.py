"""The model of the extra, as it is installed: what means the same lies near."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hansard.embedders import local
from hansard.embedders.embedder import EmbedderUnavailable
from hansard.embedders.local import CHUNKS_MAX, LocalEmbedder
from tests.patience import PATIENCE_S


def test_texts_that_mean_the_same_lie_nearer_than_texts_that_share_words() -> None:
    embedder = LocalEmbedder()
    query = embedder.embed_query("How do we stop the cache from serving stale pages?")

    paraphrase, same_words = embedder.embed([
        "Cached content is invalidated whenever the underlying article changes.",
        "We stop the train and do the pages of the form.",
    ])  # fmt: skip

    assert (paraphrase @ query.T).max() > (same_words @ query.T).max()


def test_vectors_are_of_length_one_and_depend_on_the_text_alone() -> None:
    embedder = LocalEmbedder()

    [alone] = embedder.embed(["a zebra"])
    [first, again] = embedder.embed(["something else altogether, and longer", "a zebra"])

    assert alone.shape == first.shape == (1, 384)
    assert np.linalg.norm(alone) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(alone, again)


def test_a_vector_is_what_the_reference_makes_of_the_text() -> None:
    [vector] = LocalEmbedder().embed(["This is an example sentence"])

    # The beginning of sentence-transformers/all-MiniLM-L6-v2's vector, which has more bits.
    assert vector[0, :4] == pytest.approx([0.0677, 0.0635, 0.0487, 0.0793], abs=0.01)


def test_a_long_text_becomes_several_vectors_but_not_without_end() -> None:
    embedder = LocalEmbedder()

    [two] = embedder.embed(["zebra " * 300])
    [many] = embedder.embed(["zebra " * 100_000])

    assert len(two) == 2
    assert len(many) == CHUNKS_MAX


@pytest.mark.parametrize("text", ["", " ", "\0", "\ufffd", "🙈" * 50])
def test_any_text_has_a_vector(text: str) -> None:
    [vector] = LocalEmbedder().embed([text])

    assert np.isfinite(vector).all()


def test_a_damaged_model_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "MODEL_SHA256", "0" * 64)
    local._load.cache_clear()

    with pytest.raises(EmbedderUnavailable, match="damaged"):
        LocalEmbedder().embed(["a zebra"])


@pytest.mark.slow("a process of its own loads the model")
def test_a_process_that_ends_while_it_embeds_ends_well_and_soon(tmp_path: Path) -> None:
    program = """
import sys, time
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.embedders import local, model_wire
from tests.records.chats import Chat

model_wire.can_be_met = lambda: False  # so that the model is loaded here
app = start(Settings(store=sys.argv[1]))
for number in range(20):
    Chat(app).create(f"t{number}", body="zebra lion " * 2_000)
app.follow()
while not local._load.cache_info().currsize:
    time.sleep(0.01)
time.sleep(0.1)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "store")],
        check=False,
        capture_output=True,
        timeout=PATIENCE_S,
    )

    assert (ran.returncode, ran.stderr.decode()) == (0, "")


def test_nothing_slow_is_imported_before_the_first_text() -> None:
    program = """
import sys
from hansard.app import start
start.catalog()
print(sorted({"numpy", "onnxruntime", "http.client"} & {*sys.modules}))
"""
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)

    assert ran.stdout.decode().strip() == "[]"
