"""Texts are cut into the pieces that the model was taught with."""

import hashlib
from importlib import resources

import pytest

from hansard.embedders import wordpiece

# What the reference tokenizer of bert-base-uncased makes of these.
REFERENCE = {
    "Hello, World!": "hello , world !",
    "unaffable embeddings": "una ##ffa ##ble em ##bed ##ding ##s",
    "naïve café Ünï": "naive cafe un ##i",
    "fooBar_baz->x[3]": "foo ##bar _ ba ##z - > x [ 3 ]",
    "don't": "don ' t",
    "a\tb\r\nc\0d\u200be": "a b cd ##e",
    "x" * 101: "[UNK]",
    "$5 + 10%": "$ 5 + 10 %",
    "🙈 ok": "[UNK] ok",
    "": "",
    "“quoted” — dash…": "“ quoted ” — dash …",
}


def cut(text: str) -> str:
    names = {number: piece for piece, number in wordpiece.vocabulary().items()}
    return " ".join(names[number] for number in wordpiece.pieces(text))


@pytest.mark.parametrize("text", REFERENCE)
def test_a_text_is_cut_as_the_reference_cuts_it(text: str) -> None:
    assert cut(text) == REFERENCE[text]


def test_chinese_characters_stand_alone() -> None:
    assert cut("日本語 text") == "日 本 語 text"


def test_the_vocabulary_is_the_published_one() -> None:
    published = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    vocabulary = resources.files("hansard.embedders").joinpath("vocab.txt").read_bytes()

    assert hashlib.sha256(vocabulary).hexdigest() == published
    assert len(wordpiece.vocabulary()) == 30_522
