"""`verify` tells what somebody put into a repository of decisions; nothing of it is ever run."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hansard.app.verify import verify
from hansard.decisions.git import decision_log
from hansard.kernel.follow import CURSORS
from tests.conftest import SteppingClock
from tests.decisions.git_scenes import PROJECT, Ledger, a_ledger, needs_git

pytestmark = [needs_git, pytest.mark.fault("tampering")]

FORGED = "Forged"


@pytest.fixture
def ledger(tmp_path: Path, clock: SteppingClock) -> Iterator[Ledger]:
    with a_ledger(tmp_path, clock) as opened:
        opened.follow()
        assert faults(opened) == []
        yield opened


def faults(ledger: Ledger) -> list[str]:
    """Verify as the command does; gives what is said of the repository."""
    report = verify(ledger.app.store, git=ledger.folder)
    assert {(one.check, one.severity) for one in report.findings} <= {("git", "drift")}
    assert report.exit_code == (1 if report.findings else 0)
    return [one.message for one in report.findings]


def forged_commit(ledger: Ledger) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    tree = ledger.git("rev-parse", "main^{tree}").strip()
    return ledger.git(*who, "commit-tree", tree, "-m", FORGED).strip()


def written(ledger: Ledger, name: str, text: str, mode: int = 0o600) -> Path:
    path = ledger.git.path / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    path.chmod(mode)
    return path


Plant = Callable[[Ledger], str]
"""Plants one thing; gives a word of what must be said of it."""

PLANTS: dict[str, Plant] = {}


def plant(one: Plant) -> Plant:
    PLANTS[one.__name__.strip("_")] = one
    return one


@plant
def _the_repository_gone(ledger: Ledger) -> str:
    shutil.rmtree(ledger.git.path)
    return "is gone"


@plant
def _a_replace_reference(ledger: Ledger) -> str:
    ledger.git("update-ref", f"refs/replace/{ledger.git.ids()[0]}", forged_commit(ledger))
    return "another object"


@plant
def _a_packed_replace_reference(ledger: Ledger) -> str:
    _a_replace_reference(ledger)
    ledger.git("pack-refs", "--all")
    return "another object"


@plant
def _grafts(ledger: Ledger) -> str:
    written(ledger, "info/grafts", f"{ledger.git.ids()[0]}\n")
    return "other parents"


@plant
def _a_shallow_history(ledger: Ledger) -> str:
    written(ledger, "shallow", f"{ledger.git.ids()[0]}\n")
    return "other parents"


@plant
def _alternates(ledger: Ledger) -> str:
    elsewhere = ledger.space / "elsewhere"
    shutil.copytree(ledger.git.path / "objects", elsewhere)
    shutil.rmtree(ledger.git.path / "objects" / ledger.git.ids()[1][:2])
    written(ledger, "objects/info/alternates", f"{elsewhere}\n")
    return "another repository"


@plant
def _an_extra_branch(ledger: Ledger) -> str:
    ledger.git("update-ref", "refs/heads/release", forged_commit(ledger))
    return "refs/heads/release"


@plant
def _a_packed_branch(ledger: Ledger) -> str:
    _an_extra_branch(ledger)
    ledger.git("pack-refs", "--all")
    return "refs/heads/release"


@plant
def _head_moved(ledger: Ledger) -> str:
    ledger.git("update-ref", "refs/heads/foreign-1", forged_commit(ledger))
    ledger.git("symbolic-ref", "HEAD", "refs/heads/foreign-1")
    return "HEAD"


@plant
def _a_hook(ledger: Ledger) -> str:
    written(ledger, "hooks/post-receive", "#!/bin/sh\nexit 1\n", 0o700)
    return "post-receive"


@plant
def _fsmonitor(ledger: Ledger) -> str:
    ledger.git("config", "core.fsmonitor", "touch /tmp/x")
    return "core.fsmonitor"


@plant
def _a_folder_of_hooks(ledger: Ledger) -> str:
    ledger.git("config", "core.hooksPath", "/elsewhere")
    return "core.hookspath"


@plant
def _a_setting_in_the_line_of_its_section(ledger: Ledger) -> str:
    config = ledger.git.path / "config"
    config.write_text(config.read_text() + '[filter "x"] clean = "evil \\\n here"\n')
    return "filter.x.clean"


@plant
def _an_included_configuration(ledger: Ledger) -> str:
    ledger.git("config", "include.path", "/elsewhere")
    return "include.path"


@plant
def _a_setting_of_ours_taken_away(ledger: Ledger) -> str:
    written(ledger, "hansard.config", '[url "x"]\n\tinsteadOf = y\n')
    return "url.x.insteadof"


@plant
def _a_common_folder_elsewhere(ledger: Ledger) -> str:
    shutil.copytree(ledger.git.path, ledger.space / "elsewhere")
    written(ledger, "commondir", f"{ledger.space / 'elsewhere'}\n")
    return "elsewhere"


@plant
def _a_link_for_its_objects(ledger: Ledger) -> str:
    objects = ledger.git.path / "objects"
    objects.rename(ledger.space / "elsewhere")
    objects.symlink_to(ledger.space / "elsewhere")
    return "in the place of objects"


@plant
def _a_cursor_moved_past_what_was_published(ledger: Ledger) -> str:
    ledger.bot.record(target="never published")
    store = ledger.app.store
    head = store.engine.heads()[PROJECT]
    row = {"seq": head.seq, "hash": head.hash, "basis": decision_log.THERE}
    store.write(PROJECT, lambda tx: tx.put(CURSORS, decision_log.NAME, row, seq=head.seq))
    return "lacks s:"


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_what_is_planted_is_told(ledger: Ledger, plant: Plant) -> None:
    word = plant(ledger)

    assert any(word in said for said in faults(ledger)), faults(ledger)


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_what_is_said_to_help_helps(ledger: Ledger, plant: Plant) -> None:
    commits = ledger.git.ids()
    plant(ledger)

    if ledger.git.path.exists():
        shutil.rmtree(ledger.git.path)
    assert decision_log.publish_now(ledger.app.store, ledger.folder, PROJECT)

    assert faults(ledger) == []
    assert ledger.git.ids()[-len(commits) :] == commits


def test_what_people_do_to_push_it_elsewhere_is_no_fault(ledger: Ledger) -> None:
    ledger.git("remote", "add", "origin", "git@example.com:team/decisions.git")
    ledger.git("config", "branch.main.remote", "origin")
    ledger.git("config", "user.name", "A Person")
    ledger.git("update-ref", "refs/tags/v1", "main")
    ledger.git("update-ref", "refs/remotes/origin/main", "main")
    written(ledger, "hooks/post-receive.sample", "#!/bin/sh\n")
    ledger.git("gc", "--quiet")

    assert faults(ledger) == []


def test_what_hansard_kept_of_others_is_no_fault(ledger: Ledger) -> None:
    ledger.git("update-ref", "refs/heads/main", forged_commit(ledger))
    ledger.publish()

    assert "foreign-1" in ledger.git("branch", "--list")
    assert faults(ledger) == []


def test_nothing_that_is_planted_is_run(ledger: Ledger) -> None:
    ran = ledger.space / "ran"
    program = written(ledger, "hooks/any", f"#!/bin/sh\necho $0 >> {ran}\n", 0o700)
    for hook in ("post-update", "reference-transaction", "pre-commit", "post-receive"):
        shutil.copy(program, program.with_name(hook))
    for setting in ("core.fsmonitor", "core.sshCommand", "diff.external", "filter.x.clean"):
        ledger.git("config", setting, str(program))
    ledger.git("config", "core.hooksPath", str(program.parent))
    # Git itself would, so that what is planted is known to work.
    ledger.git("update-ref", "refs/tags/tried", "main")
    assert ran.exists()
    ran.unlink()

    ledger.bot.record(target="published beside a hook")
    ledger.follow()
    found = faults(ledger)

    assert len(ledger.git.ids()) == 4
    assert any("hook" in said for said in found)
    # Asking for the ids has run it: whatever stands there is from git.
    assert not ran.exists() or "reference-transaction" not in ran.read_text()


def test_a_cursor_that_was_moved_by_hand_is_not_believed(ledger: Ledger) -> None:
    ledger.bot.record(target="skipped")
    store = ledger.app.store
    head = store.engine.heads()[PROJECT].seq

    def move(tx: object) -> None:
        row = tx.get(CURSORS, decision_log.NAME)  # type: ignore[attr-defined]
        tx.put(CURSORS, decision_log.NAME, row | {"seq": head}, seq=head)  # type: ignore[attr-defined]

    store.write(PROJECT, move)
    ledger.follow()

    assert len(ledger.git.ids()) == 4
