"""Exactly which part of a text is shown, and which it is when several could be."""

import pytest

from hansard.kernel.snippet import snippet

FILL = "x " * 30


@pytest.mark.parametrize(
    ("text", "query", "chars", "shown"),
    [
        # It fits, to the last character.
        ("one ink pen", "ink", 11, "one ink pen"),
        ("one ink pens", "ink", 11, "…ink pens"),
        # What follows gets two thirds of the room that is left.
        ("aa bb cc dd ink ee ff gg hh", "ink", 15, "…dd ink ee ff…"),
        # At the end there is nothing to follow.
        ("aa bb cc dd ee ff ink", "ink", 12, "…dd ee ff ink"),
        # A word as long as all the room is shown whole.
        ("aa inkinkinkink bb", "inkinkinkink", 12, "…inkinkinkink…"),
        # A long word is cut where nothing else can be.
        ("aa abcdefghijklmnop bb", "abcdefghijklmnop", 8, "…abcdefgh…"),
        # Two different words count before the same one twice.
        (f"ink ink ink {FILL} ink pen", "ink pen", 12, "…x x ink pen"),
        # Of the same words, the first place; of more, the place with more.
        (f"ink aa {FILL} ink bb", "ink", 8, "ink aa x…"),
        (f"ink aa {FILL} ink ink", "ink", 8, "…ink ink"),
        # A word in another form counts before what only begins like it.
        (f"inkwell aa {FILL} inks bb", "ink", 9, "…x inks bb"),
        (f"aa {FILL} inkwell", "ink", 9, "…x inkwell"),
        # Of a script without spaces, characters.
        ("日本語の本はここにあります", "本は", 6, "…の本はここに…"),
        # Underscores are between words.
        (f"{FILL} foo_bar aa", "bar", 11, "…foo_bar aa"),
        # Accents and case make no difference.
        (f"{FILL} Naïve aa", "naive", 9, "…Naïve aa"),
        # A word that is out of the stretch again counts no more.
        (f"aa ink pen {FILL} wax bb", "ink pen wax", 10, "…ink pen x…"),
        (f"ink ink {FILL} pen pen pen", "ink pen", 12, "…pen pen pen"),
        # A stretch that just has room is taken whole, one that is longer by one is not.
        (f"ink aa {FILL} ink b pen {FILL}", "ink pen", 9, "…ink b pen…"),
        (f"ink aa {FILL} ink b pen {FILL}", "ink pen", 8, "ink aa x…"),
        # Nothing that is asked for is there: what is like no word is not taken for one.
        (f"unusually long words begin {FILL}", "zebra", 14, "unusually long…"),
        # Short words begin too many others.
        (f"aa {FILL} inkwell", "in", 9, "aa x x x…"),
        # A name is found by its pieces, though it begins otherwise.
        (f"aa {FILL} theInkWell aa", "ink", 12, "…theInkWell…"),
        # Also behind a letter that is longer in lower case.
        (f"\u0130 {FILL} INKS aa", "ink", 8, "…INKS aa"),
        # Without words, the beginning.
        ("aa bb cc dd", "??", 6, "aa bb…"),
    ],
)
def test_this_is_shown(text: str, query: str, chars: int, shown: str) -> None:
    assert snippet(text, query, chars=chars) == shown


def test_room_for_nothing_is_a_bug() -> None:
    assert snippet("ab", "a", chars=1) == "a…"
    with pytest.raises(AssertionError):
        snippet("ab", "a", chars=0)
