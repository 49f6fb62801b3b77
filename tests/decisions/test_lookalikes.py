"""What a reader cannot tell apart is one target; what one can tell apart stays two."""

from itertools import groupby

import pytest

from hansard.decisions.lookalikes import ALONE
from hansard.decisions.targets import target_key


@pytest.mark.holds("DEC-record-5")
@pytest.mark.parametrize(
    "other",
    [
        "Data Store",
        "  data\t store ",
        "data\u00a0store",
        "data\u2028store",
        "ｄata store",
        "𝐝𝐚𝐭𝐚 𝓈𝓉ℴ𝓇ℯ",
        "dаta store",  # Cyrillic а
        "dаtа ѕtоrе",  # Cyrillic а, ѕ, о, е
        "DАTА STОRЕ",  # Cyrillic capitals
        "dαta stοre",  # Greek alpha, omicron
        "data ѕтοгe".replace("г", "r").replace("т", "t"),
        "da\u200bta\u00ad sto\ufe0fre",
        "data\u2060 \u202estore",
    ],
)
def test_a_target_that_looks_the_same_is_the_same(other: str) -> None:
    assert target_key(other) == target_key("data store")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v0", "vo"),
        ("db1", "dbl"),
        ("data-store", "data store"),
        ("data_store", "data-store"),
        ("resume", "résumé"),
        ("latency ms", "latency µs"),
        ("кот", "код"),
        ("path:src/a.py", "path:src/ａ.py"),  # two files
        ("path:src/a.py", "path:src/A.py"),
    ],
)
def test_a_target_that_looks_different_is_another(one: str, other: str) -> None:
    assert target_key(one) != target_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("база данных", "БАЗА ДАННЫХ"),
        ("δεδομένα", "ΔΕΔΟΜΈΝΑ"),
        ("СОР", "cop"),  # all of it Cyrillic
        ("a–b", "a-b"),
        ("ｐａｔｈ:src/a.py", "path:src/a.py"),
    ],
)
def test_case_and_script_make_no_difference_to_what_looks_alike(one: str, other: str) -> None:
    assert target_key(one) == target_key(other)


def test_no_two_letters_of_one_script_become_the_same() -> None:
    def script(letter: int) -> str:
        return "greek" if 0x370 <= letter < 0x400 else "cyrillic"

    for _, letters in groupby(sorted(ALONE, key=script), key=script):
        shapes = [ALONE[letter] for letter in letters]
        assert len(shapes) == len(set(shapes))
