"""Two who change one record: what goes together is merged, the rest is asked, nobody is buried."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.editing import box, change, drafts, edit, save, stored

pytestmark = pytest.mark.clients

BODY = "First line.\nSecond line.\nThird line.\nFourth line.\nFifth line.\n"


def conflict(page: Page) -> Locator:
    """Find what there is to decide."""
    return page.get_by_role("region", name="Conflict")


def choose(page: Page, question: str, side: str) -> None:
    """Answer one question."""
    group = conflict(page).get_by_role("group", name=question)
    group.get_by_role("radio", name=re.compile(f"^{side}")).check()


def test_changes_of_different_fields_merge_by_themselves_and_are_said(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R008")
    box(page, "Title").fill("Stay polite, always")
    change(served, "R008", body="By the agent.\n")

    save(page)

    expect(page.get_by_text("Merged with claude-code’s change of the body")).to_be_visible()
    found = stored(served, "R008")
    assert (found["title"], found["body"]) == ("Stay polite, always", "By the agent.\n")
    page.get_by_role("button", name="See what it was").click()
    expect(page.locator(".since")).to_contain_text("Stay polite, always")
    assert drafts(page) == []


def test_a_merge_is_undone_and_what_was_typed_is_still_there(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R008")
    box(page, "Summary").fill("My summary")
    change(served, "R008", body="By the agent, again.\n")
    before = stored(served, "R008")
    save(page)
    expect(page.get_by_text("Merged with claude-code")).to_be_visible()

    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text("You were editing R008")).to_be_visible()
    after = stored(served, "R008")
    assert (after["summary"], after["body"]) == (before["summary"], before["body"])
    page.get_by_role("button", name="Discard draft").click()


def test_bodies_that_go_together_merge_by_themselves(looking: Looking, served: Served) -> None:
    change(served, "R001", body=BODY)
    page = edit(looking, "R001")
    box(page, "Body").fill("Mine comes first.\n" + BODY)
    change(served, "R001", body=BODY + "Theirs comes last.\n")

    save(page)

    expect(page.get_by_text("Merged with claude-code’s change of the body")).to_be_visible()
    assert stored(served, "R001")["body"] == f"Mine comes first.\n{BODY}Theirs comes last.\n"


def test_saving_mine_reverts_no_field_that_i_did_not_touch(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R002")
    box(page, "Title").fill("My title")
    change(served, "R002", title="Their title", body="Their body.\n", metadata={"by": "them"})
    save(page)
    expect(conflict(page)).to_contain_text("From claude-code: the body and the metadata.")

    choose(page, "Title", "Mine")
    save(page)

    expect(page.get_by_role("heading", name="My title")).to_be_visible()
    found = stored(served, "R002")
    assert (found["title"], found["body"]) == ("My title", "Their body.\n")
    assert found["metadata"] == {"by": "them"}


def test_a_field_that_both_changed_is_not_saved_before_it_is_chosen(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R004")
    box(page, "Summary").fill("My summary")
    change(served, "R004", summary="Their summary")
    save(page)
    expect(conflict(page)).to_contain_text("claude-code changed the summary")
    assert page.locator("input[type=radio]:checked").count() == 0
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    assert not re.search(r"<<<<<<<|t:\d|session", conflict(page).inner_text())

    choose(page, "Summary", "claude-code")
    save(page)

    expect(page.locator(".summary")).to_have_text("Their summary")
    assert stored(served, "R004")["summary"] == "Their summary"
    assert drafts(page) == []


@pytest.mark.parametrize(
    ("side", "made"),
    [
        ("Mine", "My second.\n"),
        ("claude-code", "Their second.\n"),
        ("Both", "My second.\nTheir second.\n"),
        ("By hand", "By hand.\n"),
    ],
)
def test_lines_that_clash_are_chosen_one_by_one(
    looking: Looking, served: Served, side: str, made: str
) -> None:
    change(served, "R003", body=BODY)
    page = edit(looking, "R003")
    box(page, "Body").fill(BODY.replace("Second line.", "My second.").replace("Fifth", "My fifth"))
    change(served, "R003", body=BODY.replace("Second line.", "Their second."))
    save(page)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()

    choose(page, "Body, line 2", side)
    if side == "By hand":
        conflict(page).get_by_label("Body, line 2, by hand").fill("By hand.\n")
    expect(conflict(page)).to_contain_text("Everything is chosen")
    save(page)

    expect(page.locator(".prose")).to_contain_text(made.splitlines()[0])
    whole = BODY.replace("Second line.\n", made).replace("Fifth", "My fifth")
    assert stored(served, "R003")["body"] == whole


def test_a_third_change_is_shown_and_keeps_what_was_chosen(
    looking: Looking, served: Served
) -> None:
    page = edit(looking, "R005")
    box(page, "Title").fill("My title")
    box(page, "Summary").fill("My summary")
    change(served, "R005", title="Their title", summary="Their summary")
    save(page)
    choose(page, "Title", "Mine")
    choose(page, "Summary", "Mine")
    change(served, "R005", summary="Their newest summary")

    save(page)

    expect(conflict(page)).to_contain_text("Their newest summary")
    assert stored(served, "R005")["summary"] == "Their newest summary"
    expect(conflict(page)).to_contain_text("1 choice left")
    title = conflict(page).get_by_role("group", name="Title")
    expect(title.get_by_role("radio", name=re.compile("^Mine"))).to_be_checked()
    choose(page, "Summary", "Both")
    save(page)
    expect(page.get_by_role("heading", name="My title")).to_be_visible()
    found = stored(served, "R005")
    assert found["title"] == "My title"
    assert found["summary"] == "My summary / Their newest summary"


def test_a_third_change_is_told_while_one_chooses(looking: Looking, served: Served) -> None:
    page = edit(looking, "R006")
    box(page, "Summary").fill("My summary")
    change(served, "R006", summary="Their summary")
    save(page)
    choose(page, "Summary", "Mine")
    change(served, "R006", body="More by them.\n")
    expect(conflict(page)).to_contain_text("claude-code changed it again")

    page.get_by_role("button", name="Show it").click()

    expect(conflict(page)).to_contain_text("From claude-code: the body.")
    expect(conflict(page)).to_contain_text("Everything is chosen")
    save(page)
    expect(page.locator(".summary")).to_have_text("My summary")
    assert stored(served, "R006")["body"] == "More by them.\n"


def test_what_was_chosen_outlives_the_tab(looking: Looking, served: Served) -> None:
    page = edit(looking, "R007")
    box(page, "Summary").fill("My summary")
    change(served, "R007", summary="Their summary")
    save(page)
    choose(page, "Summary", "Mine")
    page.reload()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("claude-code changed the summary")).to_be_visible()

    save(page)

    expect(conflict(page)).to_contain_text("Everything is chosen")
    page.get_by_role("button", name="Back to editing").click()
    expect(box(page, "Summary")).to_have_value("My summary")
    page.get_by_role("button", name="Discard changes").click()


def test_metadata_is_edited_and_chosen_key_by_key(looking: Looking, served: Served) -> None:
    change(served, "R009", metadata={"size": 1, "kept": True})
    page = edit(looking, "R009")
    page.get_by_text("Related, citations, metadata").click()
    box(page, "Metadata (JSON)").fill('{"size": 2, "kept": true, "mine": [1]}')
    change(served, "R009", metadata={"size": 3, "theirs": None, "other": "x"})
    save(page)

    choose(page, "Metadata: size", "Mine")
    save(page)

    expect(conflict(page)).to_have_count(0)
    assert stored(served, "R009")["metadata"] == {
        "size": 2, "kept": True, "mine": [1], "other": "x",
    }  # fmt: skip
