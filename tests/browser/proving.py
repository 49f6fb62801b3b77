"""Proving on the page that one is a person."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Served


def enter_secret(page: Page, served: Served) -> None:
    """Enter the secret where the page asks for it."""
    asking = page.get_by_role("dialog", name="Prove that you are a person")
    asking.get_by_label("The server’s secret").fill((served.folder / "secret").read_text())
    asking.get_by_role("button", name="Prove it").click()
    expect(asking).not_to_be_visible()
