"""What a person does on the page: edit, decide, bring files back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Looking, Served, let_in_anew, look, serve
from tests.browser.editing import edit
from tests.browser.proving import enter_secret
from tests.browser.seeding import fill_example, know_secret, second_process

pytestmark = pytest.mark.clients


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the example project from a store that knows the secret."""
    folder = tmp_path_factory.mktemp("lantern")
    fill_example(folder)
    know_secret(folder)
    with serve(folder) as running:
        yield running


@pytest.fixture
def person(browser: Browser, served: Served) -> Iterator[Looking]:
    """Look as somebody who has proved the secret: in a browser of their own, since it is kept."""
    with let_in_anew(browser, served) as context:
        looking = look(context, served)
        page = looking.go("overview")
        page.get_by_role("button", name="Prove who you are").click()
        enter_secret(page, served)
        expect(page.get_by_role("button", name="Prove who you are")).to_have_count(0)
        yield looking
        assert looking.complaints == []


@pytest.mark.holds("ALL-10.5")
def test_a_record_is_edited_in_place_as_a_person(person: Looking, served: Served) -> None:
    page = edit(person, "R008")
    page.get_by_label("Title").fill("Stay polite, always")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("heading", name="Stay polite, always")).to_be_visible()
    page.locator(".history summary").first.click()

    with second_process(served.folder) as call:
        told = call("get_record_diff", id="R008", **{"from": "current"})["to_version"]
    assert told["title"] == "Stay polite, always"
    assert told["author"].startswith("human:")


def test_who_has_not_proved_the_secret_is_told_what_they_count_as(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R009")
    expect(page.locator(".self")).to_contain_text("(unproved)")
    page.get_by_label("Title").fill("By whoever was there")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="By whoever was there")).to_be_visible()

    with second_process(served.folder) as call:
        told = call("get_record_diff", id="R009", **{"from": "current"})["to_version"]
    assert told["author"].startswith("agent:")


def test_a_record_is_put_off_with_a_reason(looking: Looking) -> None:
    page = looking.go("records/R005")
    page.get_by_role("button", name="Put off").click()
    page.get_by_label("Why?").fill("After the first release")
    page.get_by_role("dialog").get_by_role("button", name="Put off").click()

    expect(page.locator(".record .badge").first).to_have_text("for later")
    expect(page.get_by_text("After the first release").first).to_be_visible()


def test_a_proposal_is_accepted_by_who_proves_the_secret(browser: Browser, served: Served) -> None:
    with let_in_anew(browser, served) as context:
        looking = look(context, served)
        page = looking.go("decisions")
        page.get_by_role("region", name="To review").get_by_role("link", name="P001").click()
        page.get_by_role("button", name="Accept").click()
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(page.get_by_role("alert")).to_contain_text("Enter the secret")

        page.get_by_role("button", name="Accept").click()
        asking = page.get_by_role("dialog", name="Prove that you are a person")
        asking.get_by_label("The server’s secret").fill("not the secret, but as long as it")
        asking.get_by_role("button", name="Prove it").click()
        expect(asking.get_by_role("alert")).to_contain_text("secret")
        enter_secret(page, served)

        expect(page.get_by_role("heading", name="Allow two requests to a host")).to_be_visible()
        expect(page.locator(".decision .badge").first).to_have_text("active")
        looking.forgive("403")
        assert looking.complaints == []


def test_a_proposal_is_rejected_for_a_reason(person: Looking) -> None:
    page = person.go("decisions/P002")
    page.get_by_label("Why, if you reject it").fill("Redirects are not our business")
    page.get_by_role("button", name="Reject r").click()
    page.get_by_role("button", name="Reject now").click()

    expect(page.locator(".decision .badge").first).to_have_text("rejected")
    expect(page.get_by_text("Redirects are not our business")).to_be_visible()


def test_looking_leaves_no_entry(looking: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        before = call("get_recent_activity", limit=1)["activity"][0]["seq"]
        session = max(call("list_sessions")["sessions"], key=lambda one: one["edits"])
    page = looking.go("records/R002")
    expect(page.get_by_role("heading", name="Crawl a site in parallel")).to_be_visible()
    looking.go(f"restore?session={session['session_id']}")
    expect(page.get_by_role("button", name="Restore 3 files")).to_be_visible()
    looking.go("decisions/D003")
    expect(page.get_by_role("heading", name="Use httpx with its async client")).to_be_visible()

    with second_process(served.folder) as call:
        after = call("get_recent_activity", limit=1)["activity"][0]["seq"]
    assert after == before


def test_a_file_is_brought_back_after_a_look_at_what_changes(
    looking: Looking, served: Served
) -> None:
    file = served.folder / "workspace/lantern/report.py"
    page = looking.go("evolution?path=lantern/report.py&revision=1")
    page.get_by_role("link", name="Bring this revision back").click()
    expect(page.get_by_label("Change of lantern/report.py")).to_contain_text("-from datetime")
    assert "since" in file.read_text()

    page.get_by_role("button", name="Restore 1 file").click()

    expect(page.get_by_role("status").filter(has_text="Restored")).to_be_visible()
    assert "since" not in file.read_text()
    _undo(page, file)


def _undo(page: Page, file: Path) -> None:
    page.get_by_role("link", name="Undo this").click()
    page.get_by_role("button", name="Undo 1 file").click()
    expect(page.get_by_role("status").filter(has_text="Undone")).to_be_visible()
    assert "since" in file.read_text()
