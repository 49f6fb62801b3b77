"""Real graphs on our saver: interrupted, resumed, forked, nested, replayed from their writes."""

import asyncio
import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.langgraph import HansardSaver
from tests.langgraph.conftest import OpenSaver
from tests.langgraph.steps import config_of, identifier_of

LONG = "a long answer " * 100


class Chat(TypedDict):
    messages: Annotated[list[str], operator.add]


def asking(saver: BaseCheckpointSaver[Any]) -> Any:
    """Make a graph that stops to ask a person, then answers."""

    def ask(_: Chat) -> dict[str, Any]:
        return {"messages": [f"you said {interrupt('what?')}"]}

    def answer(state: Chat) -> dict[str, Any]:
        return {"messages": [f"{len(state['messages'])}: {LONG}"]}

    builder: Any = StateGraph(Chat)
    builder.add_node("ask", ask)
    builder.add_node("answer", answer)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


def test_an_interrupted_graph_is_resumed_by_another_process(open_saver: OpenSaver) -> None:
    stopped = asking(open_saver()).invoke({"messages": ["hello"]}, config_of())
    assert stopped["__interrupt__"][0].value == "what?"

    done = asking(open_saver()).invoke(Command(resume="so"), config_of())

    assert done["messages"] == ["hello", "you said so", f"2: {LONG}"]


def test_history_is_that_of_langgraphs_own_saver(saver: HansardSaver) -> None:
    told = []
    for one in (saver, InMemorySaver()):
        graph = asking(one)
        graph.invoke({"messages": ["hello"]}, config_of())
        graph.invoke(Command(resume="so"), config_of())
        graph.invoke({"messages": ["again"]}, config_of())
        told.append([
            (state.values, state.next, state.metadata["step"], state.metadata["source"])
            for state in graph.get_state_history(config_of())
        ])  # fmt: skip

    assert told[0] == told[1]


def test_time_travel_forks_and_both_ways_stay(saver: HansardSaver) -> None:
    graph = asking(saver)
    graph.invoke({"messages": ["hello"]}, config_of())
    graph.invoke(Command(resume="one"), config_of())
    before = next(
        state for state in graph.get_state_history(config_of()) if state.next == ("answer",)
    )

    fork = graph.update_state(before.config, {"messages": ["no: other"]})
    graph.invoke(None, fork)

    forked = graph.get_state(config_of()).values["messages"]
    assert forked == ["hello", "you said one", "no: other", f"3: {LONG}"]
    assert graph.get_state(before.config).values["messages"] == ["hello", "you said one"]


def test_a_subgraph_keeps_its_own_history(saver: HansardSaver) -> None:
    outer: Any = StateGraph(Chat)
    inner: Any = True
    outer.add_node("inner", asking(inner))
    outer.add_edge(START, "inner")
    graph = outer.compile(checkpointer=saver)
    graph.invoke({"messages": ["hello"]}, config_of())

    graph.invoke(Command(resume="in"), config_of())

    namespaces = {
        one.config["configurable"]["checkpoint_ns"] for one in saver.list(config_of(ns=None))
    }
    assert len(namespaces) == 2
    saver.prune(["t"])
    assert len(list(saver.list(config_of(ns=None)))) == 2


def test_a_graph_runs_asynchronously(open_saver: OpenSaver) -> None:
    async def run() -> list[str]:
        async with open_saver() as saver:
            graph = asking(saver)
            await graph.ainvoke({"messages": ["hello"]}, config_of())
            await graph.ainvoke(Command(resume="so"), config_of())
            states = [state async for state in graph.aget_state_history(config_of())]
            messages: list[str] = states[0].values["messages"]
            return messages

    assert asyncio.run(run()) == ["hello", "you said so", f"2: {LONG}"]


def appended(before: list[str], writes: list[list[str]]) -> list[str]:
    """Apply the writes of a step."""
    return [*before, *(one for write in writes for one in write)]


class Replayed(TypedDict):
    messages: Annotated[list[str], DeltaChannel(appended, snapshot_frequency=5)]
    turn: int


def replaying(saver: BaseCheckpointSaver[Any]) -> Any:
    """Make a graph one of whose channels is stored as what was written to it."""

    def work(state: Replayed) -> dict[str, Any]:
        return {"messages": [f"turn {state['turn']}"], "turn": state["turn"] + 1}

    builder: Any = StateGraph(Replayed)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    builder.add_conditional_edges("work", lambda state: END if state["turn"] % 4 == 0 else "work")
    return builder.compile(checkpointer=saver)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_channel_that_is_replayed_is_right_after_pruning(open_saver: OpenSaver) -> None:
    graph = replaying(open_saver())
    for _ in range(5):
        graph.invoke({"messages": ["again"], "turn": 1}, config_of())
    whole = graph.get_state(config_of()).values["messages"]
    assert len(whole) == 20

    saver = open_saver()
    saver.prune(["t"])

    assert replaying(saver).get_state(config_of()).values["messages"] == whole
    assert len(list(saver.list(config_of()))) < 10
    after = replaying(saver).invoke({"messages": ["more"], "turn": 3}, config_of())
    assert after["messages"] == [*whole, "more", "turn 3"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_replayed_is_what_the_base_class_would_replay(saver: HansardSaver) -> None:
    graph = replaying(saver)
    for _ in range(3):
        graph.invoke({"messages": ["again"], "turn": 1}, config_of())

    for found in saver.list(config_of()):
        asked: Any = {"config": found.config, "channels": ["messages", "turn", "nothing"]}
        ours = saver.get_delta_channel_history(**asked)
        assert ours == BaseCheckpointSaver.get_delta_channel_history(saver, **asked)
        assert ours == asyncio.run(saver.aget_delta_channel_history(**asked))
    assert saver.get_delta_channel_history(config=config_of(), channels=[]) == {}
    latest: Any = {"config": config_of(), "channels": ["messages"]}
    expected = BaseCheckpointSaver.get_delta_channel_history(saver, **latest)
    assert saver.get_delta_channel_history(**latest) == expected


def test_a_run_can_be_taken_away(saver: HansardSaver, app: Application) -> None:
    graph = asking(saver)
    for run in ("first", "second"):
        config = config_of(run)
        graph.invoke({"messages": [run]}, config | {"metadata": {"run_id": run}})

    saver.delete_for_runs(["first"])

    assert saver.get_tuple(config_of("first")) is None
    latest = saver.get_tuple(config_of("second"))
    assert latest is not None
    assert identifier_of(latest.config)
    assert verify(app.store).exit_code == 0
