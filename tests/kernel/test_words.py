"""What the words of a text are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.languages import STOP_WORDS
from hansard.kernel.words import (
    NEIGHBOURS_WEIGHT,
    PHRASE_WORDS_MAX,
    PHRASES_MAX,
    PIECE_WEIGHT,
    QUERY_WORDS_MAX,
    WORD_CHARS_MAX,
    coverage,
    fold,
    is_name,
    pieces,
    query_beginnings,
    query_stems,
    query_terms,
    shown_words,
    split,
    stem,
    stems,
    stems_with,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("Hello, World", ["hello", "world"]),
        ("foo_bar-baz/qux.py", ["foo", "bar", "baz", "qux", "py"]),
        ("fooBar", ["foobar"]),
        ("naïve CAFÉ Ångström", ["naive", "cafe", "angstrom"]),
        ("Straße ﬁne İstanbul ℌ ½", ["strasse", "fine", "istanbul", "h", "1", "2"]),
        ("日本語 は ABC株式", ["日本", "本語", "は", "abc", "株式"]),
        ("ｶﾞ が か", ["ガ", "が", "か"]),
        ("한국어", ["한국", "국어"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ไทย", ["ไท", "ทย"]),
        ("שָׁלוֹם عَرَبِيّ", ["שלום", "عربي"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("a\0b\ud800c😀d", ["a", "b", "c", "d"]),
        ("x" * 100, ["x" * WORD_CHARS_MAX]),
    ],
)
def test_a_text_is_split_into_plain_words(text: str, words: list[str]) -> None:
    assert split(text) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo Foo FOO foo2", []),
        ("fooBar", ["foo", "bar"]),
        ("HTTPServer2Go", ["http", "server2", "go"]),
        ("PDFs URLs iPhone", ["i", "phone"]),
        ("aB" * 40, []),
        ("日本", ["日", "本"]),
    ],
)
def test_some_words_have_pieces(text: str, expected: list[str]) -> None:
    assert list(pieces(text)) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed")),
        *(("agreed", "agre"), ("plastered", "plaster"), ("motoring", "motor"), ("sing", "sing")),
        *(("conflated", "conflat"), ("sized", "size"), ("hopping", "hop"), ("falling", "fall")),
        *(("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("relational", "relat")),
        *(("rational", "ration"), ("digitizer", "digit"), ("vietnamization", "vietnam")),
        *(("formative", "format"), ("electrical", "electr"), ("goodness", "good")),
        *(("adoption", "adopt"), ("replacement", "replac"), ("controlling", "control")),
        *(
            ("probate", "probat"),
            ("cease", "ceas"),
            ("as", "as"),
            ("v2s", "v2s"),
            ("größen", "größen"),
        ),
    ],
)
def test_english_words_are_known_by_their_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_query_drops_stop_words_only_if_something_is_left() -> None:
    assert query_stems("to be, or the ledger's clerks") == ["ledger", "clerk"]
    assert query_stems("to be or not to be") == ["to", "be", "or", "not"]


def test_a_query_has_each_word_once_and_not_too_many() -> None:
    assert query_stems("run running RUNS") == ["run"]
    assert len(query_stems(" ".join(f"w{number}" for number in range(999)))) == QUERY_WORDS_MAX


@given(st.text() | st.text(alphabet="aB_日が\u0301é한 -'ß", max_size=20))
def test_a_text_is_found_by_every_word_of_itself(text: str) -> None:
    assert set(stems(text)).issuperset(query_stems(text))


@given(st.text())
def test_words_are_letters_and_digits_only(text: str) -> None:
    """So nothing in them can mean anything to a database."""
    for word in stems(text):
        assert not set(word) & set("\"'\\:&|!()<>*_ \0\t\n")
        assert word.encode()


@given(st.text())
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_stop_words_are_words() -> None:
    assert {word for stop in STOP_WORDS for word in split(stop)} == STOP_WORDS


def test_the_words_that_a_text_shows_are_those_asked_for_as_it_writes_them() -> None:
    text = "Running the RetryPolicy runs; the run of max_retry_count. Nothing else."

    shown = ["Running", "RetryPolicy", "runs", "run", "max_retry_count"]
    assert shown_words("who runs retries", text) == shown
    assert shown_words("the of", "nothing") == []


IRREGULAR = (
    "dying lying tying skies skis ugly only early gently idly singly yellow youth news fooBar"
    " HTTPServer retried possibilities vietnamization x86 3.11 der die und ist el los une Größe"
)


@given(
    st.lists(st.sampled_from(IRREGULAR.split()) | st.text(max_size=12)).map(" ".join),
    st.frozensets(st.characters(min_codepoint=ord("0"), max_codepoint=ord("z"))),
)
def test_of_some_letters_all_stems_are_found_without_cutting_down_the_others(
    text: str, initials: frozenset[str]
) -> None:
    found, all_stems = stems_with(initials, text, ["nowhere"]), set(stems(text))

    assert {one for one in all_stems if one[0] in initials} <= found <= all_stems


@given(
    st.lists(st.sampled_from(IRREGULAR.split()) | st.text(max_size=12)).map(" ".join),
    st.data(),
)
def test_of_the_stems_that_are_wanted_each_that_a_text_has_is_found(
    text: str, data: st.DataObject
) -> None:
    all_stems = sorted(set(stems(text)))
    wanted = data.draw(st.sets(st.sampled_from([*all_stems, "nowhere"])))

    found = stems_with({one[0] for one in wanted}, text, wanted)

    assert wanted.intersection(all_stems) <= found <= {*all_stems}


@pytest.mark.parametrize(
    ("query", "words", "phrases"),
    [
        ("ledger ledger ink the", {"ledger": 2, "ink": 1}, {"ledger ink": NEIGHBOURS_WEIGHT}),
        ("ink of pen", {"ink": 1, "pen": 1}, {}),
        ("ink ink", {"ink": 2}, {}),
        (
            "fooBar retry",
            {"foobar": 1, "retri": 1},
            {"foo bar": 1, "foobar retri": NEIGHBOURS_WEIGHT},
        ),
        ("foo_bar", {"foo": 1, "bar": 1}, {"foo bar": 1}),
        (
            "src/app.py",
            {"src": 1, "app": 1, "py": 1},
            {"src app py": 1, "src app": NEIGHBOURS_WEIGHT, "app py": NEIGHBOURS_WEIGHT},
        ),
        ('"ink"', {"ink": 1}, {}),
        (
            'say "red ink"',
            {"say": 1, "red": 1, "ink": 1},
            {"red ink": 1, "say red": NEIGHBOURS_WEIGHT},
        ),
    ],
)
def test_a_query_asks_for_its_words_and_for_what_stands_side_by_side(
    query: str, words: dict[str, float], phrases: dict[str, float]
) -> None:
    terms = query_terms(query)

    assert {one.forms[0]: one.weight for one in terms if one.is_word} == words
    assert {one.forms[0]: one.weight for one in terms if not one.is_word} == phrases
    assert all(one.is_phrase is not one.is_word for one in terms)
    assert all(one.words() == one.forms[0].split() for one in terms)
    assert all(one.beginning is None for one in terms)


def test_a_long_query_has_the_first_phrases_and_of_a_quotation_the_first_words() -> None:
    long = " ".join(f"w{number}" for number in range(40))

    phrases = [one.forms[0] for one in query_terms(f'"{long}"') if one.is_phrase]

    assert len(phrases) == PHRASES_MAX
    assert phrases[0].split() == long.split()[:PHRASE_WORDS_MAX]
    assert phrases[1:] == [f"w{number} w{number + 1}" for number in range(PHRASES_MAX - 1)]


def test_a_word_as_it_was_asked_for_may_be_a_beginning_and_pieces_count_less() -> None:
    terms = query_terms("fooBar retrying of ab", beginnings=True)

    begun = {one.forms[0]: one.beginning for one in terms if one.is_word}
    assert begun == {"foobar": "foobar", "retri": "retrying", "ab": None}
    some = {one.forms[0]: one.weight for one in terms if not one.is_word and not one.is_phrase}
    assert some == {"foo": PIECE_WEIGHT, "bar": PIECE_WEIGHT}
    assert query_beginnings("the inks of ink ab") == {"ink": "inks"}


def test_a_piece_that_is_asked_for_itself_is_a_word_and_there_are_not_too_many() -> None:
    def asked(query: str) -> list[str]:
        terms = query_terms(query, beginnings=True)
        return [one.forms[0] for one in terms if not one.is_word and not one.is_phrase]

    assert asked("fooBar foo") == ["bar"]
    assert len(asked(" ".join(f"a{number}Bar{number}" for number in range(40)))) == PHRASES_MAX


def test_words_of_another_language_are_found_in_either_form() -> None:
    assert [one.forms for one in query_terms("die Größe der Häuser und")] == [
        *(("gross",), ("hauser", "haus"))
    ]
    assert {"hauser", "haus"} <= {*stems("die Größe der Häuser und")}


@pytest.mark.parametrize(
    ("query", "text", "part"),
    [
        ("red ink pot", "ink", 1 / 3),
        ("red ink", "inks, red", 1.0),
        ("red ink", "blue", 1 / 2),
        ("", "ink", 0.0),
    ],
)
def test_a_text_covers_the_part_of_a_query_that_it_has(query: str, text: str, part: float) -> None:
    assert coverage(query, text) == part


@pytest.mark.parametrize(
    ("query", "is_one"),
    [
        *(("fooBar", True), ("a_b", True), ("src/app.py", True), (" fooBar ", True)),
        *(("foo", False), ("foo bar", False), ("fooBar x", False), ("", False)),
    ],
)
def test_a_query_is_a_name_if_it_is_one_and_nothing_else(query: str, is_one: bool) -> None:
    assert is_name(query) is is_one


@pytest.mark.parametrize("name", ["aB" * 32, "aB" * 32 + "c"])
def test_a_name_has_pieces_up_to_the_length_of_a_word(name: str) -> None:
    assert bool(list(pieces(name))) is (len(name) <= WORD_CHARS_MAX)
