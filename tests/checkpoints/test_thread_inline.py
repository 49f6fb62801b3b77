"""Content that stands as text in an entry: what was written comes back, all else is damage."""

import base64
from contextlib import suppress

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hansard.checkpoints.threads.inline import CONTENT_BYTES_MAX, from_text, to_text
from hansard.kernel.problem import BlobDamaged


def packed(content: bytes, *, says_size: bool = True) -> str:
    made = zstandard.ZstdCompressor(write_content_size=says_size).compress(content)
    return base64.b64encode(made).decode()


@given(st.binary(max_size=2_000) | st.binary(max_size=20).map(lambda some: some * 500))
def test_what_was_written_comes_back(content: bytes) -> None:
    text = to_text(content)

    assert text is None or from_text(text) == content


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "=A",
        "=\u00e9",
        "~\u00e9",
        "~",
        "~AAAA",
        "?" + packed(b"x"),
        "~" + packed(b"x" * 100)[:-4],
        "~" + packed(bytes(CONTENT_BYTES_MAX + 1)),
        "~" + packed(bytes(100_000_000)),
        "~" + packed(bytes(100_000_000), says_size=False),
    ],
    ids=range(12),
)
def test_what_nothing_here_wrote_is_damage(text: str) -> None:
    with pytest.raises(BlobDamaged):
        from_text(text)


@given(st.text(max_size=40), st.sampled_from(["", "=", "~"]))
def test_no_text_is_a_bug(text: str, kind: str) -> None:
    with suppress(BlobDamaged):
        assert isinstance(from_text(kind + text), bytes)
