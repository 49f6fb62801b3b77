"""Going back on the page: what was asked is undone, what clashes decided, others named."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from hansard.kernel.event import Actor
from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients

BUILDER = Actor("agent", "builder", "agent")
REVIEWER = Actor("agent", "reviewer", "agent")


class Desk:
    """A workspace that agents and a person change beside the page."""

    def __init__(self, served: Served) -> None:
        self._folder = served.folder

    def file(self, path: str) -> Path:
        """Find a file on disk."""
        return self._folder / "workspace" / path

    def session(self, title: str, *steps: str, actor: Actor = BUILDER) -> str:
        """Begin a session, perhaps with a plan."""
        with second_process(self._folder, actor) as call:
            session = str(call("record_session_start", title=title)["session_id"])
            if steps:
                call("record_plan", session_id=session, steps=list(steps))
        return session

    def do(self, session: str, *ops: dict[str, Any], actor: Actor = BUILDER) -> int:
        """Change files as an agent does; gives the entry of the first change."""
        with second_process(self._folder, actor) as call:
            done = call("file_op", session_id=session, ops=list(ops))
        return int(done["results"][0]["seq"])

    def write(self, session: str, path: str, content: str, actor: Actor = BUILDER) -> int:
        """Give a file a content."""
        action = "edit" if self.file(path).exists() else "create"
        change = {"path": path, "action": action, "content": content}
        return self.do(session, change, actor=actor)

    def ask(self, operation: str, **asked: Any) -> dict[str, Any]:
        """Ask for something else."""
        with second_process(self._folder) as call:
            return call(operation, **asked)


@pytest.fixture
def desk(served: Served) -> Desk:
    return Desk(served)


def step(page: Page, path: str) -> Locator:
    """Find what is said of one file."""
    return page.locator(".steps > li", has_text=path)


def choose(page: Page, place: str, side: str) -> None:
    """Decide one place of a file."""
    page.get_by_role("group", name=place).get_by_role("radio", name=re.compile(f"^{side}")).check()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def told(page: Page, words: str) -> None:
    expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()


@pytest.mark.holds("FIL-undo-1")
def test_an_agent_edits_a_person_edits_the_agent_edits_again_and_the_first_is_undone(
    looking: Looking, desk: Desk
) -> None:
    session = desk.session("Name the parts")
    desk.write(session, "parts.txt", "one\ntwo\nthree\nfour\nfive\n")
    desk.write(session, "parts.txt", "ONE\ntwo\nthree\nfour\nfive\n")
    desk.file("parts.txt").write_text("ONE\ntwo\nof a person\nfour\nfive\n")
    desk.write(session, "parts.txt", "ONE\ntwo\nof a person\nfour\nFIVE\n")

    page = looking.go(f"timeline?session={session}")
    page.locator(".entry", has_text="edit parts.txt").first.get_by_role("link", name="Undo").click()
    told(page, "1 file would change")
    expect(step(page, "parts.txt")).to_contain_text("Keeps 1 change by somebody outside Hansard")
    expect(page.get_by_label("Change of parts.txt")).to_contain_text("-ONE+one")
    assert serious(page) == []
    press(page, "Undo 1 file")

    told(page, "Undone: 1 edit")
    assert desk.file("parts.txt").read_text() == "one\ntwo\nof a person\nfour\nFIVE\n"
    page.get_by_role("link", name="Undo this").click()
    press(page, "Undo 1 file")
    told(page, "Undone: 1 edit")
    assert desk.file("parts.txt").read_text() == "ONE\ntwo\nof a person\nfour\nFIVE\n"


@pytest.mark.holds("FIL-undo-2")
def test_what_clashes_is_shown_as_hunks_and_decided_one_by_one(
    looking: Looking, desk: Desk
) -> None:
    session = desk.session("Clash")
    desk.write(session, "clash.txt", "1\n2\n3\n4\n5\n6\n7\n")
    seq = desk.write(session, "clash.txt", "one\n2\n3\nfour\n5\n6\nseven\n")
    desk.file("clash.txt").write_text("uno\n2\n3\nquattro\n5\n6\nsette\n")

    page = looking.go(f"undo?entry=s:{seq}")
    told(page, "1 file must be decided first")
    assert serious(page) == []
    choose(page, "clash.txt, line 1", "As it is now")
    choose(page, "clash.txt, line 4", "As it was before")
    expect(page.get_by_role("button", name="Decide so")).to_be_disabled()
    choose(page, "clash.txt, line 7", "Both")
    press(page, "Decide so")
    expect(step(page, "clash.txt")).to_contain_text("As you decided.")
    assert "quattro" in desk.file("clash.txt").read_text()
    press(page, "Undo 1 file")

    told(page, "Undone: 1 edit")
    assert desk.file("clash.txt").read_text() == "uno\n2\n3\n4\n5\n6\nsette\n7\n"


@pytest.mark.holds("FIL-undo-2")
def test_what_is_changed_while_one_decides_is_asked_again(looking: Looking, desk: Desk) -> None:
    session = desk.session("Overtaken")
    desk.write(session, "late.txt", "1\n")
    seq = desk.write(session, "late.txt", "one\n")
    desk.file("late.txt").write_text("uno\n")
    page = looking.go(f"undo?entry=s:{seq}")
    choose(page, "late.txt, line 1", "As it was before")
    desk.file("late.txt").write_text("un\n")

    press(page, "Decide so")

    expect(page.get_by_role("alert")).to_contain_text("late.txt was changed meanwhile")
    expect(page.get_by_role("group", name="late.txt, line 1")).to_contain_text("un")
    assert desk.file("late.txt").read_text() == "un\n"


@pytest.mark.holds("FIL-undo-1")
def test_a_batch_a_step_and_a_session_are_undone_whole(looking: Looking, desk: Desk) -> None:
    session = desk.session("Whole", "First", "Second")
    texts = [f"whole-{number}.txt" for number in range(3)]
    batch = desk.do(session, *({"path": one, "action": "create", "content": "x"} for one in texts))
    desk.ask("record_step", session_id=session, index=1)
    desk.write(session, "whole-0.txt", "y")

    page = looking.go(f"undo?entry=s:{batch}")
    told(page, "2 files would change, 1 file must be decided first")
    looking.go(f"story/{session}")
    page.get_by_role("link", name="Undo this step").last.click()
    told(page, "Undo step 2: 1 file would change")
    looking.go(f"timeline?session={session}")
    page.get_by_role("link", name="Undo", exact=True).and_(page.locator(".button")).click()
    press(page, "Undo 3 files")

    told(page, "Undone: 3 delete")
    assert not any(desk.file(one).exists() for one in texts)


@pytest.mark.holds("FIL-restore-8")
def test_a_restore_says_whose_work_it_takes_and_can_keep_it(looking: Looking, desk: Desk) -> None:
    session = desk.session("Mine", "First", "Second")
    desk.write(session, "shared.txt", "1\n2\n3\n")
    desk.ask("record_step", session_id=session, index=1)
    desk.write(session, "shared.txt", "one\n2\n3\n")
    other = desk.session("Theirs", actor=REVIEWER)
    desk.write(other, "shared.txt", "one\n2\nthree\n", REVIEWER)

    page = looking.go(f"restore?session={session}&step=1")
    expect(page.get_by_role("alert")).to_contain_text("This takes away what others did: reviewer")
    expect(step(page, "shared.txt")).to_contain_text("Takes away 1 change by reviewer")
    assert serious(page) == []
    press(page, "Keep what others did")
    expect(step(page, "shared.txt")).to_contain_text("Keeps 1 change by reviewer")
    expect(page.get_by_label("Keep what others did since")).to_be_checked()
    press(page, "Restore 1 file")

    told(page, "Restored: 1 edit")
    assert desk.file("shared.txt").read_text() == "1\n2\nthree\n"


def test_a_preview_shows_every_file_however_many(looking: Looking, desk: Desk) -> None:
    session = desk.session("Many")
    names = [f"many/{number:03}.txt" for number in range(205)]
    for start in range(0, len(names), 100):
        some = names[start : start + 100]
        desk.do(session, *({"path": one, "action": "create", "content": "x"} for one in some))

    page = looking.go(f"undo?session={session}")

    told(page, "205 files would change")
    expect(page.locator(".steps > li")).to_have_count(205)


def test_looking_at_an_undo_leaves_no_entry(looking: Looking, desk: Desk) -> None:
    session = desk.session("Only looked at")
    seq = desk.write(session, "looked.txt", "1\n")

    page = looking.go(f"undo?entry=s:{seq}")
    told(page, "1 file would change")

    newest = desk.ask("get_timeline", all_sessions=True, limit=1)["timeline"][0]
    assert newest["seq"] == seq


@pytest.mark.holds("FIL-timeline-1")
def test_the_projects_timeline_shows_changes_of_files_folded(looking: Looking, desk: Desk) -> None:
    session = desk.session("Folded away")
    for number in range(3):
        desk.write(session, "folded.txt", f"{number}\n")

    page = looking.go("timeline")
    row = page.locator(".entry", has_text="3 changes of folded.txt")
    expect(row).to_be_visible()
    expect(row.get_by_role("link", name="Folded away")).to_be_visible()
    expect(page.locator("h2.step")).to_have_count(0)
    row.get_by_role("link", name="Each").click()

    expect(page.get_by_text("3 entries")).to_be_visible()
    expect(page.locator(".entry", has_text="edit folded.txt")).to_have_count(2)


def test_every_kind_of_entry_is_named_in_words(looking: Looking, desk: Desk) -> None:
    desk.session("In words", "Only step")
    page = looking.go("timeline")
    expect(page.locator(".entry", has_text="In words").first).to_be_visible()

    shown = page.locator(".kind").all_inner_texts()
    offered = page.get_by_label("Kind").locator("option").all_inner_texts()

    assert [name for name in [*shown, *offered] if re.search(r"[_.]|\bv\d", name)] == []
