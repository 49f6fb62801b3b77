"""Tokens: shown once, kept by digest, good until they end, and bound to their projects."""

import hmac
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from hansard.app import tokens
from hansard.app.application import Application
from hansard.app.bounded import Bounded, TokenCaller, caller_with
from hansard.app.tokens import Token, WantedToken
from hansard.kernel import paging
from hansard.kernel.clock import to_text
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem
from hansard.kernel.store import CATALOG
from hansard.sessions.contract import ProjectNotFound, SessionNotFound
from tests.conftest import OpenApp, SteppingClock

AT = "2026-01-02T03:04:05.000000Z"
LATER = "2026-02-02T03:04:05.000000Z"
ADMIN = Stamp(Actor("human", "maria", "admin"), AT)
TEXTS = {"type": "task", "title": "Hidden", "summary": "s", "body": "b"}


def a_token(app: Application, **wanted: Any) -> tuple[Token, str]:
    return tokens.create(app.store, WantedToken(**({"role": "agent"} | wanted)), ADMIN)


def bound_to(app: Application, *projects: str, **wanted: Any) -> TokenCaller:
    """Make a caller that sees these projects only, which are made for it."""
    human = TokenCaller(ADMIN.actor)
    for project in projects:
        app.call("create_project", {"id": project, "name": project}, human)
    return caller_with(a_token(app, projects=projects, **wanted)[0])


def test_a_token_is_found_by_its_text_and_by_nothing_else(app: Application) -> None:
    made, text = a_token(app, name="ci")

    assert tokens.find(app.store, text, AT) == made
    assert made.actor == Actor("agent", "ci", "agent")
    secret = text.rpartition("_")[2]
    for wrong in (
        text[:-1],
        text + "x",
        text.upper(),
        secret,
        made.id,
        "",
        "hns__",
        f"hns_{made.id}_",
    ):
        assert tokens.find(app.store, wrong, AT) is None


def test_the_store_keeps_no_token(app: Application) -> None:
    made, text = a_token(app)
    secret = text.removeprefix(f"hns_{made.id}_")

    entries = app.store.read(CATALOG, lambda tx: list(paging.entries(tx)))

    assert len(secret) >= 43
    assert entries
    assert not any(secret.encode() in (entry.payload or b"") for entry in entries)


def test_another_stores_token_is_unknown(open_app: OpenApp, tmp_path: Any) -> None:
    from hansard.app.settings import Settings
    from hansard.app.start import start

    here = open_app()
    elsewhere = start(Settings(store=str(tmp_path / "elsewhere")))
    try:
        _, text = a_token(elsewhere)

        assert tokens.find(elsewhere.store, text, AT)
        assert tokens.find(here.store, text, AT) is None
    finally:
        elsewhere.close()


def test_digests_are_compared_in_constant_time(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = a_token(app)
    compared: list[tuple[str, str]] = []
    real = hmac.compare_digest

    def noted(one: str, other: str) -> bool:
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    tokens.find(app.store, text, AT)
    tokens.find(app.store, "hns_00000000_unknown", AT)

    assert len(compared) == 2
    assert {len(digest) for pair in compared for digest in pair} == {64}


def test_a_token_ends_when_it_expires_or_is_revoked(app: Application) -> None:
    brief, brief_text = a_token(app, name="brief", expires=LATER)
    kept, kept_text = a_token(app, name="kept")

    assert tokens.find(app.store, brief_text, AT)
    assert tokens.find(app.store, brief_text, LATER) is None
    assert not tokens.is_still_good(app.store, brief, LATER)
    tokens.revoke(app.store, kept.id, ADMIN)
    assert tokens.find(app.store, kept_text, AT) is None
    assert not tokens.is_still_good(app.store, kept, AT)
    assert tokens.any_made(app.store)


def test_revoking_twice_is_revoking_once(app: Application) -> None:
    made, _ = a_token(app)
    first = tokens.revoke(app.store, made.id, ADMIN)
    head = app.store.read(CATALOG, lambda tx: tx.head())

    assert tokens.revoke(app.store, made.id, ADMIN) == first
    assert app.store.read(CATALOG, lambda tx: tx.head()) == head
    with pytest.raises(InvalidInput):
        tokens.revoke(app.store, "00000000", ADMIN)


def test_only_an_admin_makes_and_revokes(app: Application) -> None:
    made, _ = a_token(app)
    agent = Stamp(Actor("agent", "cli", "agent"), AT)

    with pytest.raises(PermissionDenied):
        tokens.create(app.store, WantedToken("viewer"), agent)
    with pytest.raises(PermissionDenied):
        tokens.revoke(app.store, made.id, agent)
    assert [one.id for one in tokens.every(app.store)] == [made.id]


@pytest.mark.parametrize("name", ["", " x", "a\nb", "\x1b[2J", "x" * 101, "http", "stdio", "page"])
def test_a_name_that_could_mislead_is_refused(app: Application, name: str) -> None:
    with pytest.raises(InvalidInput):
        a_token(app, name=name or " ")


@pytest.mark.parametrize("ended", ["revoked", "expired"])
def test_a_name_is_inherited_by_nobody(app: Application, ended: str) -> None:
    until = {"expires": "2026-01-01T00:00:00.000000Z"} if ended == "expired" else {}
    made, _ = a_token(app, name="ci", **until)
    if ended == "revoked":
        tokens.revoke(app.store, made.id, ADMIN)

    for other in ({}, {"is_human": True}, {"role": "viewer"}, {"renews": "0badc0de"}):
        with pytest.raises(InvalidInput):
            a_token(app, name="ci", **other)
    assert [one.id for one in tokens.every(app.store)] == [made.id]


def test_a_name_is_renewed_by_saying_whose_it_is_once_it_ended(app: Application) -> None:
    made, _ = a_token(app, name="ci")

    with pytest.raises(InvalidInput):
        a_token(app, name="ci", renews=made.id)
    tokens.revoke(app.store, made.id, ADMIN)
    again, _ = a_token(app, name="ci", renews=made.id)

    assert (again.actor, again.id != made.id) == (made.actor, True)
    with pytest.raises(InvalidInput):
        a_token(app, name="other", renews=made.id)


def test_answers_under_a_key_are_not_handed_on_with_a_name(app: Application) -> None:
    first, _ = a_token(app, name="ci")
    arguments = {"text": "mine"}
    app.call("toy_note", arguments, caller_with(first, idempotency_key="k"))
    tokens.revoke(app.store, first.id, ADMIN)

    with pytest.raises(InvalidInput):
        a_token(app, name="ci")
    other, _ = a_token(app, name="ci-2")
    before = app.store.engine.heads()
    app.call("toy_note", arguments, caller_with(other, idempotency_key="k"))

    assert app.store.engine.heads() != before


def test_a_token_for_a_project_that_is_not_there_is_refused(app: Application) -> None:
    with pytest.raises(ProjectNotFound):
        a_token(app, projects=["nowhere"])


def test_tokens_are_derived_again_as_they_were(app: Application) -> None:
    made, text = a_token(app, is_human=True, role="viewer")
    tokens.revoke(app.store, a_token(app, name="gone")[0].id, ADMIN)
    before = tokens.every(app.store)

    app.store.rebuild(CATALOG)

    assert tokens.every(app.store) == before
    assert tokens.find(app.store, text, AT) == made
    assert made.actor.kind == "human"


def test_a_bound_caller_hears_nothing_of_other_projects(app: Application) -> None:
    whole = caller_with(a_token(app, name="whole")[0])
    caller = bound_to(app, "ours")
    bounded = Bounded(app)
    app.call("create_project", {"id": "theirs", "name": "Theirs"}, whole)
    hidden = app.call("create_record", TEXTS | {"project_id": "theirs"}, whole).model_dump()

    for operation, arguments, problem in (
        ("get_project", {"id": "theirs"}, ProjectNotFound),
        ("get_project", {"project_id": "theirs"}, ProjectNotFound),
        ("get_recent_activity", {"project_id": "theirs"}, ProjectNotFound),
        ("get_recent_activity", {"project_id": "default"}, ProjectNotFound),
        ("get_recent_activity", {"project_id": "@catalog"}, ProjectNotFound),
        ("create_record", TEXTS | {"project_id": "theirs"}, ProjectNotFound),
        ("get_timeline", {"session_id": hidden["session_id"]}, SessionNotFound),
        ("close_session", {"session_id": hidden["session_id"]}, SessionNotFound),
        ("get_record_ref", {"id": hidden["record"]["id"]}, Problem),
        ("create_project", {"id": "more", "name": "More"}, PermissionDenied),
    ):
        with pytest.raises(problem):
            bounded.call(operation, arguments, caller)


def test_a_session_that_came_along_is_no_way_around(app: Application) -> None:
    whole = caller_with(a_token(app, name="whole")[0])
    hidden = app.call("create_record", TEXTS, whole).model_dump()["session_id"]
    along = replace(bound_to(app, "ours"), session=hidden)

    seen = Bounded(app).call("get_recent_activity", {}, along).model_dump()

    assert seen["total"] == 0
    with pytest.raises(SessionNotFound):
        Bounded(app).call("create_record", TEXTS, along)


def test_a_hidden_project_is_refused_in_the_words_for_one_that_is_not_there(
    app: Application,
) -> None:
    caller, bounded = bound_to(app, "ours"), Bounded(app)
    app.call("create_project", {"id": "theirs", "name": "x"}, TokenCaller(ADMIN.actor))
    said = []
    for project in ("theirs", "absent"):
        with pytest.raises(ProjectNotFound) as refusal:
            bounded.call("get_project", {"id": project}, caller)
        said.append(str(refusal.value.as_dict()).replace(project, "…"))

    assert said[0] == said[1]


def test_a_bound_caller_is_at_home_in_its_own_project(app: Application) -> None:
    caller, bounded = bound_to(app, "ours"), Bounded(app)

    made = bounded.call("create_record", TEXTS, caller).model_dump()

    assert made["session_id"].startswith("ours.")
    assert bounded.home_of(caller.token).find(app.store) == "ours"
    asked = {"id": made["record"]["id"], "project_id": "ours"}
    assert app.call("get_record_ref", asked, caller).model_dump()["title"] == "Hidden"


def test_a_bound_callers_list_of_projects_is_its_own_page_by_page(app: Application) -> None:
    caller = bound_to(app, "b", "d", "f")
    for other in ("a", "c", "e", "g"):
        app.call("create_project", {"id": other, "name": other}, TokenCaller(ADMIN.actor))
    bounded = Bounded(app)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        asked = {"limit": 1} | ({"cursor": cursor} if cursor else {})
        page = bounded.call("list_projects", asked, caller).model_dump()
        seen += [one["id"] for one in page["projects"]]
        cursor = page["nextCursor"]
        assert page["total"] == 3
        if cursor is None:
            break

    assert seen == ["b", "d", "f"]


@pytest.mark.holds("ALL-10.13")
def test_the_role_of_a_token_is_the_role_of_its_calls(app: Application) -> None:
    viewer = caller_with(a_token(app, role="viewer")[0])

    Bounded(app).call("list_projects", {}, viewer)
    with pytest.raises(PermissionDenied):
        Bounded(app).call("create_record", TEXTS, viewer)


def test_the_clock_ends_a_token(app: Application, clock: SteppingClock) -> None:
    until = clock() + timedelta(days=1)
    token, text = a_token(app, expires=to_text(until))

    assert token.is_good(to_text(until - timedelta(microseconds=1)))
    assert tokens.find(app.store, text, to_text(until)) is None


class _GoneError(Exception):
    """Whoever should have seen the token is not there any more."""


def test_a_token_that_nobody_was_shown_is_not_made(app: Application) -> None:
    def gone(token: tokens.Token, text: str) -> None:
        assert tokens.find(app.store, text, AT) is None
        raise _GoneError(token.id)

    with pytest.raises(_GoneError):
        tokens.create(app.store, WantedToken("agent", name="ci"), ADMIN, show=gone)

    assert tokens.every(app.store) == []
    seen: list[tuple[tokens.Token, str]] = []
    made, text = tokens.create(
        app.store, WantedToken("agent", name="ci"), ADMIN, show=lambda *shown: seen.append(shown)
    )
    assert seen == [(made, text)]


def test_what_cannot_be_made_is_refused_before_anything_is_shown(app: Application) -> None:
    a_token(app, name="ci")
    shown: list[object] = []

    with pytest.raises(InvalidInput):
        tokens.create(
            app.store, WantedToken("agent", name="ci"), ADMIN, show=lambda *one: shown.append(one)
        )

    assert shown == []
