"""The habits of the style guide, checked by reading the source; and the checks checked."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.tidy import checks

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hansard"

FUNCTION_LINES_P90_MAX = 20
"""Nine functions in ten are at most this long. A ratchet: it may only go down."""

FUNCTION_LINES_MAX = 45
"""No function is longer. A ratchet: it may only go down."""

FILE_LINES_MAX = 450
"""No file of the source is longer. A ratchet: it may only go down."""

TEST_FILE_LINES_MAX = 500
"""No file of tests and measurements is longer. A ratchet: it may only go down."""

FILES_MAX = {"cli": 107, "recorder": 72}
"""The rooms with most files have no more, whatever is in their folders. A ratchet: they may only
go down."""

ANSWER_BASES = {"Result", "Flagged", "Written"}
"""What answers are made from."""

CAPABILITIES = {"records", "recorder", "checkpoints", "decisions", "entities"}
"""What may be left out or replaced without the others noticing."""

PURE_FILES = {"rules.py", "ranking.py", "views.py"}
"""What decides and what derives take values; the clock and the world are their callers' affair."""


@cache
def python_files(*folders: str) -> dict[str, str]:
    """Give the text of every Python file under the folders, by its path from the root."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts
    }


def findings(check: Callable[[str], list[str]], files: dict[str, str]) -> list[str]:
    """Run a check over files and put each one's path before what was found in it."""
    return [f"{path}: {found}" for path, text in files.items() for found in check(text)]


def committed_files() -> dict[str, str]:
    """Give the text of every file that Git tracks or would, by its path."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a Git checkout")
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    texts = {}
    for path in paths:
        try:
            texts[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
    return texts


def test_there_is_source_to_read() -> None:
    assert "src/hansard/__init__.py" in python_files("src")


def test_functions_are_short() -> None:
    lengths = {
        f"{path}:{name}": lines
        for path, text in python_files("src").items()
        for name, lines in checks.function_lines(text).items()
    }

    too_long = {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES_MAX}

    assert too_long == {}
    assert checks.percentile(list(lengths.values()), 0.9) <= FUNCTION_LINES_P90_MAX


def test_files_are_short() -> None:
    ours = {path: len(text.splitlines()) for path, text in python_files("src").items()}
    tests = {p: len(text.splitlines()) for p, text in python_files("tests", "bench").items()}

    assert {path: n for path, n in ours.items() if n > FILE_LINES_MAX} == {}
    assert {path: n for path, n in tests.items() if n > TEST_FILE_LINES_MAX} == {}


def test_rooms_get_no_fuller() -> None:
    files = [Path(path) for path in python_files("src") if not path.endswith("__init__.py")]
    rooms = Counter(path.parts[2] for path in files)

    assert {room: rooms[room] for room in FILES_MAX if rooms[room] > FILES_MAX[room]} == {}


def test_a_broad_except_says_who_raises_it_again() -> None:
    assert findings(checks.unexplained_broad_excepts, python_files("src")) == []


def test_only_the_cli_prints() -> None:
    elsewhere = {
        path: text
        for path, text in python_files("src").items()
        if not path.startswith("src/hansard/cli/")
    }

    assert findings(checks.prints, elsewhere) == []


def test_every_module_opens_with_a_docstring() -> None:
    assert findings(checks.missing_docstring, python_files("src", "tests", "bench")) == []


@pytest.mark.holds("ALL-11.7")
def test_no_capability_imports_another() -> None:
    for one in CAPABILITIES:
        others = "|".join(sorted(CAPABILITIES - {one}))
        reaches = re.compile(rf"^\s*(from|import) hansard(\.| import )({others})\b", re.MULTILINE)
        found = [
            path
            for path, text in python_files("src").items()
            if path.startswith(f"src/hansard/{one}/") and reaches.search(text)
        ]
        assert found == []
        assert reaches.search(f"from hansard.{min(CAPABILITIES - {one})}.rules import x")


@pytest.mark.holds("ALL-12.7")
def test_every_target_of_make_sets_up_first_and_that_installs_the_program() -> None:
    makefile = (ROOT / "Makefile").read_text()
    rules = re.findall(r"^([a-z-]+):([^#\n=]*)", makefile, re.MULTILINE)
    needs = {target: set(needed.split()) for target, needed in rules}

    def sets_up(target: str) -> bool:
        return target in {"setup", "develop"} or any(sets_up(one) for one in needs.get(target, ()))

    assert {target for target in needs if not sets_up(target)} == {"help", "clean"}
    assert needs["setup"] == {"$(RUNS)", "$(MEANING)"}
    assert needs["develop"] == {"$(READY)"}
    assert "$(READY): $(RUNS)" in makefile
    assert (Path(sys.executable).parent / "hansard").is_file()


def test_names_say_something() -> None:
    vague = [
        f"{path}: {found}"
        for path, text in python_files("src").items()
        for found in checks.vague_names(Path(path).stem, text)
    ]

    assert vague == []


def class_names() -> Counter[str]:
    """Count by name the public classes of the source."""
    texts = python_files("src").values()
    return Counter(name for text in texts for name in checks.public_classes(text))


def test_a_name_is_borne_by_one_class() -> None:
    """Events are past participles, answers end in `Answer`: a traceback says which it was."""
    assert {name for name, count in class_names().items() if count > 1} == set()


def test_answers_end_in_answer() -> None:
    answers = checks.descendants(python_files("src").values(), ANSWER_BASES)

    assert "RecordCreatedAnswer" in answers
    assert {name for name in answers if not name.endswith("Answer")} == set()


def test_rules_rankings_and_views_are_pure() -> None:
    pure = {path: t for path, t in python_files("src").items() if Path(path).name in PURE_FILES}

    assert findings(checks.impurities, pure) == []


def test_a_slow_test_says_why_it_is_slow() -> None:
    assert findings(checks.unexplained_slow_marks, python_files("tests")) == []


def test_nothing_names_a_machine_or_a_registry() -> None:
    assert findings(checks.machine_traces, committed_files()) == []


def test_python_locks_hold_only_names_and_hashes() -> None:
    locks = {path.name: path.read_text() for path in (ROOT / "requirements").glob("*.txt")}

    kinds = {"build", "dev", "objects", "runtime", "semantic", "team"}
    assert set(locks) == {f"{kind}.txt" for kind in kinds}
    assert findings(checks.foreign_lock_lines, locks) == []


def test_the_node_lock_says_what_and_not_where() -> None:
    lock = json.loads((ROOT / "tests" / "clients" / "package-lock.json").read_text())
    installed = [entry for path, entry in lock["packages"].items() if path]

    assert installed
    assert [entry for entry in installed if "resolved" in entry or "version" not in entry] == []


# Each check must be able to fail.

BAD = [
    (checks.unexplained_broad_excepts, "try:\n    f()\nexcept Exception:\n    pass\n"),
    (checks.unexplained_broad_excepts, "try:\n    f()\nexcept:  # noqa: E722\n    pass\n"),
    (
        checks.unexplained_broad_excepts,
        "try:\n    f()\nexcept (OSError, BaseException):\n    g()\n",
    ),
    (
        checks.unexplained_broad_excepts,
        "try:\n    f()  # this is about the call\nexcept Exception:\n    g()\n",
    ),
    (checks.unexplained_broad_excepts, "with suppress(Exception):\n    f()\n"),
    (checks.prints, "def f():\n    print('x')\n"),
    (checks.missing_docstring, "import os\n"),
    (checks.impurities, "import time\n"),
    (checks.impurities, "from os.path import join\n"),
    (checks.impurities, "import datetime\nat = datetime.datetime.now(datetime.UTC)\n"),
    (checks.impurities, "text = open('x').read()\n"),
    (checks.unexplained_slow_marks, "@pytest.mark.slow\ndef test_x(): ...\n"),
    (checks.unexplained_slow_marks, "pytestmark = pytest.mark.slow()\n"),
    (checks.machine_traces, "see /" + "work/main for it"),
    (checks.machine_traces, "https://" + checks.REGISTRY_HOSTS[0] + "/simple"),
    (checks.foreign_lock_lines, "--index-url somewhere\n"),
    (checks.foreign_lock_lines, "# from http://somewhere\n"),
    (checks.foreign_lock_lines, "name @ file.whl\n"),
    (checks.foreign_lock_lines, "name==1.0\n"),
]

GOOD = [
    (checks.unexplained_broad_excepts, "try:\n    f()\nexcept OSError:\n    pass\n"),
    (checks.unexplained_broad_excepts, "try:\n    f()\nexcept Exception:\n    g()\n    raise\n"),
    (
        checks.unexplained_broad_excepts,
        "try:\n    f()\n# The waiting caller raises it again.\nexcept Exception as e:\n    g(e)\n",
    ),
    (
        checks.unexplained_broad_excepts,
        "try:\n    f()\nexcept Exception as e:  # noqa: BLE001 - result() raises it\n    g(e)\n",
    ),
    (checks.prints, "def f():\n    console.print('x')\n"),
    (checks.missing_docstring, '"""What lives here."""\n'),
    (checks.impurities, "from datetime import datetime\nat = datetime.fromisoformat(text)\n"),
    (checks.unexplained_slow_marks, "pytestmark = pytest.mark.slow('kills servers')\n"),
    (checks.machine_traces, "https://example.org/" + "work/item"),
    (checks.foreign_lock_lines, "name==1.0 \\\n    --hash=sha256:" + "a" * 64 + "\n    # via x\n"),
]


@pytest.mark.parametrize(("check", "text"), BAD)
def test_the_check_finds_what_it_looks_for(check: Callable[[str], list[str]], text: str) -> None:
    assert check(text)


@pytest.mark.parametrize(("check", "text"), GOOD)
def test_the_check_accepts_what_is_fine(check: Callable[[str], list[str]], text: str) -> None:
    assert check(text) == []


def test_the_length_of_a_function_counts_from_its_first_line_to_its_last() -> None:
    source = "@decorated\ndef f():\n    a = 1\n\n    return a\n\n\nasync def g(): ...\n"

    assert checks.function_lines(source) == {"f:2": 4, "g:8": 1}


def test_the_percentile_is_a_value_that_occurs() -> None:
    assert checks.percentile([10, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0.9) == 9
    assert checks.percentile([70], 0.9) == 70
    assert checks.percentile([], 0.9) == 0


@pytest.mark.parametrize("name", ["SessionManager", "utils", "_search_helper", "handle_call"])
def test_a_vague_name_is_found(name: str) -> None:
    assert checks.vague_names(name, "")
    assert checks.vague_names("store", f"def {name}(): ...")
    assert checks.vague_names("store", f"class {name}: ...")


def test_a_plain_name_is_accepted() -> None:
    assert checks.vague_names("store", "class Handle: ...\ndef utility(): ...\n") == []


def test_every_measurement_can_be_started() -> None:
    modules = sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("[!_]*.py"))
    program = f"import importlib\nfor name in {modules}: importlib.import_module(name)"

    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 0, ended.stderr
