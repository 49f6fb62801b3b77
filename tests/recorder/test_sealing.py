"""What holds a secret is kept sealed, under a key outside the store, and comes back with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.recorder.contents.sealing import NoKeyError, SealingKeys
from hansard.recorder.problems import Irreversible
from tests.conftest import OpenApp
from tests.recorder.asking import (
    contents,
    create,
    edit,
    named,
    op,
    restore,
    story,
    timeline,
    undo,
)

# Put together here, so that no scanner takes this file for a leak.
ENV = "TOKEN_FOR_GIT=" + "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + "\n"


def test_a_content_with_a_secret_comes_back_like_any_other(
    app: Application, agent: Caller, files: Path
) -> None:
    first = create(app, agent, ".env", ENV)
    edit(app, agent, ".env", "TOKEN_FOR_GIT=\n")
    op(app, agent, "delete", ".env")

    answer = restore(app, agent, path=".env", to="after", point=f"s:{first.seq}")

    assert [(one.action, one.status) for one in answer.files] == [("create", "done")]
    assert contents(files) == {".env": ENV.encode()}
    named(app, agent, answer.undo)
    assert contents(files) == {}


def without_key(open_app: OpenApp) -> Application:
    """Open Hansard where no key can be made."""
    return open_app(key_file="/dev/null/key")


@pytest.mark.holds("FIL-secret-5")
def test_a_restore_skips_what_was_not_kept_and_says_so(
    open_app: OpenApp, agent: Caller, files: Path
) -> None:
    app = without_key(open_app)
    first = create(app, agent, ".env", ENV)
    edit(app, agent, ".env", "TOKEN_FOR_GIT=\n", irreversible=True)

    answer = restore(app, agent, path=".env", to="after", point=f"s:{first.seq}")

    assert [(one.action, bool(one.reason)) for one in answer.files] == [("skip", True)]
    assert contents(files) == {".env": b"TOKEN_FOR_GIT=\n"}


def test_a_restore_leaves_a_secret_that_it_could_not_bring_back(
    open_app: OpenApp, agent: Caller, files: Path
) -> None:
    app = without_key(open_app)
    create(app, agent, ".env", "TOKEN_FOR_GIT=\n")
    seq = edit(app, agent, ".env", ENV).seq

    answers = [restore(app, agent), undo(app, agent, entry=f"s:{seq}")]

    assert [one.action for answer in answers for one in answer.files] == ["skip", "skip"]
    assert contents(files) == {".env": ENV.encode()}


@pytest.mark.holds("FIL-secret-7")
@pytest.mark.parametrize("change", [{"action": "delete"}, {"action": "edit", "content": "x\n"}])
def test_what_could_not_come_back_goes_only_if_the_caller_says_so(
    open_app: OpenApp, agent: Caller, files: Path, change: dict[str, str]
) -> None:
    app = without_key(open_app)
    create(app, agent, ".env", ENV)

    with pytest.raises(Irreversible):
        app.call("file_op", {"path": ".env", **change}, agent)
    assert contents(files) == {".env": ENV.encode()}
    done = op(app, agent, path=".env", irreversible=True, **change)

    assert done.irreversible
    assert "cannot be undone" in done.text()
    [_, refused, changed] = timeline(app, agent, path=".env")
    assert (refused.code, changed.irreversible) == ("IRREVERSIBLE", True)
    assert "1 cannot be undone" in story(app, agent).text()
    [step] = undo(app, agent, entry=f"s:{done.seq}").files
    assert step.action == "skip"


def test_a_key_that_is_lost_loses_what_was_sealed_under_it_and_nothing_else(
    open_app: OpenApp, agent: Caller, files: Path, tmp_path: Path
) -> None:
    app = open_app(key_file=str(tmp_path / "key"))
    create(app, agent, ".env", ENV)
    create(app, agent, "a", "one\n")
    seq = op(app, agent, "delete", ".env").seq
    (tmp_path / "key").write_text(f"{'0' * 64}\n")
    second = open_app(key_file=str(tmp_path / "key"))

    answer = undo(second, agent, entry=f"s:{seq}")
    both = restore(second, agent)

    assert [(one.action, bool(one.reason)) for one in answer.files] == [("skip", True)]
    assert (both.counts, contents(files)) == ({"delete": 1, "unchanged": 1}, {})


@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: key.chmod(0o644),
        lambda key: key.write_text("no key\n"),
        lambda key: key.write_text(""),
        lambda key: key.write_text("abcd\n"),
    ],
    ids=["readable-by-others", "garbage", "empty", "short"],
)
def test_a_key_that_cannot_be_used_is_no_key(
    open_app: OpenApp, agent: Caller, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    key = tmp_path / "key"
    key.touch(mode=0o600)
    key.write_text(f"{'1' * 64}\n")
    spoil(key)
    app = open_app(key_file=str(key))
    create(app, agent, ".env", ENV)

    with pytest.raises(Irreversible):
        op(app, agent, "delete", ".env")


@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_a_key_within_the_store_is_no_key(open_app: OpenApp, agent: Caller, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    app = open_app(store=store, key_file=f"{store}/key")
    create(app, agent, ".env", ENV)

    with pytest.raises(Irreversible):
        op(app, agent, "delete", ".env")


def test_two_processes_make_one_key(tmp_path: Path) -> None:
    both = [SealingKeys(tmp_path / "folder" / "key") for _ in range(2)]

    sealed = [keys.seal(b"a secret") for keys in both]

    mode = (tmp_path / "folder" / "key").stat().st_mode & 0o777
    assert (mode, len(list((tmp_path / "folder").iterdir()))) == (0o600, 1)
    assert [both[1 - n].unseal(blob.packed) for n, blob in enumerate(sealed)] == [b"a secret"] * 2
    assert sealed[0].digest != sealed[1].digest


def test_what_was_sealed_and_changed_is_not_opened(tmp_path: Path) -> None:
    keys = SealingKeys(tmp_path / "key")
    sealed = keys.seal(b"a secret").packed

    for place in range(len(sealed)):
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(NoKeyError):
            keys.unseal(changed)


def test_a_clash_or_a_change_in_what_holds_a_secret_is_not_shown(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, ".env", ENV)
    seq = edit(app, agent, ".env", f"changed\n{ENV}").seq
    shown = undo(app, agent, entry=f"s:{seq}", preview=True, diff=True)
    (files / ".env").write_text(f"of a person\n{ENV}")

    clash = undo(app, agent, entry=f"s:{seq}")

    secret = ENV.partition("=")[2].strip()
    assert [step.action for step in (*shown.files, *clash.files)] == ["edit", "clash"]
    assert [hunk.line for hunk in clash.files[0].hunks or []] == [1]
    assert secret not in shown.model_dump_json() + clash.model_dump_json()
    undo(app, agent, entry=f"s:{seq}", take="theirs", expected={".env": clash.files[0].now})
    assert contents(files) == {".env": ENV.encode()}
