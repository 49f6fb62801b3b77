"""`hansard status`, and `hansard` alone: where were we?"""

import json

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.cli.project_status import lines
from hansard.records.answers import OverviewAnswer
from tests.cli.running import Hansard, write_sessions
from tests.conftest import a_caller

DECISION = {"title": "Use queues", "target": "queue", "rationale": "They survive restarts"}


def worked(hansard: Hansard) -> None:
    """Leave what a session leaves that has ended."""
    app = start(Settings(store=str(hansard.store)))
    caller = a_caller()
    try:
        asked = (
            ("record_session_start", {"title": "Fix the parser"}),
            ("create_record", {"type": "task", "title": "Why slow?", "body": "", "summary": ""}),
            ("record_decision", DECISION),
            ("propose_decision", DECISION | {"title": "Use one", "target": "queues"}),
            ("workflow_checkpoint_save", {"context": {"a": 1}, "metadata": {"name": "half"}}),
            ("close_session", {"summary": "The fix is next"}),
        )
        for name, arguments in asked:
            app.call(name, arguments, caller)
    finally:
        app.close()


def test_status_says_where_we_were_what_holds_and_what_waits(hansard: Hansard) -> None:
    worked(hansard)

    ran = hansard("status")

    assert (ran.code, ran.err) == (0, "")
    for said in ("Fix the parser", "The fix is next", "Wrote R001 Why slow?"):
        assert said in ran.out
    waits, holds = ran.out.split("Waits for you")[1].split("Holds")
    assert "P001" in waits
    assert "D001" in holds
    assert "hansard checkpoints show C001" in ran.out


def test_alone_on_a_terminal_it_says_the_same_as_status(hansard: Hansard) -> None:
    worked(hansard)

    alone = hansard.on_a_terminal(NO_COLOR="1", COLUMNS="1000")
    status = hansard("status")

    assert alone.code == 0
    assert [line for line in alone.out.splitlines() if "ago" not in line] == [
        line for line in status.out.splitlines() if "ago" not in line
    ]


@pytest.mark.parametrize("columns", [40, 80])
def test_every_line_fits_the_window(hansard: Hansard, columns: int) -> None:
    worked(hansard)
    overview = OverviewAnswer.model_validate_json(hansard("status", "--json").out)

    shown = list(lines(overview, lambda text, _: text, columns))

    assert max(map(len, shown)) <= columns


def test_status_is_the_overview_for_programs(hansard: Hansard) -> None:
    worked(hansard)

    overview = json.loads(hansard("status", "--json").out)

    assert overview["last_session"]["title"] == "Fix the parser"
    assert overview["counts"]["proposals"] == 1


def test_looking_writes_nothing(hansard: Hansard) -> None:
    worked(hansard)
    before = hansard("anchor").out

    hansard("status")

    assert hansard("anchor").out == before


def test_a_folder_without_a_project_is_told_which_there_are(hansard: Hansard) -> None:
    write_sessions(hansard, ["other.1"], project="other")

    ran = hansard("status")

    assert ran.code == 0
    assert "Nothing is recorded of default yet" in ran.out
    assert "other" in ran.out


def test_without_a_store_status_says_how_to_get_one(hansard: Hansard) -> None:
    ran = hansard("status")

    assert (ran.code, ran.out) == (1, "")
    assert "no store" in ran.err
    assert not hansard.store.exists()
