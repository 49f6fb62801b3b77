"""The library and LangGraph's saver: two projects that use the same names keep apart."""

from pathlib import Path

import pytest

from hansard.kernel.problem import Problem
from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.langgraph.steps import config_of, put, values_of

SECRET = "xqz-acmes-own-zqx"


@pytest.mark.holds("ALL-02.8", "ALL-02.14")
def test_the_library_finds_nothing_of_another_project(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    with Hansard(store, "acme") as theirs, Hansard(store, "globex") as ours:
        theirs.checkpoints.save_checkpoint("main", {"secret": SECRET})
        made = theirs.entities.create("textDocument", title=SECRET, content=SECRET)
        for ask in (
            lambda: ours.checkpoints.load_checkpoint(session_id="main"),
            lambda: ours.call("workflow_checkpoint_load", checkpointId="C001"),
            lambda: ours.entities.get(made.id),
        ):
            with pytest.raises(Problem) as refused:
                ask()
            assert SECRET not in str(refused.value.as_dict())

        ours.checkpoints.save_checkpoint("main", {"mine": 1})

        assert ours.checkpoints.load_checkpoint(session_id="main").context == {"mine": 1}
        assert theirs.checkpoints.load_checkpoint(session_id="main").context == {"secret": SECRET}
        assert list(ours.entities.export()) == []


@pytest.mark.holds("ALL-02.8", "ALL-02.14")
@pytest.mark.parametrize("thread", ["main", "acme.0123456789", "globex.0123456789"])
def test_threads_of_the_same_id_are_each_projects_own(tmp_path: Path, thread: str) -> None:
    store = str(tmp_path / "store")
    with Hansard(store, "acme") as acme, Hansard(store, "globex") as globex:
        theirs, ours = HansardSaver(acme), HansardSaver(globex)
        put(theirs, {"secret": SECRET}, config_of(thread))

        assert ours.get_tuple(config_of(thread)) is None
        assert list(ours.list(config_of(thread))) == []
        put(ours, {"mine": 1}, config_of(thread))

        assert values_of(ours, config_of(thread)) == {"mine": 1}
        assert values_of(theirs, config_of(thread)) == {"secret": SECRET}
