"""Whatever a caller may write is read, or refused as a problem: never anything else."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.importing import import_project
from hansard.decisions.targets import check_target, glob_of, matches, target_key
from hansard.kernel import as_of
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import InvalidInput, Problem
from hansard.mcp.messages import Malformed, parse
from hansard.mcp.resources import RESOURCES, find
from hansard.recorder.problems import PathInvalid, PathNotRegular, PathOutsideWorkspace
from hansard.recorder.rules import decoded
from hansard.recorder.workspace import paths
from hansard.sessions.project_views import PROJECTS
from hansard.sessions.views import ACTIVITY
from tests.app.kept import PROJECT, STAMP, fill, opened
from tests.hostile.nasty import CURSORS, TEXTS, TIMES, drawn, forged_cursor

many = settings(max_examples=100, deadline=None)

ANY_TEXT = st.text(st.characters(categories=["Cs", "L", "Cc"]))
"""Texts with halves of characters in them, which JSON can write and UTF-8 cannot."""

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text()
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
ODD_TEXT = st.text() | drawn([*TEXTS, *TIMES]) | st.from_regex(r"[ts]:.*")


# Cursors.


def places() -> st.SearchStrategy[str]:
    whole = st.lists(JSON, max_size=3).map(lambda two: forged_cursor(*[*two, None, "k"][:2]))
    return whole | st.text() | drawn(CURSORS)


@many
@given(places())
def test_a_cursor_is_a_place_that_any_database_can_look_for_or_refused(cursor: str) -> None:
    for table, order in ((None, None), (PROJECTS, None), (ACTIVITY, "seq")):
        with suppress(InvalidInput):
            position = from_cursor(cursor, table, order)
            assert position
            assert from_cursor(to_cursor(position), table, order) == position
            assert "\0" not in position.key
            assert not isinstance(position.value, int) or abs(position.value) < 2**63


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_list_refuses_a_cursor_that_it_cannot_have_returned(
    application: Application, cursor: str
) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        application.store.read(PROJECT, lambda _: from_cursor(cursor, ACTIVITY, "seq"))


# Points in the past.


@many
@given(ODD_TEXT | st.datetimes(timezones=st.timezones()).map(datetime.isoformat))
@example("0001-01-01T00:00:00+23:59")
@example("9999-12-31T23:59:59.999999-23:59")
@example("0001-01-01")
def test_a_point_in_the_past_is_found_or_refused(application: Application, point: str) -> None:
    def seek(resolve: Callable[[ReadTx, str], int]) -> None:
        with suppress(InvalidInput):
            assert application.store.read(PROJECT, lambda tx: resolve(tx, point)) >= 0

    seek(as_of.resolve)
    seek(as_of.resolve_since)


@many
@given(st.datetimes(), st.datetimes())
def test_times_as_text_sort_as_times_in_every_year(one: datetime, other: datetime) -> None:
    first, second = (to_text(moment.replace(tzinfo=UTC)) for moment in (one, other))

    assert (first < second) == (one < other)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", first)
    assert to_text(from_text(first)) == first


# Messages.


@many
@given(
    st.binary(max_size=300)
    | JSON.map(lambda made: json.dumps({"id": made, "method": made}).encode())
    | JSON.map(lambda made: json.dumps({"id": made, "method": made}).encode()[:-1])
    | JSON.map(lambda made: json.dumps({"jsonrpc": "2.0", "id": made, "params": made}).encode())
)
@example(rb'{"id":"\ud800","jsonrpc":"2.0"' + b"\xff")
@example(rb'{"jsonrpc":"2.0","id":"\udfff","method":')
def test_a_line_is_a_message_or_has_an_answer_that_can_be_sent(line: bytes) -> None:
    answer = b'{"error":0}'
    try:
        parse(line)
    except Malformed as malformed:
        answer = malformed.answer()
    assert "error" in json.loads(answer)


@many
@given(ODD_TEXT | ODD_TEXT.map(lambda text: f"hansard://session/{text}/evolution/{text}"))
def test_an_address_names_a_resource_or_is_refused(address: str) -> None:
    with suppress(Problem):
        find(RESOURCES, address)


# Paths and globs.

SEPARATED = st.lists(st.sampled_from([*"ab./\\:* ", "..", "é", "e\u0301", "\0", "\u202e"])).map(
    "".join
)


@many
@given(st.text() | SEPARATED)
def test_a_path_is_plain_names_or_refused(path: str) -> None:
    with suppress(PathInvalid, PathNotRegular, PathOutsideWorkspace):
        parts = paths.parse(path, "/work")
        assert parts
        assert not {"", ".", ".."} & {*parts}
        assert not any(set(part) & set("/\\\0") for part in parts)
        assert paths.parse("/".join(parts), "/work") == parts


@many
@given(st.text() | SEPARATED | st.text("[]!^-*?/a.", max_size=30), SEPARATED)
def test_a_glob_of_any_form_says_yes_or_no(glob: str, path: str) -> None:
    target = f"path:{glob}"
    target_key(target)
    with suppress(InvalidInput):
        check_target(target)
        found = glob_of(target)
        assert found
        assert matches(found, path) in {True, False}
        assert ".." not in found.split("/")


@many
@given(ODD_TEXT | st.text("AZaz09+/=é", max_size=12))
@example("é")
def test_a_content_in_base64_is_decoded_or_refused(content: str) -> None:
    with suppress(InvalidInput):
        assert isinstance(decoded(content, "base64"), bytes)


# Bundles.


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A sound bundle of a project with something of every sort in it."""
    folder = tmp_path_factory.mktemp("bundle")
    with opened(folder / "store") as app:
        fill(app, notes=1)
        export_project(app.store, PROJECT, folder / "a.bundle")
    return (folder / "a.bundle").read_bytes()


@pytest.fixture(scope="module")
def into(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Application, Path]]:
    """A store that bundles are brought to, and where they lie."""
    folder = tmp_path_factory.mktemp("into")
    with opened(folder / "store") as app:
        yield app, folder / "b.bundle"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 30), st.booleans(), st.integers(1, 255))
@example(somewhere=5, cut=False, change=1)
def test_a_bundle_with_a_byte_changed_or_cut_is_refused_and_nothing_is_taken_in(
    bundle: bytes, into: tuple[Application, Path], somewhere: int, cut: bool, change: int
) -> None:
    app, path = into
    place = somewhere % len(bundle)
    other = bundle[place] ^ change
    changed = bundle[:place] + (b"" if cut else bytes([other]) + bundle[place + 1 :])
    assume(_unpacked(changed) != _unpacked(bundle))
    path.write_bytes(changed)
    before = app.store.engine.heads()

    with pytest.raises(Problem):
        import_project(app.store, path, STAMP)

    assert app.store.engine.heads() == before


def _unpacked(bundle: bytes) -> bytes | None:
    """Give what a bundle packs: a byte of the packing may change and leave it the same."""
    try:
        return zstandard.ZstdDecompressor().decompress(bundle, max_output_size=1 << 26)
    except zstandard.ZstdError:
        return None


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200) | JSON.map(repr).map(str.encode))
def test_a_file_that_is_no_bundle_is_refused(
    into: tuple[Application, Path], content: bytes
) -> None:
    app, path = into
    path.write_bytes(content)

    with pytest.raises(Problem):
        import_project(app.store, path, STAMP)
