"""`hansard checkpoints`: list, show, diff, export, import, prune."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.store import CATALOG
from hansard.sdk import Hansard as Library
from tests.cli.running import Hansard, Ran
from tests.conftest import a_caller
from tests.launcher.programs import run

FORGED = b"""{"context": {"a": 2}, "contextHash": "0", "checkpointId": "C1", "createdAt": "",\
 "metadata": {}}
"""

CONTEXTS: list[dict[str, Any]] = [
    {"goal": "ship it", "plan": {"step": 1}, "list": [1, 2]},
    {"goal": "ship it", "plan": {"step": 1.0}, "list": [1, 2, 3], "new": None},
    {"plan": {"step": 3}, "note": "\x1b[2J\u202e"},
]


@pytest.fixture
def saved(hansard: Hansard) -> Hansard:
    """The command on a store whose session w has three checkpoints, and v has one."""
    with Library(hansard.store) as library:
        for number, context in enumerate(CONTEXTS):
            metadata = {"name": f"step {number}", "tags": ["t"] if number else [], "mine": number}
            library.checkpoints.save_checkpoint("w", context, metadata)
        library.checkpoints.mark_critical("w", "plan")
        library.checkpoints.save_checkpoint("v", {"a": 1})
    return hansard


def ask(hansard: Hansard, *arguments: str) -> Ran:
    """Run the command, which must succeed."""
    ran = hansard("checkpoints", *arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran


def heads(hansard: Hansard) -> dict[str, int]:
    with Library(hansard.store) as library:
        found = library.application.store.engine.heads()
    return {project: head.seq for project, head in found.items() if project != CATALOG}


def test_sessions_are_listed_and_then_their_checkpoints(saved: Hansard) -> None:
    sessions = ask(saved, "list").out.splitlines()
    listed = ask(saved, "list", "w").out.splitlines()

    assert [line.split()[0] for line in sessions] == ["v", "w"]
    assert [line.split()[0] for line in listed] == ["C003", "C002", "C001"]
    assert "“step 1” #t" in listed[1]
    assert ask(saved, "list", "--session", "w").out.splitlines() == listed
    assert len(ask(saved, "list", "w", "--tag", "t").out.splitlines()) == 2
    assert len(ask(saved, "list", "w", "--query", "STEP 2").out.splitlines()) == 1
    as_json = [json.loads(line) for line in ask(saved, "list", "w", "--json").out.splitlines()]
    assert [one["checkpointId"] for one in as_json] == ["C003", "C002", "C001"]
    assert {one["session"] for one in _lines(ask(saved, "list", "--json"))} == {"v", "w"}


def test_sessions_are_named_by_their_titles_and_none_is_said(filled: Hansard) -> None:
    assert ask(filled).out.startswith("No checkpoints yet.")
    with Library(filled.store) as library:
        library.call("record_session_start", session_id="w", title="Ship it")
        library.checkpoints.save_checkpoint("w", {"a": 1})

    assert ask(filled).out.split(maxsplit=4)[:2] == ["w", "C001"]
    assert ask(filled).out.endswith("Ship it\n")


def test_a_checkpoint_is_shown_whole_or_as_a_model_would_see_it(saved: Hansard) -> None:
    shown = ask(saved, "show", "C001").out

    assert json.loads(shown[shown.index("\n{") :]) == CONTEXTS[0]
    assert "step 0" in shown
    latest = json.loads(ask(saved, "show", "w", "--json").out)
    assert (latest["checkpointId"], latest["context"]) == ("C003", CONTEXTS[2])
    picked = json.loads(ask(saved, "show", "C001", "--json", "--key", "goal").out)
    assert picked["context"] == {"goal": "ship it"}
    assert json.loads(ask(saved, "show", "C001", "--json", "--budget", "10").out)["context"]


def test_looking_leaves_no_trace(saved: Hansard) -> None:
    before = heads(saved)

    for arguments in (["list"], ["list", "w"], ["show", "C001"], ["diff", "C001"], ["export", "w"]):
        saved("checkpoints", *arguments)
    ask(saved, "prune", "w", "--keep", "1", "--dry-run")

    assert heads(saved) == before


def test_a_diff_names_each_place(saved: Hansard) -> None:
    assert ask(saved, "diff", "C001", "C002").out.splitlines() == [
        "+ /list/2: 3",
        "+ /new: null",
        "~ /plan/step: 1 → 1.0",
        "3 differences, C001 → C002",
    ]
    latest = json.loads(ask(saved, "diff", "C001", "--json").out)
    assert (latest["from"], latest["to"]) == ("C001", "C003")


def test_a_diff_is_coloured_where_colours_can_be_seen(saved: Hansard) -> None:
    shown = saved.on_a_terminal("checkpoints", "diff", "C001", "C003")

    assert shown.code == 0
    assert "\x1b[32m+ /note" in shown.out
    assert "\x1b[31m- /goal" in shown.out
    assert "\x1b[33m~ /plan/step" in shown.out
    assert "\x1b[2J" not in shown.out
    assert "\x1b[" not in ask(saved, "diff", "C001", "C003").out


def test_what_is_exported_is_imported_elsewhere_exactly(saved: Hansard, tmp_path: Path) -> None:
    file = tmp_path / "w.jsonl"
    ask(saved, "export", "w", "--output", str(file))
    elsewhere = Hansard(tmp_path / "elsewhere")

    dry = ask(elsewhere, "import", str(file), "--dry-run")
    assert "3 checkpoints would be imported" in dry.out
    assert not elsewhere.store.exists()
    assert ask(elsewhere, "import", str(file)).out.startswith("3 checkpoints imported")
    before = heads(elsewhere)
    again = ask(elsewhere, "import", str(file)).out
    assert again.startswith("0 checkpoints imported into session w, 3 were there already")
    assert heads(elsewhere) == before

    with Library(elsewhere.store) as library:
        listed = library.checkpoints.list_checkpoints("w")
        assert len(listed) == 3
        for one, context in zip(listed[::-1], CONTEXTS, strict=True):
            loaded = library.checkpoints.load_checkpoint(one.checkpointId)
            assert repr(loaded.context) == repr(dict(sorted(context.items())))
            assert loaded.metadata["extra"]["imported"]["checkpointId"].startswith("C00")
        assert listed[0].metadata["name"] == "step 2"
        assert listed[0].metadata["extra"]["mine"] == 2
        assert library.checkpoints.load_checkpoint(session_id="w", budget_tokens=1).context["plan"]


def test_an_import_into_where_it_came_from_doubles_nothing(saved: Hansard, tmp_path: Path) -> None:
    file = tmp_path / "w.jsonl"
    ask(saved, "export", "w", "--output", str(file))
    before = heads(saved)

    assert "0 checkpoints imported" in ask(saved, "import", str(file)).out

    assert heads(saved) == before
    assert ask(saved, "export", "w").out.encode() == file.read_bytes()


def test_what_came_back_from_another_store_is_not_doubled_either(
    saved: Hansard, tmp_path: Path
) -> None:
    there, back = tmp_path / "there.jsonl", tmp_path / "back.jsonl"
    ask(saved, "export", "w", "--output", str(there))
    elsewhere = Hansard(tmp_path / "elsewhere")
    ask(elsewhere, "import", str(there))
    with Library(elsewhere.store) as library:
        library.checkpoints.save_checkpoint("w", {"went": "on"}, {"sessionTags": ["carried"]})
    ask(elsewhere, "export", "w", "--output", str(back))

    done = ask(saved, "import", str(back)).out

    assert done.startswith("1 checkpoints imported into session w, 3 were there already")
    assert len(ask(saved, "list", "w").out.splitlines()) == 4
    with Library(saved.store) as library:
        listed = library.call("workflow_checkpoint_list", sessionId="w").model_dump()
        assert listed["session"]["ownTags"] == ["carried"]


def test_a_mark_is_carried_though_the_last_context_has_not_its_key(
    saved: Hansard, tmp_path: Path
) -> None:
    ask(saved, "mark", "w", "note")
    with Library(saved.store) as library:
        library.checkpoints.save_checkpoint("w", {"other": 1})
    file = tmp_path / "w.jsonl"
    ask(saved, "export", "w", "--output", str(file))
    elsewhere = Hansard(tmp_path / "elsewhere")

    ask(elsewhere, "import", str(file))

    assert ask(elsewhere, "mark", "w").out.splitlines() == ["note", "plan"]


def test_keys_are_marked_listed_and_unmarked(saved: Hansard) -> None:
    assert ask(saved, "mark", "w").out.splitlines() == ["plan"]
    assert "critical" in ask(saved, "mark", "w", "note").out
    assert ask(saved, "mark", "w").out.splitlines() == ["note", "plan"]
    ask(saved, "mark", "w", "plan", "--remove")
    assert ask(saved, "mark", "w").out.splitlines() == ["note"]

    missing = saved("checkpoints", "mark", "w", "nothing")

    assert missing.code == 1
    assert "It has: note, plan" in missing.out


def test_the_newest_is_shown_where_none_is_named(saved: Hansard) -> None:
    assert json.loads(ask(saved, "show", "--json").out)["sessionId"] == "v"


def test_a_long_diff_is_shown_whole(hansard: Hansard) -> None:
    with Library(hansard.store) as library:
        for text in ("a", "b"):
            context = {str(number): text * 5_000 for number in range(1_000)}
            library.checkpoints.save_checkpoint("w", context)

    shown = ask(hansard, "diff", "C001").out.splitlines()

    assert len(shown) == 1_001
    assert shown[-1].startswith("1,000 differences")


def test_an_import_goes_into_another_session_and_through_pipes(saved: Hansard) -> None:
    exported = ask(saved, "export", "w").out

    done = run(
        saved.command("checkpoints", "import", "-", "--session", "copy"),
        env=saved.environment,
        input=exported.encode(),
        capture_output=True,
        check=True,
    )

    assert b"3 checkpoints imported into session copy" in done.stdout
    assert len(ask(saved, "list", "copy").out.splitlines()) == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "line 1"),
        (b'{"format":"another"}\n', "line 1"),
        (b"{}\n", "line 1"),
        (b"HEAD{not json}\n", "line 2"),
        (b"HEAD[]\n", "line 2"),
        (b"HEAD{}\n", "line 2"),
        (b"HEAD" + FORGED, "hash"),
    ],
)
def test_what_is_no_export_is_refused_by_line(
    saved: Hansard, tmp_path: Path, line: bytes, says: str
) -> None:
    head = b'{"format":"hansard-checkpoints-1","session":"w","marks":[]}\n'
    file = tmp_path / "broken.jsonl"
    file.write_bytes(line.replace(b"HEAD", head))
    before = heads(saved)

    ran = saved("checkpoints", "import", str(file))

    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert heads(saved) == before


def test_pruning_keeps_the_newest_and_those_with_a_marked_key(hansard: Hansard) -> None:
    with Library(hansard.store) as library:
        for number in range(10):
            context = {"n": number} | ({"goal": "ship it"} if number == 4 else {})
            library.checkpoints.save_checkpoint("w", context)
            if number == 4:
                library.checkpoints.mark_critical("w", "goal")

    would = json.loads(ask(hansard, "prune", "w", "--keep", "3", "--dry-run", "--json").out)
    assert len(ask(hansard, "list", "w").out.splitlines()) == 10
    did = ask(hansard, "prune", "w", "--keep", "3")

    assert would["kept_for_marks"] == ["C005"]
    assert len(would["deleted"]) == 6
    assert did.out == "6 deleted, 1 older ones kept for a marked key\n"
    left = [line.split()[0] for line in ask(hansard, "list", "w").out.splitlines()]
    assert left == ["C010", "C009", "C008", "C005"]
    assert ask(hansard, "prune", "w", "--keep", "3").out.startswith("0 deleted")


def test_progress_is_told_on_a_terminal(hansard: Hansard) -> None:
    with Library(hansard.store) as library:
        for number in range(4):
            library.checkpoints.save_checkpoint("w", {"n": number})

    shown = hansard.on_a_terminal("checkpoints", "prune", "w", "--keep", "1")

    assert shown.code == 0
    assert "1 of 3 deleted" in shown.out
    assert "3 deleted, 0 older ones kept" in shown.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["list", "nobody"], 1),
        (["show", "C999"], 1),
        (["diff", "C999"], 1),
        (["export"], 2),
        (["prune", "w"], 2),
        (["prune", "w", "--keep", "0"], 2),
        (["import", "no such file"], 2),
        (["export", "w", "--output", "/dev/null/file"], 2),
        (["nothing"], 2),
    ],
)
def test_what_cannot_be_done_is_said(saved: Hansard, arguments: list[str], code: int) -> None:
    ran = saved("checkpoints", *arguments)

    assert (ran.code, ran.out) == (code, "")
    assert ran.err


def test_settings_may_stand_before_the_group(saved: Hansard) -> None:
    ran = saved("--store", str(saved.store), "checkpoints", "list", "w", HANSARD_STORE="elsewhere")

    assert (ran.code, len(ran.out.splitlines())) == (0, 3)


def test_the_group_says_what_it_can_do(hansard: Hansard) -> None:
    ran = hansard("checkpoints", "--help")

    assert ran.code == 0
    for command in ("list", "show", "diff", "export", "import", "prune"):
        assert command in ran.out


def _lines(ran: Ran) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in ran.out.splitlines())


def test_a_checkpoint_is_shown_with_what_a_person_asks(hansard: Hansard) -> None:
    app = start(Settings(store=str(hansard.store)))
    named = {"context": {"n": 1}, "metadata": {"name": "half-way"}}
    app.call("workflow_checkpoint_save", named, a_caller())
    app.close()

    shown, for_programs = (
        hansard("checkpoints", "show", "half"),
        hansard("checkpoints", "show", "--json"),
    )

    assert "half-way, saved " in shown.out
    assert "contextHash" not in shown.out
    assert "contextHash" in for_programs.out
