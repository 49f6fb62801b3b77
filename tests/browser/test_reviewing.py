"""The review inbox: what waits is counted, shown beside what holds, and decided by key."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Looking, Served, let_in_anew, look, serve
from tests.browser.proving import enter_secret
from tests.browser.seeding import fill_example, know_secret, second_process

pytestmark = pytest.mark.clients


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the example, anew for each test: what was decided stays so."""
    folder = tmp_path_factory.mktemp("lantern")
    fill_example(folder)
    know_secret(folder)
    with serve(folder) as running:
        yield running


@pytest.fixture
def person(browser: Browser, served: Served) -> Iterator[Looking]:
    """Look as somebody who has entered the secret once."""
    with let_in_anew(browser, served) as context:
        looking = look(context, served)
        page = looking.go("review")
        page.get_by_role("button", name="Prove who you are").click()
        enter_secret(page, served)
        yield looking
        assert looking.complaints == []


def status_of(served: Served, proposal: str) -> str:
    """Ask how a proposal stands."""
    with second_process(served.folder) as call:
        found: str = call("get_decision", decision_id=proposal)["decision"]["status"]
    return found


def waiting(page: Page) -> Locator:
    """Find the number beside the view's name."""
    return page.get_by_role("navigation", name="Views").locator(".count")


def test_what_waits_is_counted_in_the_navigation_and_the_title(
    person: Looking, served: Served
) -> None:
    page = person.go("records")
    expect(page).to_have_title("(2) Records · lantern · Hansard")
    expect(waiting(page)).to_have_text("2")

    with second_process(served.folder) as call:
        decided = {"title": "Third", "target": "third", "rationale": "Because of the first."}
        call("propose_decision", **decided)

    expect(page).to_have_title("(3) Records · lantern · Hansard")
    expect(waiting(page)).to_have_text("3")


def test_what_is_proposed_stands_beside_what_holds(person: Looking) -> None:
    page = person.go("review/P001")

    holds = page.get_by_role("region", name="What holds")
    expect(holds.get_by_role("heading", name="Never more than one request")).to_be_visible()
    expect(holds.get_by_text("D004 holds, and would be replaced")).to_be_visible()
    proposed = page.get_by_role("article", name="What is proposed")
    expect(proposed.get_by_role("heading", name="Allow two requests")).to_be_visible()


def test_evidence_is_opened_where_it_is_cited(person: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        made = call(
            "propose_decision",
            title="Check fragments",
            target="fragments",
            rationale="Readers land in the wrong place.",
            cites=["R002", "path:lantern/retry.py"],
        )
    page = person.go(f"review/{made['proposal_id']}")
    page.get_by_role("button", name="Open here R002").click()
    expect(page.locator(".evidence").get_by_text("600 pages take 21 seconds")).to_be_visible()
    page.get_by_role("button", name="Open here path:lantern/retry.py").click()

    expect(page.locator(".evidence pre")).to_contain_text("429")


def test_keys_go_through_what_waits_and_accept_it(person: Looking, served: Served) -> None:
    page = person.go("review/P001")
    proposed = page.get_by_role("article", name="What is proposed")
    page.keyboard.press("j")
    expect(proposed.get_by_role("heading", name="List redirects")).to_be_visible()
    page.keyboard.press("k")
    expect(proposed.get_by_role("heading", name="Allow two requests")).to_be_visible()
    page.keyboard.press("a")

    expect(page.locator(".decision").get_by_text("active").first).to_be_visible()
    assert status_of(served, "P001") == "accepted"
    expect(waiting(page)).to_have_text("1")


def test_a_rejection_needs_a_reason_and_is_taken_back(person: Looking, served: Served) -> None:
    page = person.go("review/P001")
    expect(page.get_by_role("button", name="Reject r")).to_be_disabled()
    page.keyboard.press("r")
    expect(page.get_by_label("Why, if you reject it")).to_be_focused()
    page.get_by_role("button", name="Not now").click()
    page.get_by_role("button", name="Reject r").click()
    expect(page.get_by_text("P001 Allow two requests to a host when")).to_be_visible()

    page.get_by_role("button", name="Take it back").click()

    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)
    assert status_of(served, "P001") == "proposed"


def test_a_rejection_that_nobody_takes_back_is_written_with_its_reason(
    person: Looking, served: Served
) -> None:
    page = person.go("review/P002")
    page.get_by_label("Why, if you reject it").fill("Redirects are not our business")
    page.get_by_label("Why, if you reject it").press("Enter")
    assert status_of(served, "P002") == "proposed", "it is held for ten seconds"

    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)

    expect(page).to_have_title("(1) Review · lantern · Hansard")
    with second_process(served.folder) as call:
        told = call("get_decision", decision_id="P002")["decision"]
    assert (told["status"], told["reason"]) == ("rejected", "Redirects are not our business")


def test_a_rejection_is_sent_when_the_page_is_closed(person: Looking, served: Served) -> None:
    page = person.go("review/P002")
    page.get_by_role("button", name="Too broad").click()
    page.get_by_role("button", name="Reject r").click()
    expect(page.get_by_role("button", name="Take it back")).to_be_visible()

    page.goto("about:blank")
    page.goto(person.base)

    expect(page).to_have_title("(1) Overview · lantern · Hansard")
    assert status_of(served, "P002") == "rejected"


def test_who_has_not_proved_it_is_asked_before_a_rejection_is_held(
    looking: Looking, served: Served
) -> None:
    page = looking.go("review/P002")
    page.get_by_role("button", name="Too broad").click()
    page.get_by_role("button", name="Reject r").click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("alert")).to_contain_text("That is for people")

    page.get_by_role("button", name="Reject r").click()
    enter_secret(page, served)

    expect(page.get_by_role("button", name="Take it back")).to_be_visible()
