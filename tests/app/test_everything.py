"""The one search over everything, and what the capabilities know of each other through it."""

from datetime import timedelta
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.search_all import Everything
from hansard.app.search_answers import SearchRequest, Thing, ThingsFoundAnswer
from hansard.app.search_contents import LOOKED_BYTES_MAX
from hansard.app.search_facts import in_utc
from hansard.kernel.clock import from_text
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller, Context
from hansard.kernel.problem import InvalidInput
from tests.conftest import a_caller
from tests.entities.near import Near

REASONS = "Nothing else was at hand that day."


def found(app: Application, caller: Caller, query: str, **rest: Any) -> list[Thing]:
    answer = app.call("search", {"query": query, **rest}, caller)
    assert isinstance(answer, ThingsFoundAnswer)
    return answer.results


def said(app: Application, caller: Caller, operation: str, /, **arguments: Any) -> dict[str, Any]:
    return app.call(operation, arguments, caller).model_dump()


def one_of_each(app: Application, caller: Caller) -> dict[str, str]:
    """Put something about a capacitor into every capability; gives ids by kind."""
    texts = {"title": "Capacitor", "summary": "s", "body": "It hums."}
    record = said(app, caller, "create_record", type="task", **texts)
    decision = said(
        app, caller, "record_decision", title="Capacitor first", target="power", rationale=REASONS
    )
    note = said(app, caller, "audit_event", type="note", description="The capacitor hums")
    said(app, caller, "file_op", action="create", path="src/capacitor.py", content="x\n")
    checkpoint = said(
        app, caller, "workflow_checkpoint_save", context={"n": 1}, metadata={"name": "capacitor"}
    )
    document = said(
        app,
        caller,
        "entity_create",
        type="textDocument",
        data={"title": "Capacitor", "content": "x"},
    )
    return {
        "entity": document["entity"]["id"],
        "record": record["record"]["id"],
        "decision": decision["decision_id"],
        "timeline": f"s:{note['receipt']['seq']}",
        "file": "path:src/capacitor.py",
        "checkpoint": checkpoint["checkpointId"],
    }


@pytest.mark.holds("ALL-11.6", "ALL-00.7")
def test_every_kind_is_found_and_says_what_it_is(app: Application, agent: Caller) -> None:
    ids = one_of_each(app, agent)

    things = found(app, agent, "capacitor")

    assert {thing.kind: thing.id for thing in things} == ids
    assert [thing.score for thing in things] == sorted((t.score for t in things), reverse=True)
    assert all(0 < thing.score <= 1 for thing in things)
    text = app.call("search", {"query": "capacitor"}, agent).text()
    assert all(identifier in text for identifier in ids.values())


@pytest.mark.parametrize("kind", ["record", "decision", "timeline", "file", "checkpoint", "entity"])
def test_only_the_kinds_asked_for_are_found(app: Application, agent: Caller, kind: str) -> None:
    one_of_each(app, agent)

    assert [thing.kind for thing in found(app, agent, "capacitor", kinds=[kind])] == [kind]


def test_what_has_all_the_words_comes_before_what_has_some(app: Application, agent: Caller) -> None:
    one_of_each(app, agent)
    note = said(app, agent, "audit_event", type="note", description="a blue capacitor")

    assert found(app, agent, "blue capacitor")[0].id == f"s:{note['receipt']['seq']}"


def test_pages_meet_without_gap_or_overlap(app: Application, agent: Caller) -> None:
    for number in range(7):
        said(app, agent, "audit_event", type="note", description=f"capacitor {number}")
    one_of_each(app, agent)
    whole = [thing.id for thing in found(app, agent, "capacitor", limit=100)]

    paged: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = app.call("search", {"query": "capacitor", "limit": 5} | cursor, agent)
        assert isinstance(answer, ThingsFoundAnswer)
        paged += [thing.id for thing in answer.results]
        if answer.nextCursor is None:
            break
        cursor = {"cursor": answer.nextCursor}

    assert len(whole) == 13
    assert paged == whole


def test_a_superseded_decision_leads_to_the_one_that_holds(app: Application, agent: Caller) -> None:
    old = one_of_each(app, agent)["decision"]
    new = said(
        app, agent, "supersede_decision",
        old_decision_ids=[old], title="Steam first", target="power", rationale=REASONS,
    )  # fmt: skip

    [thing] = found(app, agent, "capacitor first", kinds=["decision"])

    assert (thing.id, thing.status) == (new["decision_id"], "active")


def test_what_is_deleted_is_not_found(app: Application, agent: Caller) -> None:
    checkpoint = one_of_each(app, agent)["checkpoint"]

    said(app, agent, "workflow_checkpoint_delete", checkpointId=checkpoint)

    assert found(app, agent, "capacitor", kinds=["checkpoint"]) == []


def test_nothing_of_another_project_is_found(app: Application, agent: Caller) -> None:
    one_of_each(app, agent)
    said(app, agent, "create_project", id="other", name="Other")

    assert found(app, agent, "capacitor", project_id="other") == []


@pytest.mark.parametrize("query", ["", "*", '"', "NEAR(", "a OR", "\u0000", "📦", "the", "x" * 999])
def test_any_query_is_answered(app: Application, agent: Caller, query: str) -> None:
    one_of_each(app, agent)

    assert isinstance(found(app, agent, query), list)


@pytest.mark.parametrize(
    "bad", [{"kinds": ["rumour"]}, {"cursor": "x"}, {"limit": 0}, {"as_of": "t:1"}]
)
def test_bad_arguments_are_refused(app: Application, agent: Caller, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        found(app, agent, "capacitor", **bad)


def test_a_document_is_found_by_its_meaning_and_one_that_is_gone_is_not(
    app: Application, agent: Caller
) -> None:
    document = one_of_each(app, agent)["entity"]

    def asked(key: str) -> list[tuple[str, float]]:
        stamp = Stamp(agent.actor, "2026-01-01T00:00:00.000Z")
        context = Context(app.store, app.default_project, agent, stamp)
        request = SearchRequest(query="what stores charge", kinds=["entity"])
        answer = Everything(Near(key)).search(request, context)
        return [(thing.id, thing.score) for thing in answer.results]

    assert asked(document) == [(document, 0.6)]
    assert asked("textDocument::gone") == []


def test_each_hit_says_who_when_and_by_which_words(app: Application, agent: Caller) -> None:
    one_of_each(app, agent)

    for thing in found(app, agent, "humming capacitors"):
        assert thing.author == "agent:test-agent"
        assert thing.at
        assert thing.at.startswith("20")
        assert any(word.lower().startswith("capacitor") for word in thing.words)


def test_what_no_longer_holds_says_what_does(app: Application, agent: Caller) -> None:
    question = said(
        app, agent, "create_record", type="question", title="Which pump", body="", summary=""
    )
    answer = said(
        app, agent, "create_record", type="answer", title="The blue one", body="", summary=""
    )
    asked, given = question["record"]["id"], answer["record"]["id"]
    said(app, agent, "activate", id=asked)
    said(app, agent, "transition", id=asked, to_state="RESOLVED", resolved_by=given)
    first = said(
        app,
        agent,
        "entity_create",
        type="textDocument",
        data={"title": "Pump", "content": "old pump"},
    )["entity"]["id"]
    second = said(app, agent, "document_revise", id=first, content="new pump")["entity"]["id"]

    instead = {thing.id: thing.instead for thing in found(app, agent, "pump")}

    assert instead[asked] == given
    assert instead[first] == second
    assert instead[second] is None


@pytest.mark.parametrize(
    ("where", "kinds"),
    [
        ({"state": "open"}, {"record"}),
        ({"state": "active"}, {"decision"}),
        (
            {"author": "Test-Agent"},
            {"record", "decision", "timeline", "file", "checkpoint", "entity"},
        ),
        ({"author": "human:test-agent"}, set()),
        ({"path": "src"}, {"file"}),
        ({"path": "*.py"}, {"file"}),
        ({"path": "sr"}, set()),
        ({"tags": ["power", "urgent"]}, {"record"}),
        ({"tags": ["power", "later"]}, set()),
        ({"session": "nobody's"}, set()),
        ({"since": "2999"}, set()),
        ({"until": "1999-12-31"}, set()),
        ({"since": "2000", "path": "src/capacitor.py"}, {"file"}),
    ],
)
def test_a_search_is_narrowed_down(
    app: Application, agent: Caller, where: dict[str, Any], kinds: set[str]
) -> None:
    ids = one_of_each(app, agent)
    said(app, agent, "activate", id=ids["record"])
    said(app, agent, "update_record", id=ids["record"], metadata={"tags": ["power", "urgent"]})

    assert {thing.kind for thing in found(app, agent, "capacitor", where=where)} == kinds


def test_what_is_narrowed_down_is_found_far_behind_what_is_not_wanted(
    app: Application, agent: Caller
) -> None:
    for number in range(30):
        said(app, agent, "audit_event", type="note", description=f"pump pump pump {number}")
    said(app, agent, "file_op", action="create", path="docs/about/the/pump.md", content="x\n")

    [thing] = found(app, agent, "pump", where={"path": "docs/"}, limit=1)

    assert thing.id == "path:docs/about/the/pump.md"


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("2026", "2026"),
        ("2026-05", "2026-05"),
        ("2026-05-07", "2026-05-07"),
        ("2026-05-07T06", "2026-05-07T06"),
        ("2026-05-07T06:57:02Z", "2026-05-07T06:57:02"),
        ("2026-05-07T06:57:02.123456Z", "2026-05-07T06:57:02.123456"),
        ("2026-05-07T01:30+05:30", "2026-05-06T20:00"),
        ("2026-05-06T23:00:00-05:00", "2026-05-07T04:00:00"),
        ("2026-05-07T12Z", "2026-05-07T12"),
        ("2026-05-07T12+02:00", "2026-05-07T10"),
        ("2026-05-07T12+05:30", "2026-05-07T06:30"),
    ],
)
def test_a_time_that_narrows_is_meant_in_its_own_zone(told: str, kept: str) -> None:
    assert in_utc(told) == kept


@pytest.mark.parametrize(
    "told",
    [
        "2026-13",
        "2026-02-30",
        "2026-05-07Z",
        "2026-05-07+02:00",
        "2026-05-07-05:00",
        "2026+02:00",
        "2026-05-07T25:00",
        "20260507",
        "2026-05-07T",
    ],
)
def test_what_is_no_time_narrows_nothing(told: str) -> None:
    with pytest.raises(ValueError, match="ISO"):
        in_utc(told)


def test_a_thing_is_found_since_and_until_the_time_that_its_answer_shows(
    app: Application, agent: Caller
) -> None:
    said(app, agent, "audit_event", type="note", description="capacitor")
    [thing] = found(app, agent, "capacitor")
    assert thing.at is not None
    shown = f"{thing.at[:19]}Z"
    east = (from_text(thing.at) + timedelta(hours=9)).isoformat()[:19] + "+09:00"

    for at in (shown, thing.at, east):
        where = {"since": at, "until": at}
        assert len(found(app, agent, "capacitor", where=where)) == 1


@pytest.mark.parametrize("where", [{"colour": "red"}, {"since": "yesterday"}, {"tags": "power"}])
def test_what_cannot_narrow_a_search_is_refused(
    app: Application, agent: Caller, where: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        found(app, agent, "capacitor", where=where)


def wrote(
    app: Application, caller: Caller, path: str, content: str, action: str = "create"
) -> None:
    said(app, caller, "file_op", action=action, path=path, content=content)


def test_a_file_is_found_by_what_it_holds_now(app: Application, agent: Caller) -> None:
    wrote(app, agent, "src/a.py", "import asyncio\n\nwork = asyncio.Queue()\n")
    wrote(app, agent, "src/b.py", "nothing\n")

    [first] = found(app, agent, "asyncio.Queue", kinds=["file"])

    assert (first.id, first.line, first.snippet) == ("path:src/a.py", 3, "work = asyncio.Queue()")
    assert "line 3: work = asyncio.Queue()" in first.text()
    wrote(app, agent, "src/a.py", "import queue\n", action="edit")
    assert found(app, agent, "asyncio.Queue", kinds=["file"]) == []


def test_a_file_that_is_found_says_who_made_it_what_it_is(app: Application, agent: Caller) -> None:
    wrote(app, agent, "queue.py", "asyncio.Queue\n")
    [first] = found(app, agent, "asyncio.Queue", kinds=["file"])
    person = a_caller("human", "admin")
    wrote(app, person, "queue.py", "asyncio.Queue(3)\n", action="edit")
    [second] = found(app, agent, "asyncio.Queue", kinds=["file"])
    by_person = found(app, agent, "queue", kinds=["file"], where={"author": "test-human"})

    assert (first.author, second.author) == ("agent:test-agent", "human:test-human")
    assert (second.at or "") >= (first.at or "")
    assert [one.id for one in by_person] == ["path:queue.py"]


def test_a_file_found_by_its_name_and_by_what_it_holds_is_one(
    app: Application, agent: Caller
) -> None:
    wrote(app, agent, "retry.py", "# how to retry\n")

    [one] = found(app, agent, "retry", kinds=["file"])

    assert (one.id, one.line, one.snippet) == ("path:retry.py", 1, "# how to retry")


def test_words_as_they_are_written_come_before_words_apart(app: Application, agent: Caller) -> None:
    wrote(app, agent, "apart.md", "A queue.\nIt is fair.\n")
    wrote(app, agent, "folded.md", "A Fair Queue is best.\n")
    wrote(app, agent, "written.md", "One\nfair queue\n")
    wrote(app, agent, "a_line.md", "queues, and fair ones\n")

    files = found(app, agent, "fair queue", kinds=["file"])

    assert [one.id for one in files] == [
        f"path:{name}.md" for name in ("written", "folded", "a_line", "apart")
    ]
    assert [one.line for one in files] == [2, 1, 1, 1]


def test_what_cannot_be_read_as_text_or_is_gone_is_not_looked_through(
    app: Application, agent: Caller
) -> None:
    wrote(app, agent, "gone.txt", "the needle\n")
    said(app, agent, "file_op", action="delete", path="gone.txt")
    said(
        app,
        agent,
        "file_op",
        action="create",
        path="bytes.bin",
        content="/25lZWRsZQ==",
        encoding="base64",
    )

    assert found(app, agent, "needle", kinds=["file"]) == []
    assert found(app, agent, "th", kinds=["file"]) == []


def test_what_was_changed_long_ago_is_not_looked_through_past_the_bound(
    app: Application, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote(app, agent, "old.txt", "a needle\n")
    wrote(app, agent, "new.txt", "a needle\n" * 2)

    assert len(found(app, agent, "needle", kinds=["file"])) == 2
    assert LOOKED_BYTES_MAX > 100
    monkeypatch.setattr("hansard.app.search_contents.LOOKED_BYTES_MAX", 20)
    assert [one.id for one in found(app, agent, "needle", kinds=["file"])] == ["path:new.txt"]


def test_contents_of_another_project_are_not_found(app: Application, agent: Caller) -> None:
    wrote(app, agent, "mine.txt", "a needle\n")
    said(app, agent, "create_project", name="Other", id="other")

    assert found(app, agent, "needle", project_id="other") == []
