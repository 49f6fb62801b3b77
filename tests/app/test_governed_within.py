"""A decision about files holds for whoever works in a folder of the same repository."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.operation import Caller
from hansard.recorder.problems import DecisionBlocks
from tests.app.repositories import git, repository
from tests.app.test_governed_files import REASONS, decide
from tests.recorder.asking import create


@contextmanager
def working_in(folder: Path, tmp_path: Path) -> Iterator[Application]:
    """Work in a folder of a repository, as a server of its own does."""
    app = start.start(Settings(store=str(tmp_path / "store"), workspace=str(folder)))
    try:
        yield app
    finally:
        app.close()


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with a folder that chats begin in."""
    made = repository(tmp_path / "shop")
    (made / "src" / "api").mkdir(parents=True)
    return made


def test_what_is_blocked_from_the_top_is_blocked_from_a_folder_within(
    tmp_path: Path, top: Path, agent: Caller, human: Caller
) -> None:
    with working_in(top, tmp_path) as above:
        decision = decide(above, human, "src/api/", enforcement="block")

        with working_in(top / "src", tmp_path) as inside:
            with pytest.raises(DecisionBlocks) as refused:
                create(inside, agent, "api/a.py", "x\n")
            told = create(inside, human, "api/b.py", "x\n").governed_by
            create(inside, agent, "other/a.py", "x\n")

    assert refused.value.details == {"path": "api/a.py", "decision": decision}
    assert [one.id for one in told or ()] == [decision]
    assert not (top / "src" / "api" / "a.py").exists()


def test_what_is_named_from_the_folder_itself_is_governed_as_before(
    tmp_path: Path, top: Path, agent: Caller, human: Caller
) -> None:
    with working_in(top / "src", tmp_path) as inside:
        decide(inside, human, "api/", enforcement="block")

        with pytest.raises(DecisionBlocks):
            create(inside, agent, "api/a.py", "x\n")


def test_another_repository_within_is_not_a_folder_of_this_one(
    tmp_path: Path, top: Path, agent: Caller, human: Caller
) -> None:
    inner = top / "vendor"
    inner.mkdir()
    git(inner, "init", "--quiet")
    with working_in(top, tmp_path) as above:
        decide(above, human, "vendor/", enforcement="block")

        with working_in(inner, tmp_path) as inside:
            create(inside, agent, "a.py", "x\n")


def test_a_file_named_from_the_top_is_there(
    tmp_path: Path, top: Path, human: Caller, agent: Caller
) -> None:
    with working_in(top / "src", tmp_path) as inside:
        create(inside, agent, "api/a.py", "x\n")
        given = {"title": "About it", "rationale": REASONS}
        named, nowhere = (
            inside.call("record_decision", given | {"target": f"path:{glob}"}, human).model_dump()
            for glob in ("src/api/a.py", "lib/api/a.py")
        )

    assert named["unmatched"] is None
    assert nowhere["unmatched"] == ["path:lib/api/a.py"]
