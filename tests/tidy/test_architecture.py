"""ARCHITECTURE.md says what is true: its folders are there, and point where the contracts say."""

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hansard"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
LINTER: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][
    "importlinter"
]
PLACES = (ROOT, SOURCE, SOURCE / "app", SOURCE / "entities" / "types", ROOT / "tests")


def listed() -> dict[str, str]:
    """Give what the page says of each folder of the source, or of several in one line."""
    [block] = re.findall(r"^src/hansard/\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    inside = re.findall(r"^  (\S.*(?:\n {5,}\S.*)*)", block, re.MULTILINE)
    found: dict[str, str] = {}
    for line in inside:
        names = re.match(r"(?:\w+/\s+)+", line)
        assert names, line
        found |= dict.fromkeys(re.findall(r"(\w+)/", names[0]), line[names.end() :])
    return found


def layers(contract: str) -> list[set[str]]:
    """Give the layers that the import contracts name, highest first."""
    [found] = [one for one in LINTER["contracts"] if one["id"] == contract]
    assert found["exhaustive"], "a folder that is placed nowhere would go unnoticed"
    names = [set(re.findall(r"\w+", layer)) for layer in found["layers"]]
    return [layer for layer in names if layer != {"__main__"}]


def test_the_folders_that_are_listed_are_those_that_are_there() -> None:
    there = {path.parent.name for path in SOURCE.glob("*/*.py")}

    assert listed().keys() == there


def test_the_folders_within_a_folder_that_are_named_are_there() -> None:
    named = {
        (folder, inner)
        for folder, said in listed().items()
        for inner in re.findall(r"(?<![\w/])(\w+)/(?!\w)", said)
    }

    assert ("recorder", "workspace") in named
    assert {one for one in named if not _is_inside(*one)} == set()


def _is_inside(folder: str, inner: str) -> bool:
    return (SOURCE / folder / inner).is_dir() or (ROOT / inner).is_dir()


def test_dependencies_point_as_the_import_contracts_say() -> None:
    [said] = re.findall(r"^Dependencies point down: (.*?)\.\s", TEXT, re.MULTILINE | re.DOTALL)

    assert [set(re.findall(r"\w+", layer)) for layer in said.split(">")] == layers("layers")


def test_the_files_that_are_named_are_there() -> None:
    named = re.findall(r"`((?:[\w-]+/)+(?:[\w-]+\.\w+)?)`", TEXT)

    assert "kernel/engine.py" in named
    assert [one for one in named if not any((place / one).exists() for place in PLACES)] == []


def test_the_decisions_that_are_named_are_there() -> None:
    numbers = re.findall(r"ADR\s+(\d{4})", TEXT)

    assert numbers
    for number in numbers:
        assert [*(ROOT / "docs" / "decisions").glob(f"{number}-*.md")], number
