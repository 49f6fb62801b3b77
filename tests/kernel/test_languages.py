"""Which language a text is in, and what its words are cut down to."""

import pytest

from hansard.kernel.languages import LOOKED_AT_WORDS, _stemmer, is_small, language, stem
from hansard.kernel.words import split

TEXTS = {
    "The server is restarted when it fails": "english",
    "Wie wird der Server gestartet": "german",
    "Comment est-ce que le serveur est lance": "french",
    "Como se inicia el servidor": "spanish",
    "Как запустить сервер": "russian",
    "Zähler größer": "german",
    "Où être garçon": "french",
    "¿Señal, mañana?": "spanish",
    "server restart": "english",
    "naïve plan": "english",
    "": "english",
    # As many small words of English as of another: nothing decides.
    "the server der": "english",
    "the server der die": "german",
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items(), ids=TEXTS)
def test_a_text_is_in_the_language_that_its_small_words_and_letters_are_of(
    text: str, expected: str
) -> None:
    assert language(text, split(text)) == expected


def test_the_beginning_of_a_text_decides() -> None:
    english = "the server is up " * LOOKED_AT_WORDS
    german = "der die das ein eine und oder nicht mit von " * LOOKED_AT_WORDS

    assert language(english + german, split(english + german)) == "english"
    assert language(german + english, split(german + english)) == "german"


def test_letters_far_into_a_text_decide_nothing() -> None:
    near, far = "ab " * 10 + "größe", "ab " * 9 * LOOKED_AT_WORDS + "größe"

    assert language(near, split(near)) == "german"
    assert language(far, split(far)) == "english"


def test_small_words_are_those_of_the_language() -> None:
    assert is_small("the", "english")
    assert not is_small("the", "german")
    assert is_small("der", "german")
    assert not is_small("der", "english")


@pytest.mark.parametrize(
    ("word", "spoken", "cut"),
    [
        ("ledgers", "english", "ledger"),
        ("its", "english", "it"),
        ("is", "english", "is"),
        ("v2s", "english", "v2s"),
        ("naïves", "english", "naïves"),
        ("Häuser".lower(), "german", "haus"),
        ("серверы", "english", "сервер"),
    ],
)
def test_words_are_cut_down_to_what_their_forms_share(word: str, spoken: str, cut: str) -> None:
    assert stem(word, spoken) == cut


def test_what_cuts_words_down_remembers_none_since_threads_share_it() -> None:
    assert _stemmer.__wrapped__("german").maxCacheSize == 0
