"""The example that `hansard demo` shows is made of real entries, and harms nothing."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hansard.app.start import start
from hansard.app.verify import verify
from hansard.cli import demo
from hansard.kernel.problem import InvalidInput
from tests.browser.seeding import fill_example, second_process, settings_of


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the example once; these tests only look."""
    folder = tmp_path_factory.mktemp("lantern")
    fill_example(folder)
    return folder


def test_the_example_is_sound(example: Path) -> None:
    application = start(settings_of(example))
    try:
        report = verify(application.store)
    finally:
        application.close()

    assert report.exit_code == 0


def test_the_example_says_that_it_is_one(example: Path) -> None:
    with second_process(example) as call:
        project = call("get_project", id=demo.PROJECT)

    assert "made up" in project["description"]


def test_the_example_has_something_for_every_view(example: Path) -> None:
    with second_process(example) as call:
        activity = call("get_recent_activity", limit=1000)["activity"]
        files = call("get_evolution")["files"]
        metrics = call("metric_query")["metrics"]

    kinds = {one["type"] for one in activity}
    assert {
        "record_created",
        "state_transition",
        "plan_step",
        "decision_superseded",
        "proposal_made",
        "checkpoint_saved",
        "key_marked",
        "thread_appended",
        "execution_advanced",
    } <= kinds
    assert max(one["revisions"] for one in files) >= 5
    assert len(metrics) == 2


def test_the_workspace_holds_what_the_journal_says(example: Path) -> None:
    with second_process(example) as call:
        files = call("get_evolution")["files"]

    for file in files:
        on_disk = (example / "workspace" / file["path"]).read_bytes()
        assert len(on_disk) == file["size"]


def test_the_secret_is_nobody_elses(example: Path) -> None:
    assert (example / "secret").stat().st_mode & 0o077 == 0


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    app = typer.Typer()
    demo.register(app)

    ran = CliRunner().invoke(app, [str(tmp_path)])

    assert isinstance(ran.exception, InvalidInput)
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]
