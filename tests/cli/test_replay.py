"""`hansard replay`: a session in one file, and that file in a real browser."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_views import serious
from tests.cli.running import Hansard
from tests.cli.test_recorder_cli import SESSION, Recorded, op
from tests.clients.browsing import a_page

MARKUP = "</script><script>window.harmed=1</script><img src=x onerror='window.harmed=1'>"
SECRET = "ghp_" + "aZ3kQ9xW7vB5nM1cR8tY2uL6pD4sF0gHjE1q"
"""Of the form of a token, and none."""


@pytest.fixture
def recorded(hansard: Hansard, tmp_path: Path) -> Recorded:
    """Give a session that has markup in every text of it, after another one at the same file."""
    recorded = Recorded(hansard, tmp_path / "workspace")
    recorded.do(
        op("create", "a.py", content="older\n"),
        op("edit", "a.py", content="old\n"),
        session="before",
    )
    recorded.do(
        ("record_session_start", {"title": "A faster parser", "user_message": MARKUP}),
        ("record_plan", {"steps": ["Measure", f"Change {MARKUP}"]}),
        ("record_step", {"index": 0}),
        op("edit", "a.py", content="one\n"),
        ("audit_event", {"type": "note", "description": f"It is the lexer {MARKUP}"}),
        ("record_step", {"index": 1}),
        op("edit", "a.py", content=f"one\n{MARKUP}\n"),
        op("create", "b.bin", content="AAEC/w==", encoding="base64"),
        op("edit", "a.py", content=f"one\n{MARKUP}\nthree\n"),
    )
    return recorded


def replayed(recorded: Recorded, *options: str, session: str = SESSION) -> Path:
    """Write the session into a file."""
    file = recorded.folder.parent / "session.html"
    ran = recorded.run("replay", session, str(file), *options)
    assert ran.code == 0, ran.err
    return file


def held(file: Path) -> dict[str, Any]:
    """Read the session out of a file as a browser would: up to the first end of a script."""
    [text] = re.findall(r'id="session">(.*?)</script>', file.read_text(), flags=re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_file_holds_the_session_and_what_its_films_begin_with(recorded: Recorded) -> None:
    session = held(replayed(recorded))

    assert (session["project"], session["session_id"]) == ("default", SESSION)
    assert session["story"][0]["title"] == "A faster parser"
    assert {"plan_step", "audit_event", "file_edit"} <= {one["kind"] for one in session["timeline"]}
    [film] = [one for one in session["files"] if one["file"]["path"] == "a.py"]
    assert [one["revision"] for one in film["revisions"]] == [5, 4, 3, 2]
    assert set(session["contents"].values()) == {
        "old\n", "one\n", f"one\n{MARKUP}\n", f"one\n{MARKUP}\nthree\n",
    }  # fmt: skip
    assert session["left_out"] == []


def test_no_text_ends_the_element_that_it_is_in(recorded: Recorded) -> None:
    page = replayed(recorded).read_text()

    assert page.count("</script>") == 2
    assert "<script>" not in page
    assert "<img" not in page


def test_the_policy_lets_nothing_run_but_the_page_itself(recorded: Recorded) -> None:
    page = replayed(recorded).read_text()

    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    [script] = re.findall(r'<script type="module">(.*?)</script>', page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_what_has_no_room_is_left_out_and_said(recorded: Recorded) -> None:
    recorded.do(op("create", "long.txt", content="x" * 1_200_000))

    file = recorded.folder.parent / "session.html"
    ran = recorded.run("replay", SESSION, str(file), "--max-mb", "1", "--json")

    told = json.loads(ran.out)
    assert told["left_out"] == held(file)["left_out"] == ["1 contents of revisions had no room."]
    assert told["bytes"] == file.stat().st_size < 1_200_000
    assert len(held(file)["missing"]) == 1


def test_what_was_never_recorded_is_not_in_the_file(recorded: Recorded) -> None:
    recorded.do(op("create", "keys.txt", content=f"{SECRET}\n"))

    file = replayed(recorded)

    [film] = [one for one in held(file)["files"] if one["file"]["path"] == "keys.txt"]
    assert film["revisions"][0]["redacted"]
    assert SECRET not in file.read_text()


def test_what_was_erased_stays_erased(recorded: Recorded) -> None:
    erased = recorded.run.on_a_terminal("redact", "path", "a.py", "--reason", "leaked", "--yes")
    assert erased.code == 0, erased.out

    file = replayed(recorded)

    assert "three" not in file.read_text().partition('id="session">')[2].partition("</script>")[0]


@pytest.mark.parametrize("session", ["nowhere", ""])
def test_a_session_that_is_not_there_leaves_no_file(recorded: Recorded, session: str) -> None:
    file = recorded.folder.parent / "none.html"

    assert recorded.run("replay", session, str(file)).code != 0
    assert not file.exists()


def test_without_a_name_it_is_the_latest_session_that_changed_a_file(
    recorded: Recorded, tmp_path: Path
) -> None:
    alone = recorded.run("replay", str(tmp_path / "alone.html"))
    later = {"session_id": "later", "title": "Only talk", "user_message": "What do you think?"}
    recorded.do(("record_session_start", later))
    file = tmp_path / "latest.html"

    ran = recorded.run("replay", str(file))
    named = recorded.run("replay", "@latest", str(tmp_path / "named.html"))

    assert (alone.code, alone.err) == (0, "")
    assert (ran.code, held(file)["session_id"]) == (0, SESSION)
    assert ran.err.startswith("later, the latest session, changed no file")
    assert (named.code, held(tmp_path / "named.html")["session_id"]) == (0, "later")


def test_a_file_that_is_there_stays(recorded: Recorded) -> None:
    file = replayed(recorded)
    before = file.read_bytes()

    ran = recorded.run("replay", SESSION, str(file))

    assert (ran.code, "is there already" in ran.err) == (2, True)
    assert file.read_bytes() == before


def test_a_file_that_cannot_be_written_is_said(recorded: Recorded) -> None:
    no_folder = recorded.folder.parent / "taken"
    no_folder.write_text("a file")

    ran = recorded.run("replay", SESSION, str(no_folder / "session.html"))

    assert (ran.code, "cannot be written" in ran.err) == (2, True)


def opened(page: Page, file: Path, place: str = "") -> Page:
    """Open the file from disk."""
    page.goto(file.as_uri() + place)
    return page


@pytest.mark.clients
def test_the_story_and_the_timeline_are_read_from_disk(recorded: Recorded) -> None:
    file = replayed(recorded)
    with a_page() as page:
        opened(page, file)
        expect(page.get_by_role("heading", name="A faster parser")).to_be_visible()
        expect(page.locator("blockquote")).to_have_text(MARKUP)
        page.get_by_role("navigation", name="Views").get_by_role("link", name="Timeline").click()

        expect(page.get_by_text(f"It is the lexer {MARKUP}")).to_be_visible()
        page.get_by_label("Kind").select_option("file_edit")
        expect(page.locator(".entry")).to_have_count(3)
        expect(page.get_by_role("link", name="Undo")).to_have_count(0)
        assert page.evaluate("window.harmed") is None


@pytest.mark.clients
def test_the_player_works_without_a_server(recorded: Recorded) -> None:
    file = replayed(recorded)
    with a_page() as page:
        opened(page, file, "#/default/evolution?path=a.py")
        expect(page.get_by_text("Revision 1 of 4")).to_be_visible()
        expect(page.locator(".stage")).to_contain_text("old")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text("Revision 2 of 4")).to_be_visible()
        page.get_by_label("Speed").select_option("4")
        page.get_by_role("button", name="Play").click()

        expect(page.get_by_text("Revision 4 of 4")).to_be_visible()
        expect(page.locator(".stage")).to_contain_text(MARKUP)
        expect(page.locator(".stage .is-added")).to_contain_text("three")
        assert page.evaluate("window.harmed") is None


@pytest.mark.clients
def test_the_movie_plays_without_a_server(recorded: Recorded) -> None:
    file = replayed(recorded)
    with a_page() as page:
        opened(page, file)
        page.get_by_role("navigation", name="Views").get_by_role("link", name="Movie").click()
        expect(page.locator(".caption")).to_contain_text(MARKUP)
        page.get_by_label("Speed").select_option("4")
        page.get_by_role("button", name="Play").click()

        expect(page.locator(".stage .is-added")).to_contain_text("three")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        expect(page.locator(".chapter")).to_contain_text("Step 2 Change")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".screen")).to_contain_text("It is not text")
        assert page.evaluate("window.harmed") is None
        assert serious(page) == []


@pytest.mark.clients
def test_an_entry_opens_with_its_diff_without_a_server(recorded: Recorded) -> None:
    file = replayed(recorded)
    with a_page() as page:
        opened(page, file, "#/default/timeline?kind=file_edit")
        page.locator(".entry", has_text="edit a.py").nth(1).click(position={"x": 4, "y": 4})

        expect(page.locator(".detail .is-added")).to_have_text(f"+{MARKUP}")
        expect(page.locator(".detail .is-removed")).to_have_count(0)
        assert page.evaluate("window.harmed") is None


@pytest.mark.clients
def test_an_entry_leads_to_its_film_and_back(recorded: Recorded) -> None:
    file = replayed(recorded)
    with a_page() as page:
        opened(page, file, "#/default/timeline")
        page.locator(".entry", has_text="create b.bin").get_by_role("link", name="Film").click()
        expect(page.get_by_text("It is not text")).to_be_visible()
        page.get_by_role("link", name="Entry s:").click()

        expect(page.locator(".entry.is-chosen")).to_contain_text("create b.bin")


@pytest.mark.clients
def test_the_file_keeps_nobody_out(recorded: Recorded) -> None:
    file = replayed(recorded)
    with a_page() as page:
        for view, name in (("story", "Story"), ("timeline", "Timeline"), ("evolution", "Files")):
            opened(page, file, f"#/default/{view}")
            views = page.get_by_role("navigation", name="Views")
            expect(views.get_by_role("link", name=name, exact=True)).to_be_visible()
            expect(page.locator("main")).not_to_contain_text("One moment")
            assert serious(page) == []
