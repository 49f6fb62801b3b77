"""What a tool answers is, byte for byte, what its published schema says."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from hansard.app.application import Application
from hansard.app.published import committed_contract
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.operation import Result
from hansard.mcp.answers import succeeded
from tests.checkpoints.contexts import hardly_packed
from tests.conftest import a_caller
from tests.contract.everything_asked import SECRET, Asking, ask_everything
from tests.mcp.processes import StdioServer

Json = dict[str, Any]
Answers = list[tuple[str, Result]]

OPERATIONS: list[Json] = orjson.loads(committed_contract())["operations"]
SEVERAL = """changes checkpoints commits differences edits entries files matches projects records
    revisions samples sessions steps writes""".split()
PUBLISHED: dict[str, Json] = {one["name"]: one["outputSchema"] for one in OPERATIONS}
OVER_MCP: dict[str, Json] = {one["name"]: one["mcpOutputSchema"] for one in OPERATIONS}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    folder = tmp_path_factory.mktemp("workspace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANSARD_SECRET", SECRET)
        settings = Settings(
            store="memory:", workspace=str(folder), embedder="none", review_window_s=0
        )
        application = start(settings)
        yield [*ask_everything(application, folder), *_in_other_ways(application)]
        application.close()


def _in_other_ways(app: Application) -> Answers:
    """Ask the checkpoint tools so that every field of their answers is there once."""
    ask = Asking(app, a_caller())
    long = hardly_packed(20_000)
    context = {"goal": "g", "messages": [long[:500]] * 50, "notes": long, "debug": long}
    saved = ask("workflow_checkpoint_save", sessionId="full", context=context)
    ask("workflow_checkpoint_save", sessionId="full", context=context, metadata={"name": "Anew"})
    ask("workflow_checkpoint_load", checkpointId=saved["checkpointId"], budget_tokens=500)
    ask("workflow_checkpoint_load", sessionId="full", keys=["goal", "none"])
    ask("workflow_checkpoint_load")
    ask("workflow_mark_critical", contextKey="none")
    ask("workflow_mark_critical", contextKey="goal")
    ask("workflow_mark_critical", contextKey="goal", critical=False)
    ask("workflow_checkpoint_save", sessionId="full", context={"goal": long, "new": 1})
    ask("workflow_checkpoint_list", sessionId="full", limit=1)
    first = {"from": saved["checkpointId"], "budget_tokens": 20}
    page = ask("workflow_checkpoint_diff", **first)
    ask("workflow_checkpoint_diff", **first, cursor=page["nextCursor"])
    return ask.answers


def faults(name: str, content: Json, schemas: dict[str, Json]) -> list[str]:
    """Say where an answer is not what the published schema of its tool says."""
    found = Draft202012Validator(schemas[name]).iter_errors(content)
    return [f"{name} {error.json_path}: {error.message[:200]}" for error in found]


def test_a_schema_is_published_for_every_tool(answers: Answers) -> None:
    assert {name for name, _ in answers} == PUBLISHED.keys() == OVER_MCP.keys()
    for schema in (*PUBLISHED.values(), *OVER_MCP.values()):
        Draft202012Validator.check_schema(schema)


@pytest.mark.holds("ALL-08.11")
def test_every_answer_over_mcp_fits_its_published_schema(answers: Answers) -> None:
    wrong = []
    for name, answer in answers:
        content = succeeded(answer).structured_content
        assert content is not None
        wrong += faults(name, content, OVER_MCP)

    assert wrong == []


@pytest.mark.holds("ALL-08.11")
def test_every_answer_over_http_fits_its_published_schema(answers: Answers) -> None:
    wrong = []
    for name, answer in answers:
        # As `http/api.py` and the resources write it.
        wrong += faults(name, orjson.loads(answer.model_dump_json(exclude_none=True)), PUBLISHED)

    assert wrong == []


def test_one_of_something_is_not_told_as_several(answers: Answers) -> None:
    several = re.compile(rf"(?<![\d,.:])1 ({'|'.join(SEVERAL)})\b")

    told = {name: found for name, answer in answers if (found := several.findall(answer.text()))}

    assert told == {}


@pytest.mark.holds("ALL-08.11")
def test_on_the_wire_the_sources_words_are_spelled_as_published(tmp_path: Any) -> None:
    with StdioServer("tests.checkpoints.programs", {"store": str(tmp_path)}) as server:
        server.open()

        def ask(name: str, **arguments: Any) -> Json:
            content: Json = server.call(name, **arguments)["result"]["structuredContent"]
            assert faults(name, content, OVER_MCP) == []
            return content

        long = hardly_packed(20_000)
        for number in range(2):
            context = {"notes": long, "n": number}
            ask("workflow_checkpoint_save", sessionId="w", context=context)
        view = ask("workflow_checkpoint_load", sessionId="w", budget_tokens=100)
        compared = ask("workflow_checkpoint_diff", **{"from": "C001"})

    assert {*view["omitted"][0]} >= {"key", "class", "how", "chars"}
    assert (compared["from"], compared["to"]) == ("C001", "C002")
