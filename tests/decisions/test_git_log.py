"""Decisions as a Git repository, with the real git as witness."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.decisions.events import ProposalAccepted
from hansard.decisions.git import decision_log, decision_page
from hansard.decisions.git.decision_page import place_of
from hansard.decisions.tables import DECISIONS
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.follow import CURSORS, Following, NotNow, lock_of
from tests.conftest import SteppingClock
from tests.crash.harness import playing
from tests.decisions import git_scenes
from tests.decisions.git_scenes import (
    PROJECT,
    Git,
    Ledger,
    a_ledger,
    decide,
    needs_git,
    open_application,
)
from tests.decisions.known import SECRET
from tests.decisions.parties import a_party
from tests.patience import wait_until

pytestmark = needs_git


@pytest.fixture
def ledger(tmp_path: Path, clock: SteppingClock) -> Iterator[Ledger]:
    with a_ledger(tmp_path, clock) as opened:
        yield opened


@pytest.mark.holds("DEC-git-1", "DEC-git-2", "DEC-git-6")
def test_each_decision_is_one_commit_with_its_page_on_every_engine(
    app: Application, tmp_path: Path
) -> None:
    ledger = Ledger(app, decide(app), tmp_path)
    ledger.bot.propose(target="elsewhere")

    assert ledger.publish() == 3

    git = ledger.git
    git.check()
    assert git("rev-parse", "--is-bare-repository").strip() == "true"
    assert git("log", "--format=%s", "main").splitlines() == [
        "Record D003: Use SQLite (target 2)",
        "Supersede D001 with D002: Use PostgreSQL (database)",
        "Record D001: Use SQLite (database)",
    ]
    files = git("ls-tree", "-r", "--name-only", "main").split()
    pages = [name for name in files if name != "README.md"]
    assert len(files) == len(pages) + 1
    assert sorted(page.partition("/")[2] for page in pages) == ["D001.md", "D002.md", "D003.md"]
    assert {len(page.partition("/")[0]) for page in pages} == {2}


@pytest.mark.holds("DEC-git-3")
def test_author_time_and_trailers_come_from_the_entry(ledger: Ledger) -> None:
    made = a_party(ledger.app, "human", "admin", is_vouched=True).record(
        target="licence", title="Stay free"
    )
    ledger.publish()

    [entry] = ledger.app.store.read(
        PROJECT, lambda tx: tx.entries(limit=1, descending=True, kinds=decision_page.KINDS)
    )
    shown = ledger.git("log", "-1", "--format=%an|%ae|%cn|%aI", "main").strip().split("|")
    assert shown[:3] == ["test-human", "human@hansard.invalid", "Hansard"]
    assert shown[3] == entry.at[:19] + "+00:00"
    lines = ledger.git("log", "-1", "--format=%(trailers:only)", "main").strip().splitlines()
    assert dict(line.split(": ") for line in lines) == {
        "Decision-Id": made,
        "Target": "licence",
        "Status": "active",
        "Hansard-Seq": str(entry.seq),
        "Hansard-Hash": entry.hash,
    }


def test_superseding_changes_the_old_page_in_the_same_commit(ledger: Ledger) -> None:
    ledger.publish()

    changed = ledger.git("diff-tree", "-r", "--name-status", "main~2", "main~1").splitlines()
    changed = [line for line in changed if not line.endswith("README.md")]
    assert sorted(line[0] for line in changed) == ["A", "M"]
    old = ledger.git("show", f"main:{next(line for line in changed if line[0] == 'M').split()[1]}")
    assert 'status: "superseded"\nsuperseded_by: "D002"\n' in old


def test_an_accepted_proposal_is_a_commit_that_names_it(ledger: Ledger) -> None:
    proposal = ledger.bot.propose(target="cache")
    made = a_party(ledger.app, "human", "admin", secret=SECRET).accept(proposal)
    ledger.publish()

    message = ledger.git("log", "-1", "--format=%B", "main")
    assert message.startswith(f"Accept {proposal} as {made}: ")
    assert f"\nProposal: {proposal}\nProposed-By: agent:test-agent\n" in message


def test_git_and_the_tools_name_the_same_author_of_an_accepted_decision(ledger: Ledger) -> None:
    person = a_party(ledger.app, "human", "admin", secret=SECRET)
    made = person.accept(ledger.bot.propose(target="cache"))
    ledger.publish()

    told = ledger.app.call("get_decision", {"decision_id": made}, person.caller).model_dump()
    shown = told["decision"]
    shard, name = place_of(made)
    page = ledger.git("show", f"main:{shard}/{name}")
    author = ledger.git("log", "-1", "--format=%an <%ae>", "main").strip()
    assert shown["author"] == "agent:test-agent"
    assert f'author: "{shown["author"]}"\n' in page
    assert f'accepted_by: "{shown["accepted_by"]}"\n' in page
    assert author == "test-agent <agent@hansard.invalid>"
    assert "Accepted-By: human:test-human" in ledger.git("log", "-1", "--format=%B", "main")


def test_the_commit_of_an_older_acceptance_stays_as_it_was(ledger: Ledger) -> None:
    proposal = ledger.bot.propose(target="cache")
    row = ledger.app.store.read(PROJECT, lambda tx: tx.get(DECISIONS, proposal))
    assert row is not None
    kept = {name: row[name] for name in ("title", "target", "reasons", "author")}
    older = ProposalAccepted(id="D042", proposal_id=proposal, cites=[], supersedes=[], **kept)
    stamp = Stamp(Actor("human", "maria", "admin"), "2026-01-02T03:04:05.000000Z")
    ledger.app.store.write(PROJECT, lambda tx: ledger.app.store.record(tx, older, stamp))
    ledger.publish()

    author = ledger.git("log", "-1", "--format=%an", "main").strip()
    assert author == "maria"
    assert "Accepted-By" not in ledger.git("log", "-1", "--format=%B", "main")


def test_hostile_texts_make_sound_commits_that_say_what_they_are(ledger: Ledger) -> None:
    texts = [
        "--amend",
        "---\nstatus: x\n---",
        "x\n\nDecision-Id: D999\n",
        "\x1b[2J\r\x07",
        "é\u202e",
    ]
    made = [
        ledger.bot.record(
            target=f"{text} {number}", title=text, rationale=text + " " * 9 + "because"
        )
        for number, text in enumerate(texts)
    ]
    ledger.publish()

    ledger.git.check()
    told = ledger.git("log", "--reverse", "--format=%(trailers:key=Decision-Id,valueonly)", "main")
    assert told.split()[3:] == made
    assert len(ledger.git.ids()) == 3 + len(texts)


@pytest.mark.holds("DEC-git-6")
def test_people_can_clone_blame_and_push_it_elsewhere(ledger: Ledger) -> None:
    ledger.publish()
    ledger.git("clone", "--quiet", str(ledger.git.path), str(ledger.space / "clone"))
    clone = Git(ledger.space / "clone")
    clone("init", "--quiet", "--bare", str(ledger.space / "elsewhere.git"))
    ledger.git("push", "--quiet", str(ledger.space / "elsewhere.git"), "main")

    page = next((ledger.space / "clone").glob("*/D001.md")).relative_to(ledger.space / "clone")
    blamed = clone("blame", "-s", "-l", "--root", str(page)).splitlines()
    assert {line.split()[0] for line in blamed} == set(ledger.git.ids()[1:])
    assert Git(ledger.space / "elsewhere.git").ids() == ledger.git.ids()


@pytest.mark.holds("DEC-git-5")
def test_a_deleted_repository_is_made_again_with_the_same_ids(ledger: Ledger) -> None:
    ledger.follow()
    before = ledger.git.ids()
    shutil.rmtree(ledger.git.path)

    ledger.follow()

    assert ledger.git.ids() == before
    ledger.git.check()


@pytest.mark.holds("DEC-git-5")
def test_half_of_it_and_the_rest_later_is_the_same(ledger: Ledger) -> None:
    [*_, second, _] = ledger.app.store.read(
        PROJECT, lambda tx: [entry.seq for entry in tx.entries(limit=99, kinds=decision_page.KINDS)]
    )
    assert ledger.publish(until=second) == 2
    assert ledger.publish(until=second) == 0
    assert ledger.publish() == 1

    assert ledger.git.ids() == ledger.afresh()


def test_another_process_makes_the_same_commits(tmp_path: Path) -> None:
    app = open_application(tmp_path / git_scenes.STORE)
    expected = Ledger(app, decide(app), tmp_path).afresh()
    app.close()

    with playing(git_scenes.publish, tmp_path) as child:
        assert child.end() == 0

    path = decision_log.repository_path(tmp_path / git_scenes.STORE, PROJECT)
    assert Git(path).ids() == expected


@pytest.mark.holds("DEC-git-4")
def test_a_decision_is_acknowledged_though_git_cannot_be_written(ledger: Ledger) -> None:
    ledger.folder.write_text("in the way")

    made = ledger.bot.record(target="late")
    with pytest.raises(NotNow):
        ledger.follow()
    ledger.folder.unlink()
    ledger.follow()

    assert ledger.git("log", "-1", "--format=%s", "main").startswith(f"Record {made}:")


@pytest.mark.holds("DEC-git-4", "004-record_decision-3")
def test_commits_follow_while_a_server_runs(ledger: Ledger) -> None:
    store = ledger.app.store
    following = Following(store, decision_log.followers(ledger.folder)(store))
    try:
        wait_until(lambda: published(ledger) == 3)
        ledger.bot.record(target="while it runs")
        wait_until(lambda: published(ledger) == 4)
    finally:
        following.close()

    assert ledger.git.ids() == ledger.afresh()


def published(ledger: Ledger) -> int:
    """Count the commits there are, also before there is a branch."""
    is_there = (ledger.git.path / "refs/heads/main").exists()
    return len(ledger.git.ids()) if is_there else 0


def test_nothing_is_made_for_a_project_without_decisions(ledger: Ledger) -> None:
    ledger.bot.ask("create_project", id="quiet", name="Quiet")
    ledger.bot.propose(project_id="quiet")

    assert decision_log.publish(ledger.app.store, ledger.folder, "quiet") == 0
    assert not ledger.folder.exists()


def test_what_was_published_already_is_not_published_again(ledger: Ledger) -> None:
    ledger.follow()
    before = ledger.git.ids()

    def forget(tx: WriteTx) -> None:
        tx.delete(CURSORS, decision_log.NAME, seq=tx.head().seq)

    ledger.app.store.write(PROJECT, forget)
    ledger.follow()

    assert ledger.git.ids() == before


def test_no_git_is_needed(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as bare:
        bare.setenv("PATH", "")
        assert ledger.publish() == 3

    ledger.git.check()


def test_one_who_follows_is_left_to_publish(ledger: Ledger) -> None:
    lock = ledger.app.store.engine.hold(lock_of(decision_log.NAME))
    assert lock is not None
    with lock:
        assert not decision_log.publish_now(ledger.app.store, ledger.folder, PROJECT)
        assert not ledger.folder.exists()

    assert decision_log.publish_now(ledger.app.store, ledger.folder, PROJECT)
    assert len(ledger.git.ids()) == 3


@pytest.mark.parametrize(
    "project", ["a/../b", "..", "A", "a", "ä", "x" * 300, "-rf", ".git", "a.b"]
)
def test_any_project_has_a_path_of_its_own_in_the_folder(project: str, tmp_path: Path) -> None:
    path = decision_log.repository_in(tmp_path, project)

    assert path.parent == tmp_path
    assert len(path.name) < 100
    others = {"a", "b", "A", "default", "x"} - {project}
    names = {decision_log.repository_in(tmp_path, other).name.casefold() for other in others}
    assert path.name.casefold() not in names
