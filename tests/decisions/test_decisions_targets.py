"""Targets: which are the same, and which files a glob names. Pure."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hansard.decisions.targets import anchor, anchors_of, glob_of, matches, target_key

NAMED = [
    ("src/db.py", "src/db.py"),
    ("/src/db.py", "src/db.py"),
    ("./src//db.py", "src/db.py"),
    ("src/", "src/a.py"),
    ("src/", "src/a/b/c.py"),
    ("src/**", "src/.hidden"),
    ("/", "a.py"),
    ("**", "a/b/c"),
    ("*.py", "a.py"),
    ("src/*.py", "src/.py"),
    ("src/**/*.py", "src/a.py"),
    ("src/**/*.py", "src/a/b/c.py"),
    ("**/test_*.py", "test_a.py"),
    ("**/test_*.py", "a/b/test_.py"),
    ("**/a/**/b", "x/a/y/z/b"),
    ("a?c", "abc"),
    ("[a-c]x", "bx"),
    ("[!a-c]x", "dx"),
    ("[^a]x", "bx"),
    ("[]]x", "]x"),
    ("[a-]x", "-x"),
    ("[*]", "*"),
    ("a[b", "a[b"),
    ("a**b", "axyb"),
    ("***", "anything"),
    ("cafe\u0301", "caf\u00e9"),
]

NOT_NAMED = [
    ("src/db.py", "src/db.pyc"),
    ("src/db.py", "a/src/db.py"),
    ("src", "src/a.py"),
    ("src/", "src"),
    ("src/", "srcs/a.py"),
    ("src/**", "src"),
    ("*.py", "src/a.py"),
    ("src/*.py", "src/a/b.py"),
    ("a?c", "a/c"),
    ("a[!b]c", "a/c"),
    ("a[/]c", "a/c"),
    ("[a-c]x", "dx"),
    ("[!a-c]x", "bx"),
    ("Src/", "src/a.py"),
    ("***", "a/b"),
    ("**/a", "b"),
]


def names(glob: str, path: str) -> bool:
    found = glob_of(f"path:{glob}")
    assert found is not None
    return matches(found, path)


@pytest.mark.parametrize(("glob", "path"), NAMED)
def test_a_glob_names_this_file(glob: str, path: str) -> None:
    assert names(glob, path)


@pytest.mark.parametrize(("glob", "path"), NOT_NAMED)
def test_a_glob_does_not_name_this_file(glob: str, path: str) -> None:
    assert not names(glob, path)


pieces = st.sampled_from(["a", "b", "*", "**", "?", "[ab]", "[!a]", "a*", "*b", "a*b*"])
globs = st.lists(pieces, min_size=1, max_size=5).map("/".join)
paths = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5).map("/".join)


def as_regex(glob: str) -> re.Pattern[str]:
    """Say the same rule another way, for short globs and without `**` within a name."""
    parts = glob.split("/")
    written = ""
    for place, part in enumerate(parts):
        is_last = place == len(parts) - 1
        if part == "**":
            written += "(?:[^/]+/)*[^/]+" if is_last else "(?:[^/]+/)*"
            continue
        name = part.replace("[!", "[^").replace("?", "[^/]").replace("*", "[^/]*")
        written += name + ("" if is_last else "/")
    return re.compile(written)


@given(globs, paths)
@example("**/**/a", "a")
@example("a/**/**", "a/b")
def test_globs_mean_what_a_regular_expression_says(glob: str, path: str) -> None:
    assert matches(glob, path) == bool(as_regex(glob).fullmatch(path))


@given(globs, paths)
def test_a_glob_that_names_a_file_has_one_of_its_anchors(glob: str, path: str) -> None:
    if matches(glob, path):
        assert anchor(glob) in anchors_of(path)


def test_an_anchor_is_the_folder_before_the_first_wildcard() -> None:
    assert [anchor(glob) for glob in ("**", "*.py", "a/b.py", "a/b/*", "a/*/b", "a/**")] == [
        "",
        "",
        "a/b.py",
        "a/b/",
        "a/",
        "a/",
    ]
    assert anchors_of("a/b.py") == ["", "a/", "a/b.py"]


def test_a_hostile_glob_takes_no_longer_than_a_plain_one() -> None:
    # Were every wildcard tried again for every other one, this would never end.
    name, glob = "a" * 250, "*a" * 120 + "b"

    assert not matches(f"{'**/' * 60}{glob}", f"{'a/' * 60}{name}")


@pytest.mark.parametrize(
    ("one", "other"),
    [("db", "DB"), (" the  db\n", "the db"), ("caf\u00e9", "cafe\u0301"), ("path:a/", "path:a/**")],
)
def test_targets_that_mean_the_same_are_the_same(one: str, other: str) -> None:
    assert target_key(one) == target_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("db", "d b"), ("path:A", "path:a"), ("path:a", "a"), ("db", "db2")]
)
def test_targets_that_do_not_are_not(one: str, other: str) -> None:
    assert target_key(one) != target_key(other)


@given(st.text(min_size=1))
def test_any_text_has_a_key(text: str) -> None:
    assert target_key(text) == target_key(f" {text}\t")
