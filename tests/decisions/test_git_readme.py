"""The README of the decisions in Git says what holds, by target, and leads to each page."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from hansard.app.application import Application
from hansard.decisions.answers import Link
from hansard.decisions.git import decision_page, readme_page
from hansard.decisions.git.decision_log import publish_now, repository_in
from hansard.decisions.queries import link
from hansard.decisions.reading import newest
from tests.conftest import SteppingClock, a_caller
from tests.decisions.git_scenes import Ledger, a_ledger, needs_git
from tests.decisions.parties import Party
from tests.decisions.test_git_pages import HOSTILE, a_page
from tests.formats.make_store import PROJECT
from tests.formats.test_formats_kept import RELEASES, unpacked


@pytest.fixture
def ledger(tmp_path: Path, clock: SteppingClock) -> Iterator[Ledger]:
    with a_ledger(tmp_path, clock) as opened:
        yield opened


def rows(readme: str | bytes) -> list[str]:
    text = readme if isinstance(readme, str) else readme.decode()
    return [line for line in text.split("\n") if "](" in line]


@needs_git
@pytest.mark.holds("DEC-git-7")
def test_the_readme_lists_what_holds_and_its_links_lead_to_pages(ledger: Ledger) -> None:
    ledger.bot.record("a first target", "Begin with this")
    ledger.publish()

    listed = rows(ledger.git("show", "main:README.md"))
    before = rows(ledger.git("show", "main~3:README.md"))

    assert [line.split("|")[1].strip() for line in listed] == [
        "a first target", "database", "target 2",
    ]  # fmt: skip
    assert "[D002]" in listed[1]
    assert len(before) == 1
    assert "[D001]" in before[0]
    for line in listed:
        page = ledger.git("show", f"main:{line.split('](')[1].split(')')[0]}")
        assert 'status: "active"' in page


@needs_git
def test_the_story_of_a_decision_is_told_by_following_its_page(ledger: Ledger) -> None:
    ledger.publish()

    place = "/".join(decision_page.place_of("D001"))
    told = ledger.git("log", "--follow", "--format=%s", "main", "--", place).splitlines()

    assert told == [
        "Supersede D001 with D002: Use PostgreSQL (database)",
        "Record D001: Use SQLite (database)",
    ]


@given(HOSTILE, HOSTILE)
@settings(deadline=None, max_examples=50)
def test_no_title_or_target_can_fake_or_hide_a_line(title: str, target: str) -> None:
    first = readme_page.revised(b"", a_page(id="D001", title=title, target=target))
    both = readme_page.revised(first, a_page(id="D002"))
    without = readme_page.revised(both, a_page(id="D003", supersedes=("D001", "D002")))

    assert (len(rows(first)), len(rows(both)), len(rows(without))) == (1, 2, 1)


def test_where_an_older_program_made_no_readme_it_is_made_of_the_pages() -> None:
    pages = [a_page(id="D001"), a_page(id="D002", target="cache")]
    written = [decision_page.render(page) for page in pages]
    superseded = decision_page.mark_superseded(decision_page.render(a_page(id="D000")), "D001")

    made = readme_page.of_pages([*written, superseded])

    assert made == readme_page.revised(readme_page.revised(b"", pages[0]), pages[1])


@needs_git
@pytest.mark.holds("DEC-git-7")
@pytest.mark.slow("writes the repository of an earlier release, twice")
def test_a_repository_that_an_earlier_release_made_gets_its_readme_with_the_next_decision(
    tmp_path: Path,
) -> None:
    [kept] = RELEASES[-1:]
    with unpacked(kept, tmp_path) as app:
        folder = tmp_path / "git"
        publish_now(app.store, folder, PROJECT)
        git = ("git", "--git-dir", str(repository_in(folder, PROJECT)))
        before = subprocess.run(
            [*git, "ls-tree", "--name-only", "main"], capture_output=True, text=True, check=True
        ).stdout
        held = {one.id for one in active(app)}

        made = Party(app, a_caller(), project_id=PROJECT).record("a new target", "Go on from here")
        publish_now(app.store, folder, PROJECT)
        shown = subprocess.run(
            [*git, "show", "main:README.md"], capture_output=True, text=True, check=True
        ).stdout

    assert "README.md" not in before.split()
    assert held
    assert {line.split("[")[1].split("]")[0] for line in rows(shown)} == held | {made}


def active(app: Application) -> list[Link]:
    """List the decisions that hold."""
    where = {"kind": "decision", "status": "active"}
    return app.store.read(PROJECT, lambda tx: [link(row) for row in newest(tx, where, page=100)])


def test_only_the_newest_are_listed() -> None:
    readme = b""
    for number in range(1, readme_page.LINES_MAX + 6):
        readme = readme_page.revised(readme, a_page(id=f"D{number:03}", target=f"t {number}"))

    listed = rows(readme)
    assert len(listed) == readme_page.LINES_MAX
    assert not any("[D005]" in line for line in listed)
    assert any("[D006]" in line for line in listed)
