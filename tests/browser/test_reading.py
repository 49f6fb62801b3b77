"""Texts are read as Markdown, and what they mention is a link with a card."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process

pytestmark = pytest.mark.clients

BODY = """# A heading

- one with `code`
- two, see R002 and D003, **bold**
- [x] done

| a | b |
|---|---|
| 1 | lantern/crawl.py |

<b>not bold</b> <img src=x onerror="window.harmed=1">

[bad](javascript:window.harmed=1) [good](https://example.org/x) ![pic](https://example.org/p.png)

```py
if a < b: pass
```
"""


@pytest.fixture(scope="module")
def written(served: Served) -> str:
    """Have a record with everything in it."""
    with second_process(served.folder) as call:
        made = call("create_record", type="note", title="Marks", summary="With `marks`", body=BODY)
    identity: str = made["record"]["id"]
    return identity


def test_marks_become_elements_and_markup_stays_text(looking: Looking, written: str) -> None:
    page = looking.go(f"records/{written}")
    prose = page.locator(".record .prose")
    expect(prose.get_by_role("heading", name="A heading")).to_be_visible()

    expect(prose.locator("li")).to_have_count(3)
    expect(prose.locator("strong")).to_have_text("bold")
    expect(prose.locator("table td")).to_have_text(["1", "lantern/crawl.py"])
    expect(prose.locator("pre")).to_contain_text("if a < b: pass")
    expect(prose.get_by_text("<b>not bold</b>")).to_be_visible()
    assert prose.locator("img, b, script").count() == 0
    assert page.evaluate("window.harmed") is None


def test_links_lead_to_the_web_or_nowhere(looking: Looking, written: str) -> None:
    page = looking.go(f"records/{written}")
    good = page.get_by_role("link", name="good")
    expect(good).to_have_attribute("href", "https://example.org/x")
    expect(good).to_have_attribute("rel", "noopener noreferrer nofollow")

    expect(page.get_by_text("[bad](javascript:window.harmed=1)")).to_be_visible()
    expect(page.get_by_role("link", name="pic")).to_be_visible()


def test_what_is_mentioned_leads_there_and_says_what_it_is(looking: Looking, written: str) -> None:
    page = looking.go(f"records/{written}")
    prose = page.locator(".record .prose")
    prose.get_by_role("link", name="D003").hover()
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("Use httpx with its async client")
    expect(card).to_contain_text("decision on HTTP client")
    prose.get_by_role("heading", name="A heading").hover()
    expect(card).to_have_count(0)

    prose.get_by_role("link", name="R002").focus()
    expect(card).to_contain_text("Crawl a site in parallel")
    prose.get_by_role("link", name="lantern/crawl.py").click()

    expect(page.get_by_role("heading", name="lantern/crawl.py")).to_be_visible()


def test_citations_say_what_they_cite(looking: Looking, served: Served) -> None:
    with second_process(served.folder) as call:
        call("create_record", type="note", title="Citing", summary="s", body="b", cites=["D005"])
        found = call("search_records", query="Citing")["results"][0]["id"]
    page = looking.go(f"records/{found}")

    expect(page.locator(".facts").get_by_text("Retry 429 and 5xx three times")).to_be_visible()
    expect(page.locator(".facts .face").first).to_have_text("SE")
