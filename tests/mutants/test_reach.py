"""What was noted of a test stays true while its file does, wherever lines of the source move."""

import json
from pathlib import Path

import coverage
import pytest

from tests.mutants import reach
from tests.mutants.reach import ON_IMPORT, Noted, Reach, moved

FILE = reach.SOURCE / "kernel" / "transcript.py"
LINE = next(
    number
    for number, line in enumerate(FILE.read_text().splitlines(), start=1)
    if "return ()" in line
)
TEST = "tests/kernel/test_transcript.py"


def note(folder: Path, tests: dict[str, list[int]], *, before: str = "", failed: str = "") -> Noted:
    """Note which lines each test reaches, of a source that then began with something else."""
    place = Noted.begin(folder)
    then = place / Noted.SOURCE / FILE.relative_to(reach.SOURCE)
    then.write_text(before + FILE.read_text())
    data = coverage.CoverageData(str(place / "of-1"))
    for test, lines in tests.items():
        data.set_context(test)
        data.add_lines({str(FILE): lines})
    data.write()
    (place / "ran-of-1").write_text("\n".join(f"0.5 {test}" for test in tests if test))
    (place / "failed-of-1").write_text(failed)
    files = {test.partition("::")[0] for test in tests if test}
    (place / Noted.TESTS).write_text(json.dumps(dict.fromkeys(files, "digest")))
    return Noted(place)


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("a\nb\nc", "a\nb\nc", {1: (1,), 2: (2,), 3: (3,)}),
        ("a\nb", "new\na\nb", {1: (1, 2), 2: (3,)}),
        ("a\nb", "a\nnew\nb", {1: (1, 2), 2: (2, 3)}),
        ("a\nb", "a\nb\nnew", {1: (1,), 2: (2, 3)}),
        ("a\nb\nc", "a\nc", {1: (1,), 3: (2,)}),
        ("a\nb\nc", "a\nx\ny\nc", {1: (1,), 2: (2, 3), 3: (4,)}),
    ],
)
def test_a_line_is_found_where_it_is_now(
    before: str, after: str, places: dict[int, tuple[int, ...]]
) -> None:
    found = {line: tuple(sorted(now)) for line, now in moved(before, after).items() if now}
    assert {line: found[line] for line in places} == places


def test_a_test_is_known_by_the_lines_that_it_reached_though_they_have_moved(
    tmp_path: Path,
) -> None:
    note(tmp_path, {f"{TEST}::test_one": [LINE + 2]}, before="# one\n# two\n")

    known = Reach(tmp_path)

    assert known.tests_of(FILE, LINE) == [f"{TEST}::test_one"]
    assert known.took_s(f"{TEST}::test_one") == 0.5


def test_tests_of_its_own_name_are_asked_wherever_they_reach_a_file(tmp_path: Path) -> None:
    broad = "tests/kernel/test_blob.py::test_broad"
    note(tmp_path, {f"{TEST}::test_one": [LINE + 1], broad: [LINE], f"{TEST}::test_two": [LINE]})

    known = Reach(tmp_path)

    assert known.tests_of(FILE, LINE) == [f"{TEST}::test_two", f"{TEST}::test_one", broad]
    assert known.tests_of(FILE, LINE - 3) == []


def test_of_a_file_that_was_noted_again_only_that_counts(tmp_path: Path) -> None:
    other = "tests/kernel/test_blob.py::test_other"
    note(tmp_path, {f"{TEST}::test_gone": [LINE], other: [LINE]})
    note(tmp_path, {f"{TEST}::test_new": [LINE]})

    assert Reach(tmp_path).tests_of(FILE, LINE) == [f"{TEST}::test_new", other]


def test_of_a_test_file_that_is_gone_nothing_counts(tmp_path: Path) -> None:
    note(tmp_path, {"tests/kernel/test_gone.py::test_one": [LINE], f"{TEST}::test_two": [LINE]})

    assert Reach(tmp_path).tests_of(FILE, LINE) == [f"{TEST}::test_two"]


def test_a_file_that_was_renamed_is_known_by_what_it_says(tmp_path: Path) -> None:
    noted = note(tmp_path, {f"{TEST}::test_one": [LINE]})
    then = noted.folder / Noted.SOURCE / FILE.relative_to(reach.SOURCE)
    then.rename(then.with_name("former.py"))
    data = coverage.CoverageData(str(noted.folder / "of-2"))
    data.set_context(f"{TEST}::test_one")
    data.add_lines({str(FILE.with_name("former.py")): [LINE]})
    data.write()
    (noted.folder / "of-1").unlink()

    assert Reach(tmp_path).tests_of(FILE, LINE) == [f"{TEST}::test_one"]


def test_what_failed_or_was_broken_off_judges_nothing(tmp_path: Path) -> None:
    note(tmp_path, {f"{TEST}::test_one": [LINE]}, failed=f"{TEST}::test_one\n")
    (note(tmp_path, {f"{TEST}::test_two": [LINE]}).folder / Noted.TESTS).unlink()

    assert Reach(tmp_path).tests_of(FILE, LINE) == []


@pytest.mark.parametrize("by", [ON_IMPORT, f"{TEST}::test_one"])
def test_what_is_reached_before_any_test_is_done_on_import(tmp_path: Path, by: str) -> None:
    note(tmp_path, {by: [LINE], f"{TEST}::test_two": [LINE]})

    known = Reach(tmp_path)

    assert known.is_done_on_import(FILE, LINE) is (by == ON_IMPORT)
    assert ON_IMPORT not in known.tests_of(FILE, LINE)


def test_a_test_file_is_another_once_it_says_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "ROOT", tmp_path)
    file = tmp_path / "tests" / "kernel" / "test_some.py"
    file.parent.mkdir(parents=True)
    file.write_text("from here import one\none()")
    (file.parent / "helper.py").touch()

    first = reach.digests_of(["kernel"])
    file.write_text("from there import one\n\none()  # as before")
    assert reach.digests_of(["kernel"]) == first
    file.write_text("from there import one\none(2)")

    assert [*first] == ["tests/kernel/test_some.py"]
    assert reach.digests_of(["kernel"]) != first


def test_what_was_noted_in_another_copy_of_the_repository_counts(tmp_path: Path) -> None:
    noted = note(tmp_path, {f"{TEST}::test_one": []})
    data = coverage.CoverageData(str(noted.folder / "of-2"))
    data.set_context(f"{TEST}::test_one")
    data.add_lines({f"/elsewhere/src/hansard/{FILE.relative_to(reach.SOURCE)}": [LINE]})
    data.write()

    assert Reach(tmp_path).tests_of(FILE, LINE) == [f"{TEST}::test_one"]


def test_of_what_is_declared_those_tests_are_asked_that_compare_all_of_it(tmp_path: Path) -> None:
    broad = "tests/kernel/test_blob.py::test_broad"
    declared = "tests/app/test_catalog_file.py::test_what_is_written_down_is_what_there_is"
    note(tmp_path, {broad: [LINE], declared: [], f"{TEST}::test_one": [LINE]})

    known = Reach(tmp_path)

    assert known.tests_of(FILE, 1) == [f"{TEST}::test_one", declared, broad]
    assert known.tests_of(FILE, LINE) == [f"{TEST}::test_one", broad]


@pytest.mark.parametrize(
    ("test", "is_own"),
    [
        ("tests/sqlite/test_files.py", True),
        ("tests/sqlite/test_large_files.py", True),
        ("tests/engines/test_files.py", True),
        ("tests/engines/test_sqlite_files.py", True),
        ("tests/engines/test_large_files.py", False),
        ("tests/engines/test_postgres_files.py", False),
    ],
)
def test_the_tests_of_a_file_are_called_as_it_is_or_as_its_folder_too(
    test: str, *, is_own: bool
) -> None:
    own = reach.own_tests(reach.SOURCE / "engines" / "sqlite" / "files.py")

    assert bool(own.search(f"{test}::test_one")) is is_own


def test_a_file_may_be_named_among_the_folders() -> None:
    assert [*reach.digests_of(["kernel/test_transcript.py"])] == [TEST]
