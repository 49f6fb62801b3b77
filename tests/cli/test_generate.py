"""Generated files are current, whole and made the same way every time."""

from pathlib import Path

import orjson
import pytest

from hansard.app.published import committed_contract
from hansard.app.settings import declarations
from hansard.app.start import catalog
from hansard.cli import generate, page_shapes
from hansard.cli.commands import COMMANDS
from hansard.kernel.blob import canonical_json, digest_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return generate.everything(catalog())


@pytest.mark.holds("004-goal-1", "004-schema-1")
def test_the_committed_files_are_what_would_be_made_now(made: dict[str, str]) -> None:
    committed = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in generate.MADE
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    committed[page_shapes.PATH] = (ROOT / page_shapes.PATH).read_text(encoding="utf-8")

    assert sorted(committed) == sorted(made)
    assert [name for name in made if committed[name] != made[name]] == [], "run `make generate`"


def test_making_them_twice_gives_the_same(made: dict[str, str]) -> None:
    assert generate.everything(catalog()) == made


def test_what_is_no_longer_made_is_taken_away(tmp_path: Path, made: dict[str, str]) -> None:
    stale = tmp_path / "schema" / "v1" / "tools" / "gone.json"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    other = tmp_path / "docs" / "tutorial.md"
    other.parent.mkdir()
    other.write_text("by hand")

    generate.write(tmp_path, made)

    assert not stale.exists()
    assert other.exists()
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in made} == made


def test_every_page_says_that_it_is_made(made: dict[str, str]) -> None:
    pages = [text for name, text in made.items() if name.startswith("docs/")]

    assert pages
    assert all("do not edit" in page for page in pages)


def test_every_tool_has_a_snapshot_and_a_place_in_the_reference(made: dict[str, str]) -> None:
    for operation in catalog():
        assert f"schema/v1/tools/{operation.name}.json" in made
        assert f"### {operation.name}\n" in made["docs/reference/tools.md"]


def test_every_setting_error_event_and_command_is_documented(made: dict[str, str]) -> None:
    for declared in declarations():
        assert f"`{declared.flag}`" in made["docs/reference/settings.md"]
        assert f"`{declared.variable}`" in made["docs/reference/settings.md"]
    for problem in generate.all_problems(catalog()):
        assert f"`{problem.code}`" in made["docs/reference/errors.md"]
    for event in catalog().kinds:
        assert f"## {event.kind}\n" in made["docs/reference/events.md"]
    for command in COMMANDS:
        assert f"## hansard {command}\n" in made["docs/reference/cli.md"]


def test_every_command_of_a_group_is_documented(made: dict[str, str]) -> None:
    page = made["docs/reference/cli.md"]

    for name in ("records show", "decisions accept", "checkpoints diff", "token create"):
        assert f"### hansard {name}\n" in page
    assert "--checkpoint-max-mib" not in page


@pytest.mark.holds("DEC-schema-1")
def test_the_contract_carries_the_hash_of_the_rest(made: dict[str, str]) -> None:
    contract = orjson.loads(committed_contract())
    stated = contract.pop("hash")

    assert stated == digest_of(canonical_json(contract))
    assert committed_contract() == made["schema/v1/hansard.json"]
    assert contract["version"] == "1.0.0"
    assert {one["name"] for one in contract["operations"]} == {one.name for one in catalog()}


def test_the_list_of_decisions_is_made_from_their_first_lines(tmp_path: Path) -> None:
    folder = (tmp_path / generate.DECISIONS).parent
    folder.mkdir(parents=True)
    (folder / "0002-later.md").write_text("# 0002 Something else\n\nWhy.\n")
    (folder / "0001-first.md").write_text("# 0001 Something\n")

    listed = generate.decisions_page(tmp_path).splitlines()[-2:]

    assert listed == ["- [0001 Something](0001-first.md)", "- [0002 Something else](0002-later.md)"]
    assert (ROOT / generate.DECISIONS).read_text() == generate.decisions_page(ROOT)


def test_a_shape_of_the_page_is_what_its_operation_answers(made: dict[str, str]) -> None:
    shapes = made[page_shapes.PATH]

    def fields(name: str) -> set[str]:
        declared = shapes.partition(f"export interface {name} {{\n")[2].partition("\n}")[0]
        return set(declared.splitlines())

    assert {"  activity: Activity[];", "  total: number;", "  nextCursor?: string;"} == fields(
        "ActivityList"
    )
    # What one of the shapes has only sometimes is named by its name, and so is what lies within.
    assert {"  what?: string;", "  point?: string;", "  files: BackStep[];"} <= fields("WentBack")
    assert "  parent: FullRecord | null;" in fields("Bundle")
    assert "  sides?: Side[];" in fields("BackStep")
    assert "  metadata: CheckpointMetadata;" in fields("CheckpointListed")
    # What is left out only if it is null, and never is, is there.
    assert "  words: string[];" in fields("Thing")
    assert "export type Span = [number, number];" in shapes
    assert 'export type Side = "mine" | "theirs" | "both";' in shapes
