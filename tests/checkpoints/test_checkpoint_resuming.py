"""What is told with a context, when it was last used, and what is said of it anew."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.sessions.contract import SessionNotFound
from tests.checkpoints.asking import diff, listing, load, save
from tests.conftest import OpenApp, SteppingClock, a_caller


def last_accessed(app: Application, session: str) -> str:
    return listing(app, a_caller("human", "viewer"), sessionId=session).session.lastAccessedAt


@pytest.mark.holds("CHK-session-10", "001-session-1")
@pytest.mark.parametrize("by", ["checkpointId", "sessionId", "nothing"])
def test_every_load_moves_when_a_session_was_last_accessed(app: Application, by: str) -> None:
    saved = save(app, a_caller(), {"n": 1}, sessionId="w")
    ways = {"checkpointId": {by: saved.checkpointId}, "sessionId": {by: "w"}, "nothing": {}}
    times = [last_accessed(app, "w")]

    for caller in (a_caller(), a_caller(), a_caller(session="another")):
        load(app, caller, **ways[by])
        times.append(last_accessed(app, "w"))

    assert sorted(set(times)) == times


@pytest.mark.holds("CHK-session-10")
def test_who_may_only_read_loads_and_leaves_no_trace(open_app: OpenApp, viewer: Caller) -> None:
    save(open_app(), a_caller(), {"n": 1}, sessionId="w")
    app, read_only = open_app(), open_app(read_only=True)
    before, time = app.store.engine.heads(), last_accessed(app, "w")

    assert load(app, viewer).context == {"n": 1}
    assert load(app, a_caller("human", "admin")).context == {"n": 1}
    assert load(read_only, a_caller()).context == {"n": 1}

    assert app.store.engine.heads() == before
    assert last_accessed(app, "w") == time


@pytest.mark.holds("CHK-hash-10")
def test_what_is_said_of_an_unchanged_context_is_kept(app: Application, agent: Caller) -> None:
    said = {"name": "first", "tags": ["a"], "classes": {"n": "USEFUL"}, "mine": 1}
    first = save(app, agent, {"n": 1}, sessionId="w", metadata=said)

    anew = {"name": "second", "tags": ["b", "a"], "classes": {"m": "CRITICAL"}, "yours": 2}
    again = save(app, agent, {"n": 1}, sessionId="w", metadata=anew, cites=["D001"])

    assert (again.status, again.code) == ("SKIPPED_UNCHANGED", "CONTEXT_UNCHANGED")
    assert again.checkpointId == first.checkpointId
    assert again.amended == ["name", "tags", "classes", "extra", "cites"]
    assert again.receipt is not None
    assert "name, tags, classes, extra and cites are now as given" in again.text()
    metadata = load(app, agent, checkpointId=first.checkpointId).metadata
    assert (metadata["name"], metadata["tags"]) == ("second", ["a", "b"])
    assert metadata["classes"] == {"n": "USEFUL", "m": "CRITICAL"}
    assert (metadata["extra"], metadata["cites"]) == ({"mine": 1, "yours": 2}, ["D001"])
    listed = listing(app, agent, sessionId="w", name="second", tags=["b"])
    assert (listed.total, listed.session.tags) == (1, ["a", "b"])
    found = app.call("search", {"query": "second"}, agent).model_dump()["results"]
    assert [one["id"] for one in found] == [first.checkpointId]


@pytest.mark.holds("CHK-hash-10")
def test_what_says_nothing_new_writes_nothing(app: Application, agent: Caller) -> None:
    said = {"name": "first", "tags": ["a"], "sessionTags": ["s"]}
    save(app, agent, {"n": 1}, sessionId="w", metadata=said, cites=["D001"])
    before = app.store.engine.heads()

    for metadata in (said, {"tags": ["a"]}, {}, None):
        given = {} if metadata is None else {"metadata": metadata}
        again = save(app, agent, {"n": 1}, sessionId="w", **given)
        assert (again.amended, again.receipt) == (None, None)

    assert app.store.engine.heads() == before


def test_more_than_may_be_said_is_refused_and_nothing_is_written(
    app: Application, agent: Caller
) -> None:
    save(app, agent, {"n": 1}, metadata={"tags": [f"a{n}" for n in range(100)]})
    before = app.store.engine.heads()

    with pytest.raises(InvalidInput, match=r"metadata\.tags: at most 100"):
        save(app, agent, {"n": 1}, metadata={"tags": ["one more"]})

    assert app.store.engine.heads() == before


@pytest.mark.holds("001-session-1")
def test_a_session_has_tags_of_its_own(app: Application, agent: Caller) -> None:
    save(app, agent, {"n": 1}, sessionId="w", metadata={"tags": ["t"], "sessionTags": ["x", "y"]})
    unchanged = save(app, agent, {"n": 1}, sessionId="w", metadata={"sessionTags": ["z"]})

    session = listing(app, agent, sessionId="w").session

    assert (session.tags, session.ownTags) == (["t", "z"], ["z"])
    assert unchanged.amended == ["sessionTags"]
    assert "extra" not in load(app, agent, sessionId="w").metadata


def test_the_text_of_a_load_says_what_is_known_of_it(app: Application, agent: Caller) -> None:
    metadata = {"name": "before lunch", "tags": ["a", "b"], "mine": {"x": 1}}
    save(app, agent, {"n": 1}, sessionId="w", metadata=metadata, cites=["D007"])

    loaded = load(app, agent, sessionId="w")

    told = loaded.text()
    for part in ("“before lunch” #a #b", "session w", loaded.metadata["createdAt"], "D007"):
        assert part in told
    assert loaded.metadata["contextHash"] not in told  # it proves, and leads nowhere
    assert '{"mine":{"x":1}}' in told


@pytest.mark.holds("CHK-view-9")
def test_a_key_that_is_not_there_is_said(app: Application, agent: Caller) -> None:
    save(app, agent, {"plan": 1}, sessionId="w")

    picked = load(app, agent, sessionId="w", keys=["plan", "plam"])

    assert (picked.context, picked.unknownKeys) == ({"plan": 1}, ["plam"])
    assert "It has no key plam" in picked.text()
    assert load(app, agent, sessionId="w", keys=["plan"]).unknownKeys is None


def test_a_list_needs_its_session_and_says_so_in_the_sources_spelling(
    app: Application, agent: Caller
) -> None:
    with pytest.raises(InvalidInput, match="sessionId: is required") as refused:
        listing(app, agent)

    assert refused.value.details["arguments"] == [{"argument": "sessionId", "why": "is required"}]
    operation = app.catalog.find("workflow_checkpoint_list")
    assert operation.request.model_json_schema()["required"] == ["sessionId"]
    with pytest.raises(SessionNotFound):
        listing(app, agent, session_id="nobody")


@pytest.mark.parametrize("limit", [2, 2.0])
def test_numbers_may_be_written_with_a_point(app: Application, agent: Caller, limit: float) -> None:
    for number in range(5):
        save(app, agent, {"n": number}, sessionId="w")

    listed = listing(app, agent, sessionId="w", limit=limit, offset=limit)

    assert [one.checkpointId for one in listed.checkpoints] == ["C003", "C002"]
    assert load(app, agent, sessionId="w", budget_tokens=limit * 100).context == {"n": 4}
    for bad in (2.5, True, "2", float(2**70)):
        with pytest.raises(InvalidInput):
            listing(app, agent, sessionId="w", limit=bad)


def test_a_diff_is_paged_by_a_budget(app: Application, agent: Caller, clock: SteppingClock) -> None:
    del clock
    old = {str(number): {"text": "a" * 300} for number in range(200)}
    new: dict[str, Any] = {str(number): {"text": "b" * 300} for number in range(200)}
    first = save(app, agent, old, sessionId="w")
    second = save(app, agent, new | {"huge": "c" * 100_000}, sessionId="w")

    page = diff(app, agent, **{"from": first.checkpointId, "budget_tokens": 2_000})
    save(app, agent, {"later": 1}, sessionId="w")
    paths, pages = [one.path for one in page.differences], 1
    while page.nextCursor:
        assert len(page.model_dump_json(exclude_none=True)) < 2 * 8_000
        assert f"cursor={page.nextCursor}" in page.text()
        more = {"from": first.checkpointId, "cursor": page.nextCursor, "budget_tokens": 2_000}
        page = diff(app, agent, **more)
        paths += [one.path for one in page.differences]
        pages += 1
        assert page.to == second.checkpointId

    assert (len(paths), len(set(paths)), page.total) == (201, 201, 201)
    assert pages > 10
    whole = diff(app, agent, **{"from": first.checkpointId, "to": second.checkpointId})
    [huge] = [one for one in _all(app, agent, whole) if one.path == "/huge"]
    assert (huge.new, huge.change) == (None, "added")
    assert (huge.chars or 0) > 100_000


def _all(app: Application, agent: Caller, page: Any) -> list[Any]:
    found = list(page.differences)
    while page.nextCursor:
        asked = {"from": page.from_, "to": page.to, "cursor": page.nextCursor}
        page = diff(app, agent, **asked)
        found += page.differences
    return found


@pytest.mark.parametrize("asked", ["caf\u00e9", "cafe\u0301"])
def test_names_and_tags_are_found_however_accents_are_written(
    app: Application, agent: Caller, asked: str
) -> None:
    for number, written in enumerate(("caf\u00e9", "cafe\u0301", "cafe")):
        metadata = {"name": written, "tags": [written]}
        save(app, agent, {"n": number}, sessionId="w", metadata=metadata)

    found = [
        [one.checkpointId for one in listing(app, agent, sessionId="w", **wanted).checkpoints]
        for wanted in ({"tags": [asked]}, {"name": asked}, {"query": asked.upper()})
    ]

    assert found == [["C002", "C001"]] * 3
