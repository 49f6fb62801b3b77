"""The page is a person's once the secret was entered in it, and not before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.http.page_login import PROOF_LIFE_S, Visit
from hansard.kernel.event import Proof
from tests.http.serving import Server, let_in, make_token, serving, set_secret

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


def test_a_page_says_who_looks_and_asks_for_the_secret_where_no_more_is_lacking(
    guarded: Server,
) -> None:
    page = let_in(guarded)

    def who() -> str:
        told = guarded.request("GET", "/api/v1", cookie=page.cookie).json()
        return f"{told['actor'].partition(':')[0]} {told['proof']}"

    before = who()
    _, refused = page.post("accept_proposal", {"proposal_id": "P001"})
    wrong, _ = page.post("prove", x_hansard_secret="wrong" * 4)
    unnamed, _ = page.post("prove")
    between = who()
    right, told = page.post("prove", x_hansard_secret=SECRET)
    _, allowed = page.post("accept_proposal", {"proposal_id": "P001"})

    assert (before, between, who()) == ("agent missing", "agent missing", "human proved")
    assert (refused["error"]["code"], refused["error"]["details"]["needs"]) == (
        "PERMISSION_DENIED", "secret",
    )  # fmt: skip
    assert (wrong, unnamed, right, told["proof"]) == (403, 400, 200, "proved")
    assert "needs" not in allowed["error"]["details"], "nobody has proposed it"


def test_where_there_is_no_secret_nobody_is_asked_for_one(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        told = server.request("GET", "/api/v1", cookie=let_in(server).cookie).json()

    assert (told["actor"].partition(":")[0], told["proof"]) == ("human", "unproved")


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


def test_an_empty_secret_is_a_wrong_one_and_tokens_have_nothing_to_prove(guarded: Server) -> None:
    page = let_in(guarded)
    text, _ = make_token(guarded.home, "viewer", name="v")

    # A space, as a client leaves out a header without a value.
    empty, _ = page.post("prove", x_hansard_secret=" ")
    told = guarded.request(
        "POST", "/api/v1/prove", b"{}", authorization=f"Bearer {text}", x_hansard_secret=SECRET
    )

    assert (empty, told.status) == (403, 400)


@pytest.mark.holds("ALL-10.16")
@pytest.mark.parametrize(("proof", "author"), [("proved", "human:m"), (None, "agent:m (unproved)")])
def test_a_token_that_anybody_could_make_proves_no_person_once_there_is_a_secret(
    guarded: Server, proof: Proof | None, author: str
) -> None:
    text, _ = make_token(guarded.home, "admin", proof=proof, name="m", is_human=True)

    told = guarded.request("GET", "/api/v1", authorization=f"Bearer {text}").json()

    assert told["actor"] == author


def test_after_an_hour_the_secret_is_asked_for_again() -> None:
    visit = Visit()
    visit.prove("mark", now=100.0)

    known = [visit.is_proved("mark", now=100.0 + s) for s in (0, PROOF_LIFE_S - 1, PROOF_LIFE_S)]

    assert known == [True, True, False]
    assert not visit.is_proved("another", now=100.0)
    assert PROOF_LIFE_S == 3600


def test_a_secret_that_only_the_server_has_is_not_asked_for_again_and_proves_nobody(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, HANSARD_SECRET=SECRET) as server:
        page = let_in(server)
        page.post("propose_decision", a_decision("a"))

        def accepting() -> str:
            _, told = page.post("accept_proposal", {"proposal_id": "P001"})
            return str(told["error"]["code"])

        before = accepting()
        page.post("prove", x_hansard_secret=SECRET)
        after = [accepting(), accepting()]
        told = server.request("GET", "/api/v1", cookie=page.cookie).json()
        page.post("prove", x_hansard_secret="wrong" * 4)
        forgotten = accepting()

    # What is left is to wait, as everybody must.
    assert (before, after) == ("PERMISSION_DENIED", ["REVIEW_WINDOW", "REVIEW_WINDOW"])
    assert told["proof"] == "unproved"
    assert forgotten == "PERMISSION_DENIED"
