"""Editing and showing a record on the command line: all of it, and nobody's text is lost."""

import re
import shlex
import sys
from pathlib import Path

import orjson
import pytest

from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.sdk import Hansard as Library
from tests.cli.running import Hansard
from tests.records.test_records_whole import EACH_SCRIPT, SCRIPTS, of_exactly


@pytest.fixture
def editor(tmp_path: Path) -> "Editor":
    return Editor(tmp_path)


class Editor:
    """Editors that do one thing to the file they are given, each in its turn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def doing(self, *steps: str) -> str:
        """Make an editor: the first time it runs the first of these lines, and so on.

        Each is Python that makes `text` of `text`.
        """
        script, count = self.folder / "editor.py", self.folder / "count"
        script.write_text(
            "import pathlib, sys\n"
            f"count = pathlib.Path({str(count)!r})\n"
            "turn = int(count.read_text()) if count.exists() else 0\n"
            "count.write_text(str(turn + 1))\n"
            "path = pathlib.Path(sys.argv[-1])\n"
            "text = path.read_bytes().decode()\n"
            f"scope = dict(text=text, run=__import__('subprocess').run)\n"
            f"exec({list(steps)!r}[turn], scope)\n"
            "path.write_bytes(scope['text'].encode())\n"
        )
        return f"{sys.executable} {script}"


def stored(hansard: Hansard, record: str = "R001") -> str:
    with Library(hansard.store) as library:
        answer = library.call("get_record_body", id=record, limit=BODY_BYTES_MAX)
        text: str = answer.model_dump()["text"]
        return text


def write(hansard: Hansard, body: str, *, record: str | None = None) -> None:
    """Write a record as another session would, new or again."""
    with Library(hansard.store) as library:
        if record is None:
            fields = {"type": "note", "title": "Long", "summary": "s"}
            library.call("create_record", body=body, **fields)
        else:
            library.call("activate", id=record, override=True)
            library.call("update_record", id=record, body=body)


def overwriting(hansard: Hansard, tmp_path: Path, body: str) -> str:
    """Give the step of an editor during which another session writes the record."""
    program = tmp_path / "other.py"
    program.write_text(
        "from hansard.sdk import Hansard\n"
        f"with Hansard({str(hansard.store)!r}) as other:\n"
        "    other.call('activate', id='R001', override=True)\n"
        f"    other.call('update_record', id='R001', body={body!r})\n"
    )
    return f"run({shlex.split(f'{sys.executable} {program}')!r}, check=True); "


@pytest.mark.holds("REC-whole-4")
@pytest.mark.parametrize("script", EACH_SCRIPT)
def test_a_body_of_the_limit_is_edited_and_shown_to_the_byte(
    hansard: Hansard, editor: Editor, script: str
) -> None:
    body = of_exactly(BODY_BYTES_MAX - 1, SCRIPTS[script])
    write(hansard, body)

    edited = hansard("records", "edit", "R001", EDITOR=editor.doing("text += 'y'"))

    assert edited.code == 0, edited.err
    assert stored(hansard).encode() == f"{body}y".encode()
    shown = orjson.loads(hansard("records", "show", "R001", "--json").out)
    assert shown["context"]["target"]["body"] == f"{body}y"


def test_a_long_record_keeps_what_its_editor_did_not_touch(
    hansard: Hansard, editor: Editor
) -> None:
    body = "".join(f"line {number}\n" for number in range(8_000))
    write(hansard, body)

    hansard("records", "edit", "R001", EDITOR=editor.doing("text += 'one more line\\n'"))

    assert stored(hansard) == f"{body}one more line\n"


def test_what_another_changed_meanwhile_is_merged_and_said(
    hansard: Hansard, editor: Editor, tmp_path: Path
) -> None:
    write(hansard, "one\ntwo\nthree\n")
    other = overwriting(hansard, tmp_path, "ONE\ntwo\nthree\n")

    edited = hansard(
        "records", "edit", "R001", EDITOR=editor.doing(f"{other}text = text.replace('th', 'TH')")
    )

    assert edited.code == 0, edited.err
    assert stored(hansard) == "ONE\ntwo\nTHree\n"
    assert "Merged" in edited.out


def test_a_clash_is_decided_in_the_editor(hansard: Hansard, editor: Editor, tmp_path: Path) -> None:
    write(hansard, "one\ntwo\nthree\n")
    other = overwriting(hansard, tmp_path, "one\ntheirs\nthree\n")
    chosen = "one\nboth\nthree\n"

    edited = hansard(
        "records",
        "edit",
        "R001",
        EDITOR=editor.doing(
            f"{other}text = text.replace('two', 'mine')",
            "assert text == 'one\\n<<<<<<< theirs\\ntheirs\\n=======\\nmine\\n>>>>>>> yours\\n"
            f"three\\n', text; text = {chosen!r}",
        ),
    )

    assert edited.code == 0, edited.err
    assert stored(hansard) == chosen
    assert "Written over" in edited.out


def test_a_third_change_during_the_decision_is_a_new_decision(
    hansard: Hansard, editor: Editor, tmp_path: Path
) -> None:
    write(hansard, "one\ntwo\nthree\n")
    second = overwriting(hansard, tmp_path, "one\ntheirs\nthree\n")
    (tmp_path / "again").mkdir()
    third = overwriting(hansard, tmp_path / "again", "one\nunseen\nthree\n")

    edited = hansard(
        "records",
        "edit",
        "R001",
        EDITOR=editor.doing(
            f"{second}text = text.replace('two', 'mine')",
            f"{third}text = 'one\\ndecided\\nthree\\n'",
            "assert 'unseen' in text, text; text = 'one\\nunseen and decided\\nthree\\n'",
        ),
    )

    assert edited.code == 0, edited.err
    assert stored(hansard) == "one\nunseen and decided\nthree\n"


def test_a_decision_that_is_not_made_keeps_the_text_in_a_file(
    hansard: Hansard, editor: Editor, tmp_path: Path
) -> None:
    write(hansard, "one\ntwo\nthree\n")
    other = overwriting(hansard, tmp_path, "one\ntheirs\nthree\n")

    edited = hansard(
        "records",
        "edit",
        "R001",
        EDITOR=editor.doing(f"{other}text = text.replace('two', 'mine')", "pass"),
    )

    assert edited.code == 1
    assert stored(hansard) == "one\ntheirs\nthree\n"
    kept = re.search(r"Your text is in (\S+)", edited.err)
    assert kept, edited.err
    assert Path(kept[1]).read_text() == "one\nmine\nthree\n"


def test_what_is_refused_stays_in_a_file(hansard: Hansard, editor: Editor) -> None:
    write(hansard, "short\n")

    edited = hansard(
        "records", "edit", "R001", EDITOR=editor.doing(f"text = 'x' * ({BODY_BYTES_MAX} + 1)")
    )

    assert edited.code == 2
    assert stored(hansard) == "short\n"
    kept = re.search(r"Your text is in (\S+)", edited.err)
    assert kept, edited.err
    assert Path(kept[1]).stat().st_size == BODY_BYTES_MAX + 1


def test_a_record_is_shown_as_a_person_reads_it(hansard: Hansard) -> None:
    write(hansard, "- a list\n- of " + "many " * 60 + "words\n---\n" + "w" * 30_000 + "\n")

    shown = hansard.on_a_terminal("records", "show", "R001").out

    assert "not activated" not in shown
    assert "\x1b[31m" not in shown
    assert shown.count("w") >= 30_000
    words = [line for line in shown.splitlines() if "many" in line]
    assert len(words) > 1
    assert all(line.rstrip().endswith(("many", "words")) for line in words)


def test_the_command_line_speaks_of_its_own_commands(hansard: Hansard) -> None:
    write(hansard, "b")

    unknown = hansard("records", "show", "R999").err
    state = hansard("records", "move-state", "R001", "RESOLVED").err
    arrow = hansard("records", "move-state", "R001", "open").err

    assert "at that point" not in unknown
    assert "hansard records search" in unknown
    assert "--resolved-by" in state
    assert "LATER" in arrow
    for said in (unknown, state, arrow):
        for tool in ("search_records", "list_records", "details.allowed", "activate"):
            assert tool not in said


def test_a_state_is_taken_in_small_letters(hansard: Hansard) -> None:
    write(hansard, "b")

    assert hansard("records", "move-state", "R001", "later", "--reason", "x").code == 0
    assert hansard("records").out.split()[:2] == ["R001", "LATER"]


def test_a_diff_without_a_point_is_of_the_last_change(hansard: Hansard) -> None:
    write(hansard, "one\n")
    write(hansard, "two\n", record="R001")

    shown = hansard("records", "diff", "R001").out

    assert "-one" in shown
    assert "+two" in shown
