"""Documents as lists of versions: whole, marked, not rewritten; writing back what was read."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.search_answers import ThingsFoundAnswer
from hansard.entities.contract import EntityConflict, EntityImmutable
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.entities.asking import DOCUMENT, GRAPH, Asking, Json, exported, take_over
from tests.entities.export_samples import one_of_each
from tests.entities.test_entities_machine import opened


def chain(at: Asking, *contents: str) -> list[str]:
    """Make a document and its versions."""
    made = [at.create("textDocument", DOCUMENT | {"content": contents[0]})["id"]]
    for content in contents[1:]:
        made.append(at.revise(made[-1], content)["id"])
    return made


def links(at: Asking, *documents: str) -> list[tuple[str | None, str | None]]:
    read = [at.get(one) for one in documents]
    return [(one["previousId"], one["nextId"]) for one in read]


@pytest.mark.holds("ENT-document-4")
def test_a_list_stays_whole_whichever_version_is_deleted(entities_of: Asking) -> None:
    a, b, c, d = chain(entities_of, "1", "2", "3", "4")

    entities_of.delete(b)
    assert links(entities_of, a, c, d) == [(None, c), (a, d), (c, None)]
    entities_of.delete(a)
    assert links(entities_of, c, d) == [(None, d), (c, None)]
    entities_of.delete(d)
    assert links(entities_of, c) == [(None, None)]
    entities_of.app.store.rebuild(entities_of.app.default_project)
    assert links(entities_of, c) == [(None, None)]


@pytest.mark.holds("ENT-document-4")
def test_the_line_that_goes_on_stays_the_one_that_went_on(entities_of: Asking) -> None:
    a, b = chain(entities_of, "1", "2")
    fork = entities_of.revise(a, "aside", fork=True)["id"]
    c = entities_of.revise(b, "3")["id"]

    entities_of.delete(b)

    assert links(entities_of, a, fork, c) == [(None, c), (a, None), (a, None)]
    there = opened()
    take_over(there.app, exported(entities_of.app))
    assert links(there, a, fork, c) == links(entities_of, a, fork, c)
    there.app.close()
    entities_of.delete(c)
    assert links(entities_of, a, fork) == [(None, fork), (a, None)]


@pytest.mark.holds("ENT-document-5")
def test_an_old_version_is_not_rewritten(entities_of: Asking) -> None:
    a, b, c = chain(entities_of, "1", "2", "3")
    before = entities_of.get(a)

    for given in ({"content": "other"}, {"title": "other"}):
        with pytest.raises(EntityImmutable) as refused:
            entities_of.update(a, given)
        assert refused.value.details["current_id"] == c

    assert entities_of.get(a) == before
    assert entities_of.update(c, {"content": "corrected"})["content"] == "corrected"
    entities_of.delete(c)
    assert entities_of.update(b, {"content": "current again"})


@pytest.mark.holds("ENT-document-6")
@pytest.mark.parametrize("limit", [1, 2, 10])
def test_a_search_puts_the_current_version_first_and_marks_the_old(
    entities_of: Asking, limit: int
) -> None:
    versions = chain(entities_of, *["zeppelin zeppelin zeppelin"] * 12, "a balloon, no more")
    other = entities_of.create("textDocument", DOCUMENT | {"content": "one zeppelin"})["id"]

    found = entities_of.ask(ThingsFoundAnswer, "search", query="zeppelin", limit=limit).results

    assert len(found) == limit
    assert (found[0].id, found[0].status) == (versions[-1], "current version")
    for one in found[1:]:
        assert one.status == ("current version" if one.id == other else "old version")
    assert "old version" in found[-1].text() or limit == 1


# Writing back.


@pytest.mark.holds("ENT-tools-15")
def test_what_is_read_can_be_written_back(app: Application, agent: Caller) -> None:
    at = Asking(app, agent)
    for name, entity in one_of_each(app, agent).items():
        if name in ("messageThread", "metric"):
            continue
        head = at.head()

        assert at.update(entity["id"], entity) == entity, name

        assert at.head() == head


@pytest.mark.holds("ENT-tools-15")
def test_a_field_is_changed_in_what_was_read(entities_of: Asking) -> None:
    first, _ = chain(entities_of, "1", "2")
    second = entities_of.get(entities_of.get(first)["nextId"])

    changed = entities_of.update(second["id"], second | {"title": "Other"})

    assert changed == second | {"title": "Other", "updatedAt": changed["updatedAt"]}
    with pytest.raises(EntityConflict):
        entities_of.update(second["id"], second | {"title": "Mine"})
    graph = entities_of.create("agentGraph", GRAPH)
    renamed = entities_of.update(graph["id"], graph | {"name": "other"})
    assert renamed["nodes"] == graph["nodes"]


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "textDocument::x"},
        {"createdAt": "2020-01-01T00:00:00.000000Z"},
        {"previousId": "textDocument::x"},
        {"nextId": "textDocument::x"},
        {"colour": "red"},
    ],
)
def test_what_is_set_here_cannot_be_changed(entities_of: Asking, changed: Json) -> None:
    [made] = chain(entities_of, "1")
    before = entities_of.get(made)

    with pytest.raises(InvalidInput):
        entities_of.update(made, before | changed)

    assert entities_of.get(made) == before


@pytest.mark.holds("ENT-tools-15")
def test_a_run_is_written_back_with_its_end_or_its_beginning_cut_off(entities_of: Asking) -> None:
    graph = entities_of.create("agentGraph", GRAPH)["id"]
    run = entities_of.create("agentGraphExecution", {"agentGraphId": graph, "status": "inProgress"})
    for number in range(4):
        entities_of.happen(run["id"], {"type": "log", "message": f"{number}"})

    def read(**rest: Any) -> Json:
        return entities_of.get(run["id"], **rest)

    ended = entities_of.update(run["id"], read(limit=2) | {"status": "completed"})

    assert ended["status"] == "completed"
    part = read(limit=2)
    assert entities_of.update(run["id"], part)["updatedAt"] == part["updatedAt"]
    forged = [part["events"][0] | {"message": "other"}]
    wrong: list[list[Any]] = [forged, [{"index": 99}], [{}], [1]]
    for events in wrong:
        with pytest.raises(InvalidInput):
            entities_of.update(run["id"], part | {"events": events})
    with pytest.raises(EntityConflict):
        entities_of.update(run["id"], part | {"status": "failed"})
