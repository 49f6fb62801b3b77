"""What a person writes on the page: records, decisions, notes, answers; and where records lie."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process

pytestmark = pytest.mark.clients

PAGE = 200
"""How many records of a branch are shown at once."""


def made(served: Served, record: str) -> dict[str, object]:
    """Ask for a record as an agent would."""
    with second_process(served.folder) as call:
        return call("get_record_ref", id=record)


def new_record(page: Page, title: str) -> str:
    """Write a record on the page; gives its id."""
    page.get_by_role("button", name="New record").click()
    form = page.get_by_role("dialog", name="New record")
    form.get_by_label("Title").fill(title)
    form.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    return page.url.rpartition("/")[2]


def test_a_record_is_written_and_read_as_markdown(looking: Looking, served: Served) -> None:
    page = looking.go("records")
    page.get_by_role("button", name="New record").click()
    form = page.get_by_role("dialog", name="New record")
    form.get_by_label("Title").fill("Why was D003 decided?")
    form.get_by_label("Kind").fill("question")
    form.get_by_label("Body").fill("- **one**\n- see R002")
    form.get_by_role("button", name="Preview").click()
    expect(form.get_by_role("listitem").filter(has_text="one")).to_be_visible()
    form.get_by_role("button", name="Create").click()

    expect(page.locator(".record .prose strong")).to_have_text("one")
    expect(page.locator(".record .prose").get_by_role("link", name="R002")).to_be_visible()
    record = page.url.rpartition("/")[2]
    assert made(served, record)["type"] == "question"


def test_a_record_is_added_below_another(looking: Looking, served: Served) -> None:
    page = looking.go("records/R008")
    page.get_by_role("button", name="Add below").click()
    form = page.get_by_role("dialog", name="New record")
    expect(form.get_by_text("R008 Stay polite")).to_be_visible()
    form.get_by_label("Title").fill("Ask robots.txt first")
    form.get_by_role("button", name="Create").click()

    expect(page.get_by_role("heading", name="Ask robots.txt first")).to_be_visible()
    assert made(served, page.url.rpartition("/")[2])["parent_id"] == "R008"


def test_what_is_typed_is_there_again_after_the_page_was_left(looking: Looking) -> None:
    page = looking.go("records")
    page.get_by_role("button", name="New record").click()
    page.get_by_role("dialog").get_by_label("Title").fill("Half a thought")
    page.reload()

    page.get_by_role("button", name="New record").click()

    expect(page.get_by_role("dialog").get_by_label("Title")).to_have_value("Half a thought")


def test_a_note_stands_in_the_timeline_with_its_record(looking: Looking, served: Served) -> None:
    page = looking.go("records/R004")
    page.get_by_role("button", name="Note", exact=True).click()
    page.get_by_role("dialog").get_by_label("About R004").fill("Maria liked the columns")
    page.get_by_role("button", name="Note it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)

    with second_process(served.folder) as call:
        [note] = call("get_timeline", kinds=["audit_event"], limit=1, all_sessions=True)["timeline"]
    assert note["content"] == "Maria liked the columns"
    assert note["cites"] == ["R004"]


def test_a_decision_is_written_and_replaced(looking: Looking, served: Served) -> None:
    page = looking.go("decisions")
    page.get_by_role("button", name="New decision").click()
    form = page.get_by_role("dialog", name="New decision")
    form.get_by_label("What is decided").fill("Reports are HTML")
    form.get_by_label("About what").fill("report format")
    form.get_by_label("Why").fill("Everybody has a browser.")
    form.get_by_role("button", name="Decide").click()
    expect(
        page.locator(".decision").get_by_role("heading", name="Reports are HTML")
    ).to_be_visible()

    page.get_by_role("button", name="Replace it").click()
    form.get_by_label("What is decided").fill("Reports are Markdown")
    form.get_by_label("About what").fill("report format")
    form.get_by_label("Why").fill("It can be read everywhere.")
    form.get_by_role("button", name="Decide, in place of").click()

    shown = page.locator(".decision").get_by_role("heading", name="Reports are Markdown")
    expect(shown).to_be_visible()
    with second_process(served.folder) as call:
        found = call("search_decisions", query="reports format", mode="strict")["results"]
    assert "Reports are HTML" not in {one["title"] for one in found}


def test_a_record_is_resolved_by_an_answer_written_there(looking: Looking, served: Served) -> None:
    page = looking.go("records")
    question = new_record(page, "Which port is free?")
    page.get_by_role("button", name="Resolve", exact=True).click()
    form = page.get_by_role("dialog", name=f"Resolve {question}")
    form.get_by_label("The answer, in a few words").fill("8377 is")
    form.get_by_role("button", name="Resolve").click()

    expect(page.locator(".record .badge").first).to_have_text("resolved")
    expect(page.locator(".facts").get_by_text("8377 is")).to_be_visible()
    assert made(served, question)["state"] == "RESOLVED"


def test_a_record_is_resolved_by_one_that_is_chosen_by_words(looking: Looking) -> None:
    page = looking.go("records")
    question = new_record(page, "Are rate limits the cause?")
    page.get_by_role("button", name="Resolve", exact=True).click()
    form = page.get_by_role("dialog", name=f"Resolve {question}")
    form.get_by_label("A record says it already").check()
    form.get_by_role("combobox").fill("false alarms")
    form.get_by_role("option", name="R009").click()
    form.get_by_role("button", name="Resolve").click()

    expect(page.locator(".facts").get_by_role("link", name="R009")).to_be_visible()


def grown_tree(page: Page) -> Locator:
    """Give the tree once its branches are there: till then rows move away from under the mouse."""
    tree = page.get_by_role("navigation", name="Records")
    expect(tree.get_by_role("link", name="Check mail addresses")).to_be_visible()
    expect(tree.get_by_role("link", name="Stay polite")).to_be_visible()
    return tree


def test_a_record_is_dragged_under_another_and_back(looking: Looking, served: Served) -> None:
    page = looking.go("records")
    tree = grown_tree(page)
    dragged = tree.get_by_role("link", name="A report that people can read")
    dragged.drag_to(tree.get_by_role("link", name="Stay polite"))

    expect(page.get_by_text("R004 is under R008 now.")).to_be_visible()
    assert made(served, "R004")["parent_id"] == "R008"
    page.get_by_role("button", name="Undo", exact=True).click()

    expect(page.get_by_text("R004 is under R008 now.")).to_have_count(0)
    assert made(served, "R004")["parent_id"] == "R001"


def test_a_record_is_moved_without_a_mouse(looking: Looking, served: Served) -> None:
    page = looking.go("records")
    record = new_record(page, "Goes elsewhere")
    page.get_by_role("button", name="Move", exact=True).click()
    form = page.get_by_role("dialog", name=f"Move {record}")
    form.get_by_role("combobox").fill("R008")
    expect(form.get_by_role("option", name="R008")).to_be_visible()
    form.get_by_role("combobox").press("Enter")
    form.get_by_role("button", name="Move", exact=True).click()

    expect(page.locator(".facts").get_by_role("link", name="R008 Stay polite")).to_be_visible()
    assert made(served, record)["parent_id"] == "R008"


def test_a_record_cannot_be_dragged_under_itself_and_is_told_why(looking: Looking) -> None:
    page = looking.go("records")
    tree = grown_tree(page)
    tree.get_by_role("link", name="No reader meets a dead link").drag_to(
        tree.get_by_role("link", name="Crawl a site in parallel")
    )

    expect(tree.get_by_role("alert")).to_contain_text("R001")
    looking.forgive("/api/v1/move_record")


def test_records_are_filtered_by_words_and_state(looking: Looking) -> None:
    page = looking.go("records")
    page.get_by_label("Filter", exact=True).fill("mail addresses")
    tree = page.get_by_role("navigation", name="Records")
    expect(tree.get_by_role("link", name="A report that people can read")).to_have_count(0)
    expect(tree.get_by_role("link").first).to_contain_text("Check mail addresses")
    assert "q=mail" in page.url

    page.get_by_role("button", name="open", exact=True).click()

    expect(tree.get_by_role("link", name="Check mail addresses")).to_have_count(0)


def test_several_records_are_put_off_at_once_and_what_is_not_is_said(
    looking: Looking, served: Served
) -> None:
    page = looking.go("records")
    first, second = new_record(page, "Bulk one"), new_record(page, "Bulk two")
    page.get_by_role("button", name="Select", exact=True).click()
    for record in (first, second, "R003"):
        page.get_by_label(f"Select {record}").check()
    page.get_by_role("button", name="Put off").first.click()
    page.get_by_label("Why? (the same for all)").fill("Not this week")
    page.get_by_role("dialog").get_by_role("button", name="Put off").click()

    expect(page.get_by_text("2 records put off.")).to_be_visible()
    expect(page.get_by_text("R003 was not")).to_be_visible()
    states = [made(served, one)["state"] for one in (first, second, "R003")]
    assert states == ["LATER", "LATER", "RESOLVED"]
    looking.forgive("/api/v1/transition")


def test_one_can_write_in_another_project_than_the_servers(
    looking: Looking, served: Served
) -> None:
    with second_process(served.folder) as call:
        call("create_project", id="beside", name="Beside")
    page = looking.page
    page.goto(f"{looking.base}/#/beside/records")
    record = new_record(page, "Written beside")
    page.get_by_role("button", name="Put off").click()
    page.get_by_label("Why?").fill("Later")
    page.get_by_role("dialog").get_by_role("button", name="Put off").click()

    expect(page.locator(".record .badge").first).to_have_text("for later")
    with second_process(served.folder) as call:
        assert call("get_record_ref", id=record, project_id="beside")["state"] == "LATER"


def test_marking_text_that_ends_outside_of_a_dialog_leaves_it_open(looking: Looking) -> None:
    page = looking.go("records/R005")
    page.get_by_role("button", name="Put off").click()
    why = page.get_by_role("dialog").get_by_label("Why?")
    why.fill("Until the crawler is done")
    box = why.bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + 20, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(5, 5)
    page.mouse.up()

    expect(why).to_have_value("Until the crawler is done")
    page.mouse.click(5, 5)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_long_branch_of_the_tree_is_shown_to_its_end(looking: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        session = {"session_id": call("record_session_start", title="Many")["session_id"]}
        goal = {"type": "goal", "title": "Many", "summary": "s", "body": "b"}
        parent = call("create_record", **goal, **session)["record"]["id"]
        call("activate", id=parent, **session)
        for number in range(PAGE + 1):
            call(
                "create_record",
                type="task",
                title=f"Of many {number}",
                summary="s",
                body="b",
                parent_id=parent,
                **session,
            )
    page = looking.go("records")
    tree = page.get_by_role("navigation", name="Records", exact=True)
    expect(tree.get_by_text("Of many 0", exact=True)).to_be_visible()
    expect(tree.get_by_text("Of many", exact=False)).to_have_count(PAGE)

    tree.get_by_role("button", name=f"Show more of {PAGE + 1} records").click()

    expect(tree.get_by_text("Of many", exact=False)).to_have_count(PAGE + 1)
