"""Anything that may be done to threads, documents, graphs and runs, beside a plain model of it."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from hansard.app import start
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import catalog
from hansard.entities.contract import EntityConflict
from hansard.entities.types.agent_graph_execution import NEXT
from hansard.kernel.problem import InvalidInput
from tests.conftest import a_caller
from tests.entities.asking import (
    CHAT,
    DOCUMENT,
    GRAPH,
    Asking,
    Json,
    answered,
    asked,
    exported,
    said,
    take_over,
)

CALLS = ["c1", "c2", "c3"]
SENDERS = ["me", "you", "tool"]

partials_given = st.one_of(
    st.builds(said, st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)),
    st.builds(asked, st.sampled_from(CALLS)),
    st.builds(answered, st.sampled_from(CALLS), status=st.sampled_from(sorted(NEXT))),
)


def opened() -> Asking:
    """Open an empty store in memory."""
    chosen = Settings(store=start.MEMORY)
    return Asking(start.start(chosen, known=catalog(chosen)), a_caller())


@dataclass
class Plain:
    """A thread as one would write it down: everything, each time."""

    turns: list[tuple[str, list[Json]]] = field(default_factory=list)
    waiting: dict[str, str] = field(default_factory=dict)

    def extended(self, sender: str, partials: list[Json]) -> "Plain | None":
        """Give the thread with some more; `None` if that is against the rules."""
        waiting = dict(self.waiting)
        for one in partials:
            call = one["payload"].get("callId")
            if one["type"] == "toolRequest":
                if call in waiting:
                    return None
                waiting[call] = "notStarted"
            if one["type"] == "toolResponse":
                status = one["payload"]["status"]
                if call not in waiting or (waiting[call], status) == ("inProgress", "notStarted"):
                    return None
                waiting[call] = status
                if not NEXT[status]:
                    del waiting[call]
        turns = [(who, list(what)) for who, what in self.turns]
        if partials and turns and turns[-1][0] == sender:
            turns[-1][1].extend(partials)
        elif partials:
            turns.append((sender, list(partials)))
        return Plain(turns, waiting)


class Threads(RuleBasedStateMachine):
    """Appends and forks from any thread at any time; no thread that was made ever changes."""

    threads = Bundle("threads")

    def __init__(self) -> None:
        super().__init__()
        self.at = opened()
        self.plain: dict[str, Plain] = {}
        self.read: dict[str, Json] = {}
        self.head = Plain()

    def teardown(self) -> None:
        if self.plain:
            self._carry_elsewhere()
        self.at.app.close()

    def _carry_elsewhere(self) -> None:
        """See that an export holds every thread, and is the same after an import."""
        lines = exported(self.at.app)
        there = opened()
        take_over(there.app, lines)
        assert exported(there.app) == lines
        for thread, whole in self.read.items():
            assert there.thread(thread) == whole
        there.app.close()

    @initialize(target=threads)
    def begin(self) -> str:
        self.chat = self.at.create("chatThread", CHAT)
        return self._keep(self.chat["threadId"], Plain())

    @rule(
        target=threads,
        thread=threads,
        sender=st.sampled_from(SENDERS),
        partials=st.lists(partials_given, max_size=3),
    )
    def append(self, thread: str, sender: str, partials: list[Json]) -> str:
        expected = self.plain[thread].extended(sender, partials)
        if expected is None:
            with pytest.raises(InvalidInput):
                self.at.append(thread, sender, *partials)
            return thread
        return self._keep(self.at.append(thread, sender, *partials)["id"], expected)

    @rule(target=threads, sender=st.sampled_from(SENDERS), thread=threads, content=st.just("x"))
    def append_to_chat(self, sender: str, thread: str, content: str) -> str:
        now = self.at.get(self.chat["id"])["threadId"]
        if thread != now:
            with pytest.raises(EntityConflict):
                self.at.append_to_chat(self.chat["id"], sender, said(content), thread_id=thread)
        written = self.at.append_to_chat(self.chat["id"], sender, said(content))
        extended = self.plain[now].extended(sender, [said(content)])
        assert extended is not None
        self.head = extended
        return self._keep(written.entity["id"], extended)

    @invariant()
    def no_thread_ever_changes(self) -> None:
        for thread, whole in self.read.items():
            assert self.at.thread(thread) == whole

    @invariant()
    def the_chat_is_where_it_was_last_moved_to(self) -> None:
        if self.plain:
            thread = self.at.thread(self.at.get(self.chat["id"])["threadId"])
            assert told(thread) == self.head.turns

    def _keep(self, thread: str, expected: Plain) -> str:
        assert thread not in self.plain
        whole = self.at.thread(thread)
        assert told(whole) == expected.turns
        self.plain[thread] = expected
        self.read[thread] = whole
        return thread


def told(thread: Json) -> list[tuple[str, list[Json]]]:
    """Give who said what."""
    return [(turn["senderId"], turn["partials"]) for turn in thread["turns"]]


class Documents(RuleBasedStateMachine):
    """Revisions and forks of any version, and deletions: links agree, and lead somewhere."""

    documents = Bundle("documents")

    def __init__(self) -> None:
        super().__init__()
        self.at = opened()
        self.content: dict[str, str] = {}
        self.origin: dict[str, str | None] = {}
        self.next: dict[str, str | None] = {}

    def teardown(self) -> None:
        there = opened()
        take_over(there.app, exported(self.at.app))
        for document in self.content:
            assert there.get(document) == self.at.get(document)
        there.app.close()
        self.at.app.close()

    @rule(target=documents, content=st.text("ab", max_size=3))
    def create(self, content: str) -> str:
        made = self.at.create("textDocument", DOCUMENT | {"content": content})
        return self._keep(made, content, None)

    @rule(
        target=documents, document=documents, content=st.text("ab", max_size=3), fork=st.booleans()
    )
    def revise(self, document: str, content: str, fork: bool) -> str:
        if document not in self.content:
            return document
        has_successor = document in [self.origin[one] for one in self.content]
        if has_successor and not fork:
            with pytest.raises(EntityConflict):
                self.at.revise(document, content)
            return document
        return self._keep(self.at.revise(document, content, fork=fork), content, document)

    @rule(document=documents)
    def delete(self, document: str) -> None:
        if self.content.pop(document, None) is None:
            return
        self.at.delete(document)
        before, after = self.origin.pop(document), self.next.pop(document)
        for one in self.content:
            if self.origin[one] == document:
                self.origin[one] = before
        if before and self.next[before] == document:
            others = [one for one in self.content if self.origin[one] == before]
            self.next[before] = after or (others[0] if others else None)

    @invariant()
    def links_agree(self) -> None:
        read = {one: self.at.get(one) for one in self.content}
        for identifier, document in read.items():
            assert document["content"] == self.content[identifier]
            assert document["previousId"] == self.origin[identifier]
            assert document["nextId"] == self.next[identifier]
        current = self.at.list("textDocument", where={"nextId": None}, limit=200).entities
        assert {one["id"] for one in current} == {
            one for one in self.content if self.next[one] is None
        }

    def _keep(self, document: Json, content: str, origin: str | None) -> str:
        identifier = str(document["id"])
        self.content[identifier] = content
        self.origin[identifier] = origin
        self.next[identifier] = None
        if origin and self.next[origin] is None:
            self.next[origin] = identifier
        return identifier


BRISK = settings(
    max_examples=25,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

Threads.TestCase.settings = BRISK
Documents.TestCase.settings = BRISK

TestThreads = pytest.mark.holds("ENT-thread-1", "ENT-thread-3", "ENT-thread-6", "ENT-thread-7")(
    Threads.TestCase
)
TestDocuments = pytest.mark.holds("ENT-document-2", "ENT-document-3")(Documents.TestCase)


@pytest.fixture(scope="module")
def memory() -> Any:
    at = opened()
    yield at
    at.app.close()


@pytest.mark.holds("ENT-execution-1", "ENT-execution-2")
@BRISK
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["notStarted", "inProgress", "completed", "failed", None]),
            st.integers(0, 3),
        ),
        max_size=12,
    )
)
def test_a_run_goes_only_the_ways_there_are(memory: Asking, steps: list[tuple[Any, int]]) -> None:
    graph = memory.create("agentGraph", GRAPH)
    run = memory.create("agentGraphExecution", {"agentGraphId": graph["id"]})
    status, happened = "notStarted", 0
    for wanted, count in steps:
        events = [{"type": "log", "message": f"{happened + n}"} for n in range(count)]
        if wanted is None and not events:
            continue
        is_frozen = not NEXT[status]  # type: ignore[index]
        is_way = wanted is None or wanted in NEXT[status]  # type: ignore[index]
        is_begun = status != "notStarted" or wanted is not None or not events
        arguments = {} if wanted is None else {"status": wanted}
        if is_frozen or not is_way or not is_begun:
            with pytest.raises(EntityConflict):
                memory.happen(run["id"], *events, **arguments)
            continue
        memory.happen(run["id"], *events, **arguments)
        status, happened = wanted or status, happened + count

    ended = memory.get(run["id"])
    assert ended["status"] == status
    assert [event["message"] for event in ended["events"]] == [str(n) for n in range(happened)]
    assert (ended["endTime"] is not None) == (status in ("completed", "failed"))


ends = st.sampled_from("abcx")


@pytest.mark.holds("ENT-graph-1", "ENT-graph-2", "ENT-graph-3")
@BRISK
@given(
    nodes=st.lists(st.sampled_from("abc"), max_size=4),
    edges=st.lists(st.tuples(ends, st.sampled_from("pq"), ends), max_size=4),
)
def test_a_graph_holds_together(
    memory: Asking, nodes: list[str], edges: list[tuple[str, str, str]]
) -> None:
    data = {
        "name": "g",
        "nodes": [{"id": one, "nodeId": "n", "position": {"x": 0, "y": 0}} for one in nodes],
        "edges": [
            {
                "sourceNodeId": source,
                "sourcePortId": port,
                "targetNodeId": target,
                "targetPortId": "in",
            }
            for source, port, target in edges
        ],
    }
    joined = {end for source, _, target in edges for end in (source, target)}
    holds = len(set(nodes)) == len(nodes) and len(set(edges)) == len(edges) and joined <= set(nodes)
    if not holds:
        with pytest.raises(InvalidInput):
            memory.create("agentGraph", data)
        return

    made = memory.create("agentGraph", data)

    assert [one["id"] for one in made["nodes"]] == nodes
    assert [(one["sourceNodeId"], one["targetNodeId"]) for one in made["edges"]] == [
        (source, target) for source, _, target in edges
    ]


def test_the_machines_run_on_an_application() -> None:
    at = opened()
    assert isinstance(at.app, Application)
    at.app.close()
