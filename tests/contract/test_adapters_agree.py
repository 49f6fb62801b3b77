"""A refusal is the same whoever hears it: the library, MCP, the API and the command line."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import hansard
from hansard.app.settings import Settings
from hansard.cli.commands import COMMANDS
from hansard.kernel.problem import Problem
from tests.cli.running import Hansard
from tests.conftest import a_caller
from tests.contract.refusing import PROBLEMS, TOOL, made, opened
from tests.http.serving import WAIT_S, Browser, Server, environment, let_in, mcp_call
from tests.launcher.programs import Popen
from tests.mcp.processes import ROOT, StdioServer

Json = dict[str, Any]
Adapter = Callable[[str], Json]

SOURCE = Path(hansard.__file__).parent
each_problem = pytest.mark.parametrize("name", PROBLEMS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("refusing")


@pytest.fixture(scope="module")
def library() -> Iterator[Adapter]:
    application = opened(Settings(store="memory:", embedder="none"))

    def call(name: str) -> Json:
        with pytest.raises(Problem) as refused:
            application.call(TOOL, {"problem": name}, a_caller("human", "admin"))
        return refused.value.as_dict()

    yield call
    application.close()


@pytest.fixture(scope="module")
def stdio(folder: Path) -> Iterator[Adapter]:
    settings = {"store": str(folder / "stdio"), "embedder": "none", "workspace": str(folder)}
    with StdioServer("tests.contract.refusing", settings) as server:
        server.open()
        yield lambda name: _error(server.call(TOOL, problem=name), name)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    process: Popen[str] = Popen(
        [sys.executable, "-m", "tests.contract.refusing", "http"],
        env=environment(folder) | {"HANSARD_PORT": "0"},
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stderr
        lines = [process.stderr.readline() for _ in range(2)]
        found = re.search(r"(http://\S+)/\?token=(\S+)", "".join(lines))
        assert found, lines
        yield Server(found[1], found[2], folder, process)
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


@pytest.fixture(scope="module")
def mcp_over_http(server: Server) -> Adapter:
    return lambda name: _error(mcp_call(server, TOOL, {"problem": name}).json(), name)


@pytest.fixture(scope="module")
def browser(server: Server) -> Browser:
    return let_in(server)


@pytest.fixture(scope="module")
def api(browser: Browser) -> Adapter:
    def call(name: str) -> Json:
        status, answer = browser.post(TOOL, {"problem": name})
        error: Json = answer["error"]
        assert status == error["http_status"]
        return error

    return call


@pytest.fixture(scope="module")
def command_line(folder: Path) -> Adapter:
    run = Hansard(folder)

    def call(name: str) -> Json:
        with patch.dict(COMMANDS, {"refuse": "tests.contract.refusing"}):
            ran = run("refuse", name, "--json")
        assert ran.code in (1, 2)
        error: Json = json.loads(ran.out)["error"]
        assert ran.err.splitlines() == [f"hansard: {error['message']}", error["recovery_hint"]]
        return error

    return call


def _error(answer: Json, name: str) -> Json:
    """Find the error in an answer of MCP, which must be where its problem belongs."""
    if PROBLEMS[name].fixable:
        assert answer["result"]["isError"] is True
        error: Json = answer["result"]["structuredContent"]["error"]
        return error
    error = answer["error"]["data"]
    assert (answer["error"]["code"], answer["error"]["message"]) == (
        error["rpc_code"],
        error["message"],
    )
    return error


@pytest.mark.holds("ALL-06.12")
@pytest.mark.parametrize("adapter", ["library", "stdio", "mcp_over_http", "api", "command_line"])
def test_every_problem_is_told_alike(adapter: str, request: pytest.FixtureRequest) -> None:
    told: Adapter = request.getfixturevalue(adapter)

    heard = {name: told(name) for name in PROBLEMS}

    assert heard == {name: made(name).as_dict() for name in PROBLEMS}
    assert {name: (one["rpc_code"], one["http_status"]) for name, one in heard.items()} == {
        name: (one.rpc_code, one.http_status) for name, one in PROBLEMS.items()
    }


REFUSED: list[tuple[str, Json, str]] = [
    ("get_project", {"id": "nowhere"}, "PROJECT_NOT_FOUND"),
    ("get_record_ref", {"id": "R404"}, "RECORD_NOT_FOUND"),
    ("sync_session", {"session_id": "nobody"}, "SESSION_NOT_FOUND"),
    ("get_decision", {"decision_id": "D404"}, "DECISION_NOT_FOUND"),
    ("entity_get", {"id": "metric::00000000000000000000"}, "ENTITY_NOT_FOUND"),
    ("workflow_checkpoint_load", {"checkpointId": "C404"}, "CHECKPOINT_NOT_FOUND"),
    ("file_read", {"path": "../up"}, "PATH_OUTSIDE_WORKSPACE"),
    ("list_records", {"limit": 0, "as_of": "x" * 65, "what": 1}, "INVALID_INPUT"),
]
"""What the real operations refuse, in a store with nothing in it."""


@pytest.mark.holds("ALL-06.12")
@pytest.mark.parametrize(("operation", "arguments", "code"), REFUSED, ids=[r[2] for r in REFUSED])
def test_real_refusals_are_told_alike(
    server: Server, browser: Browser, operation: str, arguments: Json, code: str
) -> None:
    status, over_api = browser.post(operation, arguments)
    over_mcp = mcp_call(server, operation, arguments).json()["result"]["structuredContent"]
    settings = Settings(store="memory:", workspace=str(server.home), embedder="none")
    application = opened(settings)
    try:
        with pytest.raises(Problem) as refused:
            application.call(operation, arguments, a_caller("human", "admin", seat=False))
    finally:
        application.close()

    assert over_api["error"]["code"] == code
    assert status == over_api["error"]["http_status"]
    assert over_mcp == over_api == {"error": refused.value.as_dict()}


# Which codes there are.


def _subclasses(problem: type[Problem]) -> Iterator[type[Problem]]:
    for each in problem.__subclasses__():
        yield each
        yield from _subclasses(each)


@pytest.mark.holds("ALL-06.11")
def test_whatever_can_be_raised_is_declared() -> None:
    for module in pkgutil.walk_packages(hansard.__path__, "hansard."):
        importlib.import_module(module.name)

    declared = {one for one in _subclasses(Problem) if one.__module__.startswith("hansard.")}

    assert declared == set(PROBLEMS.values())
    assert _codes_made_by_hand() == []


@pytest.mark.holds("ALL-06.11")
def test_whatever_is_declared_is_raised_and_seen_by_a_test() -> None:
    raised = _names_used(SOURCE)
    seen = _names_used(ROOT / "tests")

    assert [name for name in PROBLEMS if not raised[name]] == []
    codes = {problem.code for problem in PROBLEMS.values()}
    seen_as = {
        code: any(seen[name] for name, one in PROBLEMS.items() if one.code == code) or seen[code]
        for code in codes
    }
    assert [code for code, is_seen in seen_as.items() if not is_seen] == []


def _names_used(folder: Path) -> Counter[str]:
    """Count the names and the words in quotes that code uses, other than to import or inherit."""
    used: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] == "clients":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name):
                used[node.id] += 1
            elif isinstance(node, ast.Attribute):
                used[node.attr] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used[node.value] += 1
            elif isinstance(node, ast.ClassDef):
                used.subtract(base.id for base in node.bases if isinstance(base, ast.Name))
    return used


def _codes_made_by_hand() -> list[str]:
    """Find errors that are written out as a dictionary, where no problem is declared."""
    return [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
        and key.value == "code"
        and isinstance(value, ast.Constant)
        and isinstance(value.value, str)
    ]
