"""A snippet is a real part of the text, around the words asked for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.kernel.snippet import has_plainly, snippet
from hansard.kernel.words import query_stems, stems

FILLER = "Nothing of note was said on that day. " * 20
TEXTS = st.lists(
    st.sampled_from(["ledger", "the", "fooBar", "naïve", "日本語", "\n", "x" * 90, "-", "\0"])
    | st.text(max_size=12),
    max_size=60,
).map(" ".join)


@given(TEXTS, TEXTS | st.sampled_from(["ledger", "bar", "naive", "本語"]), st.integers(1, 200))
def test_it_is_one_line_of_the_text_and_never_too_long(text: str, query: str, chars: int) -> None:
    found = snippet(text, query, chars=chars)
    line = " ".join(text.split())
    cut = found.removeprefix("…") if not line.startswith(found[:chars]) else found

    assert len(found) <= chars + 2
    assert found == line or cut.removesuffix("…") in line
    assert "\n" not in found


@given(TEXTS, st.sampled_from(["ledger", "bar", "naive", "本語"]))
def test_a_word_that_the_text_has_is_in_it(text: str, query: str) -> None:
    [word] = query_stems(query)

    if word in set(stems(text)):
        assert word in set(stems(snippet(text, query, chars=100)))


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("We were running the migrations twice.", "run migration"),
        ("The ledger of the clerk is kept in a safe.", "LEDGER clerk"),
        ("It calls parseHTTPHeader and foo_bar.", "header bar"),
        ("She ordered a café crème.", "creme cafe"),
        ("They use postgresql for it.", "postgres"),
        ("検索エンジンを作る。", "エンジン"),
    ],
)
def test_it_shows_the_words_in_any_form(sentence: str, query: str) -> None:
    found = snippet(FILLER + sentence + " " + FILLER, query)

    assert sentence in found
    assert found.startswith("…")
    assert found.endswith("…")


@pytest.mark.parametrize(
    ("text", "query", "is_plain"),
    [
        ("We were running the migrations_twice.", "run migration", True),
        ("We were running it.", "run migration", False),
        ("They use postgresql for it.", "postgre", False),
        ("It calls parseHTTPHeader.", "header", False),
        ("The rerun", "run", False),
    ],
)
def test_all_words_that_begin_as_they_were_asked_for_are_seen_at_once(
    text: str, query: str, is_plain: bool
) -> None:
    assert has_plainly(text, query_stems(query)) == is_plain


@given(TEXTS, st.lists(st.sampled_from(["ledger", "bar", "naiv", "本語"]), min_size=1))
def test_what_is_seen_at_once_is_there(text: str, asked: list[str]) -> None:
    assert not has_plainly(text, asked) or {*asked} <= set(stems(text))


def test_it_shows_the_place_with_the_most_different_words() -> None:
    text = f"{FILLER}ledger ledger ledger {FILLER}the clerk's ledger {FILLER}clerk {FILLER}"

    assert "the clerk's ledger" in snippet(text, "ledger clerk")


def test_the_word_itself_is_preferred_to_longer_ones() -> None:
    assert "post it" in snippet(f"{FILLER}postgres posture {FILLER}post it {FILLER}", "post")


def test_it_is_cut_between_words() -> None:
    text = " ".join(f"word{number}" for number in range(200))

    found = snippet(text, "word100", chars=50)

    assert found[0] == found[-1] == "…"
    assert set(found.strip("…").split()) <= set(text.split())


@pytest.mark.parametrize("query", ["absent", "", "\ud800", "*"])
def test_without_a_match_it_is_the_beginning(query: str) -> None:
    assert snippet("one two three four", query, chars=9) == "one two…"


def test_a_short_text_is_given_whole_on_one_line() -> None:
    assert snippet("  one\n\ttwo\u2028three  ", "two") == "one two three"


@pytest.mark.parametrize(
    "text",
    [
        *("a" * BODY_BYTES_MAX, "a " * (BODY_BYTES_MAX // 2), "日" * (BODY_BYTES_MAX // 3)),
        *("aB" * (BODY_BYTES_MAX // 2), "_" * BODY_BYTES_MAX, " " * BODY_BYTES_MAX + "end"),
    ],
    ids=lambda text: f"{text[:2]!r}",
)
def test_the_largest_text_takes_no_more_than_its_share(text: str) -> None:
    """Twice the text takes about twice the time; squared, it would take minutes."""
    begin = time.thread_time()

    snippet(text, "a 日 b end " + "word " * 40)

    # Of the processor's time, which other programs do not take.
    assert time.thread_time() - begin < 20


@pytest.mark.parametrize(
    ("query", "word"),
    [("die", "dying"), ("bar", "fooBar"), ("server", "HTTPServer"), ("size", "Größe size")],
)
def test_a_form_that_begins_as_the_word_does_or_is_within_a_name_is_shown(
    query: str, word: str
) -> None:
    text = f"{'nothing of that here ' * 30}{word} {'and nothing there ' * 30}"

    assert word in snippet(text, query)


def test_a_word_is_shown_beside_letters_that_are_longer_in_lower_case() -> None:
    text = f"ledger {'İstanbul ' * 40}the clerk's ledger{' İzmir' * 40}"

    assert "the clerk's ledger" in snippet(text, "ledger clerk")
