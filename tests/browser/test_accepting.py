"""A proposal is accepted with the secret of the server also where the store knows none."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, let_in_anew, look
from tests.browser.proving import enter_secret

pytestmark = pytest.mark.clients


def test_the_secret_of_the_server_accepts_though_it_proves_nobody(
    browser: Browser, served: Served
) -> None:
    with let_in_anew(browser, served) as context:
        looking = look(context, served)
        page = looking.go("decisions/P001")
        page.get_by_role("button", name="Accept").click()

        enter_secret(page, served)

        expect(page.get_by_role("heading", name="Allow two requests to a host")).to_be_visible()
        expect(page.locator(".decision .badge").first).to_have_text("active")
        looking.forgive("403")
        assert looking.complaints == []
