"""What others do is told while one edits, and the page keeps up while they do much."""

import threading
import time

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WAIT_S, Looking, Served
from tests.browser.editing import CLAUDE, box, change, edit, kept, save, stored
from tests.browser.seeding import second_process

pytestmark = pytest.mark.clients


def test_a_change_of_what_one_edits_is_told_and_takes_neither_text_nor_focus(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R008")
    box(page, "Title").fill("My title")
    box(page, "Title").press("Home")
    change(served, "R008", body="Their body.\n")

    expect(page.get_by_text("claude-code changed the body")).to_contain_text("s ago")

    page.keyboard.type("Still ")
    expect(box(page, "Title")).to_have_value("Still My title")
    page.get_by_role("button", name="See").click()
    expect(page.get_by_label("What changed in the body")).to_contain_text("+Their body.")


def test_their_change_is_merged_into_what_one_types(looking: Looking, served: Served) -> None:
    change(served, "R002", body="One.\nTwo.\nThree.\n")
    page = edit(looking, "R002")
    box(page, "Body").fill("One.\nTwo.\nThree, by me.\n")
    change(served, "R002", body="One, by them.\nTwo.\nThree.\n", title="Their title")
    expect(page.get_by_text("claude-code changed the title and the body")).to_be_visible()

    page.get_by_role("button", name="Merge now").click()

    expect(box(page, "Body")).to_have_value("One, by them.\nTwo.\nThree, by me.\n")
    expect(box(page, "Title")).to_have_value("Their title")
    expect(page.get_by_text("claude-code changed")).to_have_count(0)
    assert stored(served, "R002")["body"] == "One, by them.\nTwo.\nThree.\n"
    save(page)
    expect(page.locator(".prose")).to_contain_text("Three, by me.")
    assert stored(served, "R002")["body"] == "One, by them.\nTwo.\nThree, by me.\n"


def test_who_else_is_at_a_record_is_said(looking: Looking, served: Served) -> None:
    page = looking.go("records/R007")
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    with second_process(served.folder, CLAUDE) as call:
        call("activate", id="R007")

        expect(page.get_by_text("Also at work on this")).to_contain_text("claude-code")


def test_the_page_keeps_up_with_writes_that_never_pause(looking: Looking, served: Served) -> None:
    page = looking.go("overview")
    expect(page.get_by_role("heading", name="Lantern")).to_be_visible()
    over = threading.Event()
    writing = threading.Thread(target=_write, args=(served, over))
    writing.start()
    try:
        expect(page.get_by_text("Written without a pause").first).to_be_visible()
        assert writing.is_alive()
    finally:
        over.set()
        writing.join()


def _write(served: Served, over: threading.Event) -> None:
    """Record something more often than the page waits for a quiet moment."""
    with second_process(served.folder, CLAUDE) as call:
        session = call("record_session_start", title="Busy")["session_id"]
        number = 0
        while not over.wait(0.05):
            number += 1
            text = f"Written without a pause, {number}"
            call("audit_event", type="milestone", description=text, session_id=session)


def test_who_has_saved_is_no_longer_said_to_be_at_it(looking: Looking, served: Served) -> None:
    page = edit(looking, "R004")
    box(page, "Title").fill("Saved and laid aside")
    with second_process(served.folder, CLAUDE) as call:
        here = call("get_active_sessions", record_id="R004")["sessions"]
        assert "page" in {one["session_id"].partition(".")[0] for one in here}
        save(page)
        expect(page.get_by_role("heading", name="Saved and laid aside")).to_be_visible()
        expect(page.locator(".history")).to_contain_text("title")

        last = time.monotonic() + WAIT_S
        while any(one["session_id"].startswith("page.") for one in here):
            assert time.monotonic() < last, here
            page.wait_for_timeout(50)
            here = call("get_active_sessions", record_id="R004")["sessions"]


SCRIPTS = (
    "Plain ASCII, \ttabs\r\n"
    "Ελληνικά, Кириллица, हिन्दी, 日本語, 한국어, ไทย\n"
    "עברית العربية \u200f\u202e with marks\r"
    "😀👩‍👩‍👧‍👦 \U00020000 e\u0301 \u2028\u0085\ufeff\x01\n"
)


@pytest.mark.slow("a body of a mebibyte goes through a text box")
def test_a_long_body_of_every_script_goes_through_the_editor_to_the_byte(
    looking: Looking, served: Served
) -> None:
    times, rest = divmod(2**20, len(SCRIPTS.encode()))
    body = SCRIPTS * times + "." * (rest - 1)
    assert len(body.encode()) == 2**20 - 1
    change(served, "R003", body=body)
    page = edit(looking, "R003")
    box(page, "Body").press("Control+End")
    page.keyboard.type("!")
    kept(page)
    page.reload()
    page.get_by_role("button", name="Go on").click()
    expect(box(page, "Body")).to_be_visible()

    save(page)

    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    found = stored(served, "R003")["body"]
    assert (len(found), found == body + "!") == (len(body) + 1, True)
