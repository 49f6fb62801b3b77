"""Runs as a waterfall with what went in and out; metrics with percentiles; names for people."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Looking, Served
from tests.browser.seeding import second_process
from tests.browser.test_views import serious

pytestmark = pytest.mark.clients


def test_a_run_is_named_after_its_graph_and_drawn_as_a_waterfall(looking: Looking) -> None:
    page = looking.go("entities?type=agentGraphExecution")

    expect(page.get_by_role("heading", name="Nightly check, ")).to_be_visible()
    expect(page.get_by_text("5 min 22 s, 12 events, 4,447 tokens, cost 0.0114")).to_be_visible()
    spans = page.locator(".waterfall > li")
    expect(spans).to_have_count(4)
    expect(spans.nth(0)).to_contain_text("2 min 39 s")
    expect(spans.nth(2)).to_contain_text("failed 1 min 34 s")
    lefts = [
        box["x"]
        for place in range(4)
        if (box := spans.nth(place).locator(".stretch").bounding_box()) is not None
    ]
    assert lefts == sorted(lefts)
    assert len(set(lefts)) == 4


def test_a_span_opens_with_its_input_and_output(looking: Looking) -> None:
    page = looking.go("entities?type=agentGraphExecution")
    page.get_by_role("button", name="judge").click()

    expect(page.get_by_label("Input of judge")).to_contain_text("docs.example.org/api")
    expect(page.get_by_label("Output of judge")).to_contain_text("try again")
    page.get_by_role("button", name="retry").click()
    expect(page.get_by_label("Error of retry")).to_contain_text("time-out")
    expect(page.get_by_label("Output of judge")).to_have_count(0)
    assert serious(page) == []


def test_threads_are_called_after_their_chat(looking: Looking) -> None:
    page = looking.go("entities?type=messageThread")

    expect(page.get_by_role("link", name="Flaky links, 4 turns")).to_be_visible()
    expect(page.get_by_role("link", name="Flaky links, 1 turn")).to_be_visible()


def test_the_legend_says_the_newest_where_nobody_points(looking: Looking, served: Served) -> None:
    wanted = {"name": "broken_links", "bucket": "day", "by": ["site"], "limit": 1000}
    with second_process(served.folder) as call:
        groups = call("metric_query", project_id="lantern", **wanted)["groups"]
    # How many samples the first and the last day hold depends on when the example was made.
    days = {one["start"]: one["mean"] for one in groups if one["dimensions"]["site"] == "docs"}
    oldest, newest = (f"{days[day]:g}" for day in (min(days), max(days)))
    assert oldest != newest
    page = looking.go("entities?type=metric&name=broken_links")
    legend = page.locator(".u-legend")
    docs = legend.get_by_role("row", name="docs").get_by_role("cell")

    expect(docs).to_have_text(newest)
    expect(legend).not_to_contain_text("--")
    chart = page.locator(".u-over")
    chart.hover(position={"x": 2, "y": 40})
    expect(docs).to_have_text(oldest)
    page.get_by_role("heading", name="Runs and chats").hover()
    expect(docs).to_have_text(newest)


def test_percentiles_are_drawn_and_told(looking: Looking) -> None:
    page = looking.go("entities?type=metric&name=run_seconds")
    whole = page.locator(".statistics").get_by_role("row", name="docs").get_by_role("cell")
    expect(whole).to_have_count(5)

    page.get_by_label("Shown").select_option("p95")

    expect(page.get_by_role("heading", name="run_seconds, 95 of 100 (p95) by day")).to_be_visible()
    assert "stat=p95" in page.url
    p50, p95 = (float(whole.nth(place).text_content() or "") for place in (2, 3))
    assert p50 < p95
    assert serious(page) == []
