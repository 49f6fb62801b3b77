"""What a person does on the page: edit, settle a conflict, decide, bring files back."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process

pytestmark = pytest.mark.clients


def edit(looking: Looking, record: str) -> Page:
    """Begin to edit a record."""
    page = looking.go(f"records/{record}")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Body")).to_be_visible()
    return page


@pytest.mark.holds("ALL-10.5")
def test_a_record_is_edited_in_place_as_a_person(looking: Looking, served: Served) -> None:
    page = edit(looking, "R008")
    page.get_by_label("Title").fill("Stay polite, always")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("heading", name="Stay polite, always")).to_be_visible()
    page.locator(".history summary").first.click()

    with second_process(served.folder) as call:
        told = call("get_record_diff", id="R008", **{"from": "current"})["to_version"]
    assert told["title"] == "Stay polite, always"
    assert told["author"].startswith("human:")


def test_a_conflict_shows_both_versions_and_the_merge(looking: Looking, served: Served) -> None:
    page = edit(looking, "R001")
    body = page.get_by_label("Body").input_value()
    page.get_by_label("Body").fill("Mine comes first.\n" + body)
    with second_process(served.folder) as call:
        session = call("activate", id="R001", override=True)["session_id"]
        call("update_record", id="R001", body=body + "\nTheirs comes last.", session_id=session)
    page.get_by_role("button", name="Save").click()

    conflict = page.get_by_role("region", name="Conflict")
    expect(conflict).to_contain_text("The bodies merge without a clash")
    expect(conflict.get_by_label("Yours: body")).to_contain_text("Mine comes first.")
    expect(conflict.get_by_label("Theirs: body")).to_contain_text("Theirs comes last.")
    merged = conflict.get_by_label("Merged").input_value()
    assert merged.startswith("Mine comes first.")
    assert merged.rstrip().endswith("Theirs comes last.")
    conflict.get_by_role("button", name="Save the merge").click()

    expect(page.locator(".prose")).to_contain_text("Mine comes first.")
    expect(page.locator(".prose")).to_contain_text("Theirs comes last.")


def test_a_merge_with_a_clash_is_not_saved_before_it_is_mended(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R004")
    body = page.get_by_label("Body").input_value()
    page.get_by_label("Body").fill(body.replace("people mend pages", "readers see pages"))
    with second_process(served.folder) as call:
        session = call("activate", id="R004", override=True)["session_id"]
        theirs = body.replace("people mend pages", "authors mend pages")
        call("update_record", id="R004", body=theirs, session_id=session)
    page.get_by_role("button", name="Save").click()
    conflict = page.get_by_role("region", name="Conflict")
    expect(conflict.get_by_role("button", name="Save the merge")).to_be_disabled()

    conflict.get_by_label("Merged").fill("Grouped by page, for authors and readers.")
    conflict.get_by_role("button", name="Save the merge").click()

    expect(page.locator(".prose")).to_have_text("Grouped by page, for authors and readers.")


def test_a_record_is_put_off_with_a_reason(looking: Looking) -> None:
    page = looking.go("records/R005")
    page.get_by_role("button", name="Put off").click()
    page.get_by_label("Why?").fill("After the first release")
    page.get_by_role("dialog").get_by_role("button", name="Put off").click()

    expect(page.locator(".record .badge").first).to_have_text("LATER")
    expect(page.get_by_text("After the first release").first).to_be_visible()


def test_a_proposal_is_accepted_by_who_proves_the_secret(looking: Looking, served: Served) -> None:
    page = looking.go("decisions")
    page.get_by_role("region", name="To review").get_by_role("link", name="P001").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("alert")).to_contain_text("secret")

    page.get_by_label("The server’s secret").fill((served.folder / "secret").read_text())
    page.get_by_role("button", name="Accept").click()

    expect(page.get_by_role("heading", name="Allow two requests to a host")).to_be_visible()
    expect(page.locator(".decision .badge").first).to_have_text("active")
    looking.forgive("403")


def test_a_proposal_is_rejected_for_a_reason(looking: Looking) -> None:
    page = looking.go("decisions/P002")
    page.get_by_label("Why, if you reject it").fill("Redirects are not our business")
    page.get_by_role("button", name="Reject").click()

    expect(page.locator(".decision .badge").first).to_have_text("rejected")
    expect(page.get_by_text("Redirects are not our business")).to_be_visible()


def test_looking_leaves_no_entry(looking: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        before = call("get_recent_activity", limit=1)["activity"][0]["seq"]
        session = max(call("list_sessions")["sessions"], key=lambda one: one["edits"])
    page = looking.go("records/R002")
    expect(page.get_by_role("heading", name="Crawl a site in parallel")).to_be_visible()
    looking.go(f"restore?session={session['session_id']}")
    page.get_by_role("button", name="Show what would change").click()
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
    page.get_by_role("button", name="Show what would change").click()
    page.get_by_role("button", name="Show the change").click()
    expect(page.get_by_label("Change of lantern/report.py")).to_contain_text("-from datetime")
    assert "since" in file.read_text()

    page.get_by_role("button", name="Restore 1 file").click()

    expect(page.get_by_role("status").filter(has_text="Restored")).to_be_visible()
    assert "since" not in file.read_text()
    _undo(page, file)


def _undo(page: Page, file: Path) -> None:
    page.get_by_role("link", name="Undo this").click()
    page.get_by_role("button", name="Show what would change").click()
    page.get_by_role("button", name="Restore 1 file").click()
    expect(page.get_by_role("status").filter(has_text="Restored")).to_be_visible()
    assert "since" in file.read_text()
