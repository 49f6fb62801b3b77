"""What agents are told in a project's own files: between marks, once, and gone again."""

import pytest

from hansard.app.start import catalog
from hansard.cli.setup.document import document
from hansard.cli.setup.guides import PASSAGE, SKILL, SKILL_FILE
from hansard.cli.setup.marked_section import BEGIN, END
from hansard.cli.setup.texts import LeftAloneError
from hansard.mcp.instructions import TOOL
from tests.cli.setup.person import Person

BLOCK = f"{BEGIN}\n{PASSAGE}\n{END}\n"
TOKENS_MAX = 300


def test_each_is_short_and_names_only_tools_that_there_are() -> None:
    known = {operation.name for operation in catalog()}

    for text in (PASSAGE, SKILL):
        assert len(text) / 4 < TOKENS_MAX
        assert set(TOOL.findall(text)) - {"hansard"} <= known


@pytest.mark.parametrize("text", ["", "# Mine\n", "# Mine", "# Mine\r\n\r\nMore\r\n\r\n"])
def test_the_passage_comes_last_and_the_rest_stays(text: str) -> None:
    made = document("AGENTS.md", text).put(("hansard",), PASSAGE)

    newline = "\r\n" if "\r\n" in text else "\n"
    gap = newline * 2 if text else ""
    assert made.text == text.rstrip("\r\n") + gap + BLOCK.replace("\n", newline)
    assert made.put(("hansard",), PASSAGE).text == made.text


def test_an_older_passage_is_exchanged_where_it_stands() -> None:
    text = f"# Mine\n\n{BEGIN}\nOld words\n{END}\n\n## More\n"

    assert document("AGENTS.md", text).put(("hansard",), PASSAGE).text == (
        f"# Mine\n\n{BLOCK}\n## More\n"
    )


@pytest.mark.parametrize("text", [BEGIN, f"{BEGIN}\nx", f"{BLOCK}{BLOCK}", f"{END}\n{BEGIN}\n"])
def test_marks_that_do_not_stand_once_each_are_left_alone(text: str) -> None:
    with pytest.raises(LeftAloneError):
        document("AGENTS.md", text).put(("hansard",), PASSAGE)


def test_each_host_gets_it_in_the_file_that_it_reads(person: Person) -> None:
    person.has({"AGENTS.md": "# Ours\n"})

    person("init", "--yes", "claude-code", "codex", "cursor", "gemini-cli")
    files = person.files()

    assert files["AGENTS.md"].decode() == f"# Ours\n\n{BLOCK}"
    assert files["CLAUDE.md"].decode() == files["GEMINI.md"].decode() == BLOCK
    assert files[SKILL_FILE].decode() == SKILL
    assert "QWEN.md" not in files


def test_once_more_changes_nothing_and_uninstall_brings_back_what_was(person: Person) -> None:
    person.has({"AGENTS.md": "# Ours\n"})
    person("init", "--yes", "--no-hooks", "claude-code", "codex")
    before = person.files()

    again = person("init", "--yes", "--no-hooks", "claude-code", "codex")

    assert "Nothing was changed." in again.out
    assert person.files() == before
    person("init", "--yes", "--uninstall")
    left = person.files()
    assert set(left) == {".hansard.toml", "AGENTS.md"}
    assert left["AGENTS.md"] == b"# Ours\n"


def test_what_somebody_wrote_around_it_stays_after_an_uninstall(person: Person) -> None:
    person("init", "--yes", "--no-hooks", "codex")
    path = person.repository / "AGENTS.md"
    path.write_text(f"# Since then\n\n{path.read_text()}\n## And after\n")

    person("init", "--yes", "--uninstall")

    assert path.read_text() == "# Since then\n\n## And after\n"


def test_a_guide_that_takes_in_the_common_one_is_left_to_it(person: Person) -> None:
    person.has({"CLAUDE.md": "@AGENTS.md\n"})

    person("init", "--yes", "--no-hooks", "claude-code")

    assert (person.repository / "CLAUDE.md").read_text() == "@AGENTS.md\n"
    assert (person.repository / "AGENTS.md").read_text() == BLOCK


def test_a_guide_that_is_a_link_to_the_common_one_has_it_once(person: Person) -> None:
    person.has({"AGENTS.md": "# Ours\n"})
    (person.repository / "CLAUDE.md").symlink_to("AGENTS.md")

    person("init", "--yes", "--no-hooks", "claude-code", "codex")

    assert (person.repository / "AGENTS.md").read_text().count(BEGIN) == 1
    assert (person.repository / "CLAUDE.md").is_symlink()


def test_a_skill_that_somebody_changed_is_theirs(person: Person) -> None:
    person.has({SKILL_FILE: "---\nname: hansard\n---\nMine.\n"})
    before = person.files()[SKILL_FILE]

    person("init", "--yes", "claude-code")
    person("init", "--yes", "--uninstall")

    assert person.files()[SKILL_FILE] == before


def test_in_the_users_files_nothing_is_told(person: Person) -> None:
    person("init", "--yes", "--user", "claude-code")

    assert not [name for name in person.files(person.home) if name.endswith(".md")]
