"""A bundle adds nothing to a project that is there, unless by who proves the secret."""

import pytest

from hansard.app import people
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor, Stamp
from tests.cli.running import AT, Hansard

SECRET = "a secret that only a person knows"


def knows_secret(hansard: Hansard) -> None:
    app = start(Settings(store=str(hansard.store), embedder="none"))
    people.set_secret(app.store, SECRET, Stamp(Actor("human", "ada", "admin"), AT))
    app.close()


@pytest.mark.holds("ALL-10.16")
def test_entries_made_elsewhere_do_not_join_a_project_that_is_there(
    filled: Hansard, other: Hansard
) -> None:
    bundle, more = filled.store.parent / "bundle", filled.store.parent / "more"
    assert filled("export", "default", str(bundle)).code == 0
    assert other("import", str(bundle)).code == 0
    words = ("--title", "T", "--target", "x", "--rationale", "By me alone.")
    new = other.on_a_terminal("decisions", "record", *words)
    assert new.code == 0, new.err
    assert other("export", "default", str(more)).code == 0
    knows_secret(filled)
    before = filled("log", "--json").out

    ran = filled("import", str(more))

    assert (ran.code, "PERMISSION_DENIED" in ran.err or "Only a person" in ran.err) == (1, True)
    assert filled("log", "--json").out == before
    assert filled("import", str(more), "--as", "copy").code == 0, "another project is free"


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Hansard:
    """A store of somebody else."""
    return Hansard(tmp_path_factory.mktemp("other"))
