"""The first page of an empty project, and the pages of those who went astray."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import Looking, Served, look
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


@pytest.fixture
def empty(served: Served, request: pytest.FixtureRequest) -> str:
    """Have a project in which nothing happened yet."""
    name = f"empty-{abs(hash(request.node.name)) % 10_000}"
    with second_process(served.folder) as call:
        call("create_project", id=name, name=name.title())
    return name


def test_an_empty_project_says_how_to_connect_and_copies_it(
    context: BrowserContext, served: Served, empty: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.base)
    looking = look(context, served)
    page = looking.page
    page.goto(f"{served.base}/#/{empty}/overview")
    expect(page.get_by_text("Waiting for the first call")).to_be_visible()
    page.get_by_role("button", name="Cursor").click()
    page.get_by_role("button", name="Copy what Cursor needs").click()
    expect(page.get_by_text("Copied")).to_be_visible()

    copied = page.evaluate("navigator.clipboard.readText()")
    assert f"{served.base}/mcp" in copied
    assert '"mcpServers"' in copied
    assert serious(page) == []
    assert looking.complaints == []


def test_it_turns_green_by_itself_when_an_agent_comes(
    looking: Looking, served: Served, empty: str
) -> None:
    page = looking.page
    page.goto(f"{looking.base}/#/{empty}/overview")
    expect(page.get_by_text("Waiting for the first call")).to_be_visible()
    with second_process(served.folder) as call:
        call("record_session_start", project_id=empty, title="Hello")

    expect(page.locator(".hello.is-there")).to_contain_text("second is here.")
    page.get_by_role("button", name="See it").click()

    expect(page.get_by_role("heading", name="Open sessions")).to_be_visible()


def test_it_says_in_which_other_project_an_agent_came(
    looking: Looking, served: Served, empty: str
) -> None:
    page = looking.page
    page.goto(f"{looking.base}/#/{empty}/overview")
    with page.expect_response("**/api/v1/list_projects"):
        expect(page.get_by_text("Waiting for the first call")).to_be_visible()
    with second_process(served.folder) as call:
        call("create_project", id=f"{empty}-repo", name="Their repository")
        call("record_session_start", project_id=f"{empty}-repo", title="Hello")

    expect(page.get_by_role("link", name="Their repository")).to_be_visible()


def test_an_example_is_filled_in_and_can_be_looked_at(looking: Looking, empty: str) -> None:
    page = looking.page
    page.goto(f"{looking.base}/#/{empty}/overview")
    page.get_by_role("button", name="Fill with an example").click()
    expect(page.get_by_role("heading", name="Example", exact=True)).to_be_visible()
    expect(page).to_have_title("(1) Overview · example · Hansard")
    assert "/#/example/overview" in page.url

    page.goto(f"{looking.base}/#/example/review")
    expect(page.get_by_role("heading", name="Keep prices for a minute")).to_be_visible()
    page.goto(f"{looking.base}/#/example/evolution?path=src/prices.py")
    expect(page.get_by_text("Revision 1 of 2")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("return ask_prices")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "heading"),
    [("/mcp", "This is the address for agents"), ("/nowhere", "There is nothing at this address")],
)
def test_whoever_went_astray_is_helped_though_not_let_in(
    browser: Browser, served: Served, path: str, heading: str
) -> None:
    with browser.new_context() as stranger:
        page = stranger.new_page()
        page.goto(f"{served.base}{path}")
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        assert serious(page) == []

        page.get_by_role("link", name="Go to the page").click()

        expect(page.get_by_role("heading", name="has not been let in")).to_be_visible()
