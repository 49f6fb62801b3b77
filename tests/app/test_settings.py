"""Where settings come from, and which source counts."""

from contextlib import closing
from pathlib import Path

import platformdirs
import pytest

from hansard.app.settings import Settings, declarations, load, secret, store_location
from hansard.app.start import start
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput


def test_without_anything_the_defaults_hold() -> None:
    settings = load({}, {"HANSARD_CONFIG": "/dev/null"})

    assert (settings.project, settings.toolsets, settings.read_only) == ("", "default", False)
    assert store_location(settings).endswith("store")


@pytest.mark.holds("ALL-12.1")
def test_every_setting_has_a_flag_and_a_variable() -> None:
    for declared in declarations():
        assert declared.flag == "--" + declared.name.replace("_", "-")
        assert declared.variable == "HANSARD_" + declared.name.upper()
        assert declared.help


@pytest.mark.holds("ALL-12.3", "ALL-12.5")
def test_a_flag_counts_before_a_variable_and_that_before_the_file(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('project = "file"\nsession = "file"\nport = 1\n')
    environment = {
        "HANSARD_CONFIG": str(config),
        "HANSARD_PROJECT": "variable",
        "HANSARD_SESSION": "variable",
    }

    settings = load({"project": "flag", "session": None}, environment)

    assert (settings.project, settings.session, settings.port) == ("flag", "variable", 1)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("HANSARD_PORT", "many"), ("HANSARD_READ_ONLY", "perhaps"), ("HANSARD_ERRORS", "loud")],
)
def test_a_value_that_does_not_fit_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=variable):
        load({}, {variable: value, "HANSARD_CONFIG": "/dev/null"})


@pytest.mark.parametrize(
    "content", ["colour = 1", "port = [", "read_only = 3", "remember_days = -5"]
)
def test_a_config_file_that_is_wrong_is_refused(tmp_path: Path, content: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(content)

    with pytest.raises(InvalidInput):
        load({}, {"HANSARD_CONFIG": str(config)})


def test_no_number_is_below_zero() -> None:
    with pytest.raises(InvalidInput, match="remember"):
        load({"remember_days": -5}, {"HANSARD_CONFIG": "/dev/null"})


def test_a_config_file_that_was_named_but_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        load({}, {"HANSARD_CONFIG": str(tmp_path / "none.toml")})


@pytest.mark.parametrize("word", ["1", "true", "YES", "on"])
def test_yes_can_be_said_in_several_ways(word: str) -> None:
    assert load({}, {"HANSARD_READ_ONLY": word, "HANSARD_CONFIG": "/dev/null"}).read_only


@pytest.mark.holds("ALL-12.2")
def test_the_store_is_where_it_is_said_else_in_the_users_data_folder() -> None:
    nowhere = {"HANSARD_CONFIG": "/dev/null"}

    for location in ("some/folder", "postgresql://someone@somewhere/some"):
        assert store_location(load({}, nowhere | {"HANSARD_STORE": location})) == location
    assert store_location(load({}, nowhere)).startswith(platformdirs.user_data_dir("hansard"))


@pytest.mark.holds("ALL-12.4")
def test_the_workspace_is_the_current_folder_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: Caller
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    monkeypatch.chdir(here)
    nowhere = {"HANSARD_CONFIG": "/dev/null", "HANSARD_STORE": "memory:"}

    for variables in (nowhere, nowhere | {"HANSARD_WORKSPACE": str(there)}):
        with closing(start(load({}, variables))) as app:
            app.call("file_op", {"action": "create", "path": "new", "content": "x"}, agent)
            assert (here / "new").exists()

    assert (there / "new").exists()


@pytest.mark.holds("ALL-10.8")
def test_the_secret_is_in_a_variable_or_in_a_file_of_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("in a file of its own\n")
    file.chmod(0o600)
    ours, theirs = {"HANSARD_SECRET": "a long secret, ours"}, {"AGENT_MEMORY_SECRET": "x" * 16}
    settings = Settings(secret_file=str(file))

    assert secret(settings, ours | theirs) == "a long secret, ours"
    assert secret(settings, theirs) == "x" * 16
    assert secret(settings, {}) == "in a file of its own"
    assert secret(Settings(), {}) is None
    assert not [one.flag for one in declarations() if one.flag == "--secret"]


def test_a_short_secret_counts_as_none() -> None:
    with pytest.raises(InvalidInput):
        secret(Settings(), {"HANSARD_SECRET": "x" * 15})


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_secret_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "secret"
    file.write_text("in a file of its own\n")
    file.chmod(mode)

    with pytest.raises(InvalidInput, match="read by others"):
        secret(Settings(secret_file=str(file)), {})
    with pytest.raises(InvalidInput, match="cannot be read"):
        secret(Settings(secret_file=str(tmp_path / "nowhere")), {})
