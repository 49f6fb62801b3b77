"""The page is a person's once the secret was entered in it, and not before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.http.serving import Server, let_in, serving, set_secret

SECRET = "a secret that is long enough"
WHY = "Because it was measured twice."


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Server]:
    set_secret(tmp_path, SECRET)
    with serving(tmp_path) as running:
        yield running


def a_decision(target: str) -> dict[str, Any]:
    return {"title": "T", "target": target, "rationale": WHY}


@pytest.mark.holds("ALL-10.16")
def test_the_browser_in_which_the_secret_was_entered_is_a_persons(guarded: Server) -> None:
    proved = let_in(guarded)
    opened = guarded.run("open", "--port", str(guarded.port))
    other = let_in(guarded, opened.stdout.strip().rpartition("token=")[2])

    def author(browser: Any, target: str, **headers: str) -> str:
        status, made = browser.post("record_decision", a_decision(target), **headers)
        assert status == 200, made
        shown = browser.call("get_decision", decision_id=made["decision_id"])
        return str(shown["decision"]["author"])

    before = author(proved, "a")
    wrong, _ = proved.post("record_decision", a_decision("x"), x_hansard_secret="wrong" * 4)
    entered = author(proved, "b", x_hansard_secret=SECRET)
    after, elsewhere = author(proved, "c"), author(other, "d")

    assert wrong == 403
    assert [one.partition(":")[0] for one in (before, entered, after, elsewhere)] == [
        "agent", "human", "human", "agent",
    ]  # fmt: skip
    assert before.endswith("(unproved)")


@pytest.mark.holds("ALL-10.16")
def test_a_browser_is_no_persons_any_more_once_another_secret_is_set(guarded: Server) -> None:
    browser = let_in(guarded)
    browser.post("record_decision", a_decision("a"), x_hansard_secret=SECRET)

    set_secret(guarded.home, "another secret, long enough")
    _, made = browser.post("record_decision", a_decision("b"))

    shown = browser.call("get_decision", decision_id=made["decision_id"])
    assert shown["decision"]["author"].endswith("(unproved)")


@pytest.mark.holds("ALL-10.20")
def test_the_page_is_told_that_the_secret_is_new(guarded: Server) -> None:
    browser = let_in(guarded)
    browser.post("record_decision", a_decision("a"))

    [told] = browser.call("get_project_overview")["notices"]

    assert "set by human:maria" in told
