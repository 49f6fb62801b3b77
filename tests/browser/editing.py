"""Editing a record on the page, beside another who changes it."""

import time
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator, Page, expect

from hansard.kernel.event import Actor
from tests.browser.conftest import WAIT_S, Looking, Served
from tests.browser.seeding import second_process

CLAUDE = Actor("agent", "claude-code", "agent")
"""Another, who changes what is being edited."""


def edit(looking: Looking, record: str) -> Page:
    """Begin to edit a record."""
    page = looking.go(f"records/{record}")
    page.get_by_role("button", name="Edit").click()
    expect(box(page, "Body")).to_be_visible()
    return page


def box(page: Page, field: str) -> Locator:
    """Find the box of a field."""
    return page.get_by_label(field, exact=True)


def save(page: Page) -> None:
    """Press the button that saves."""
    page.get_by_role("button", name="Save", exact=True).click()


def change(served: Served, record: str, **fields: object) -> None:
    """Change a record as another would, from what is stored."""
    with second_process(served.folder, CLAUDE) as call:
        session = call("activate", id=record, override=True)["session_id"]
        call("update_record", id=record, session_id=session, **fields)


def stored(served: Served, record: str) -> Mapping[str, Any]:
    """Read what is stored."""
    with second_process(served.folder, CLAUDE) as call:
        found: Mapping[str, Any] = call("get_record_diff", id=record, **{"from": "current"})
    target: Mapping[str, Any] = found["to_version"]
    return target


def drafts(page: Page) -> list[str]:
    """Name the drafts that the browser keeps."""
    names: list[str] = page.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('hansard.draft.'))"
    )
    return names


def kept(page: Page, number: int = 1) -> None:
    """Wait until the browser keeps so many drafts."""
    last = time.monotonic() + WAIT_S
    while len(drafts(page)) != number:
        assert time.monotonic() < last, f"the browser keeps {drafts(page)}"
        page.wait_for_timeout(50)
