"""The published contract: current, frozen once released, and enough to program against."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from hansard.app.published import committed_contract
from hansard.entities.exporting import FILES, export
from tests.clients.node import HERE, run_node
from tests.contract.promise import CHANGELOG, RELEASED, broken, released_versions
from tests.mcp.processes import ROOT

Json = dict[str, Any]

CONTRACT: Json = orjson.loads(committed_contract())
SCHEMA = ROOT / "schema" / "v1"


@pytest.mark.holds("ENT-schema-4")
@pytest.mark.parametrize("name", FILES)
def test_the_committed_schemas_of_entities_are_what_their_types_say_now(name: str) -> None:
    assert (SCHEMA / name).read_text(encoding="utf-8") == export(FILES[name]), "run `make generate`"


@pytest.mark.holds("ENT-schema-4")
def test_the_gate_makes_them_anew_and_stops_where_they_differ() -> None:
    told = subprocess.run(
        ["make", "--dry-run", "check"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    lines = [line.strip() for line in told.splitlines()]

    made = [n for n, line in enumerate(lines) if line.endswith("-m hansard.cli.generate")]
    compared = [n for n, line in enumerate(lines) if "generated files were stale" in line]
    assert made
    assert compared
    assert "exit 1" in lines[compared[0]]


# What was released stays.


@pytest.mark.holds("DEC-schema-2", "004-goal-2")
def test_every_released_contract_is_kept_and_still_holds() -> None:
    versions = released_versions(CHANGELOG.read_text(encoding="utf-8"))

    kept = {path.stem: orjson.loads(path.read_bytes()) for path in RELEASED.glob("*.json")}

    assert sorted(kept) == sorted(versions), "python -m tests.contract.promise"
    assert {version: broken(then, CONTRACT) for version, then in kept.items()} == {
        version: [] for version in kept
    }


def operation(contract: Json, name: str) -> Json:
    [found] = [one for one in contract["operations"] if one["name"] == name]
    assert isinstance(found, dict)
    return found


def _forget_tool(contract: Json) -> None:
    contract["operations"].remove(operation(contract, "list_records"))


def _forget_argument(contract: Json) -> None:
    del operation(contract, "list_records")["inputSchema"]["properties"]["depth"]


def _need_argument(contract: Json) -> None:
    operation(contract, "list_records")["inputSchema"].setdefault("required", []).append("depth")


def _forget_field(contract: Json) -> None:
    del operation(contract, "list_projects")["outputSchema"]["properties"]["total"]


def _forget_inner_field(contract: Json) -> None:
    shown = operation(contract, "list_projects")["outputSchema"]["properties"]["projects"]
    del shown["items"]["properties"]["tick"]


def _let_be_missing(contract: Json) -> None:
    operation(contract, "record_decision")["outputSchema"]["required"].remove("decision_id")


def _change_type(contract: Json) -> None:
    operation(contract, "list_records")["inputSchema"]["properties"]["depth"]["type"] = "string"


def _forget_word(contract: Json) -> None:
    operation(contract, "search_decisions")["inputSchema"]["properties"]["mode"]["enum"].pop()


def _forget_code(contract: Json) -> None:
    contract["errors"] = [one for one in contract["errors"] if one["code"] != "CONFLICT"]


def _change_status(contract: Json) -> None:
    for one in contract["errors"]:
        one["http_status"] += one["code"] == "CONFLICT"


def _change_event(contract: Json) -> None:
    contract["events"][0]["schema"]["properties"]["added"] = {"type": "string"}


def _ask_for_more(contract: Json) -> None:
    operation(contract, "list_records")["role"] = "admin"


BREAKS: list[Callable[[Json], None]] = [
    _forget_tool, _forget_argument, _need_argument, _forget_field, _forget_inner_field,
    _let_be_missing, _change_type, _forget_word, _forget_code, _change_status, _change_event,
    _ask_for_more,
]  # fmt: skip


@pytest.mark.holds("DEC-schema-2", "004-goal-2")
@pytest.mark.parametrize("change", BREAKS, ids=lambda change: change.__name__.lstrip("_"))
def test_a_break_is_named_and_makes_another_version(change: Callable[[Json], None]) -> None:
    changed = copy.deepcopy(CONTRACT)
    change(changed)

    assert len(broken(CONTRACT, changed)) == 1
    assert broken(CONTRACT, changed | {"version": "2.0.0"}) == []


@pytest.mark.holds("DEC-schema-2", "004-goal-2")
def test_additions_break_nothing() -> None:
    grown = copy.deepcopy(CONTRACT)
    added = copy.deepcopy(operation(grown, "list_records")) | {"name": "list_more"}
    grown["operations"].append(added)
    operation(grown, "list_records")["inputSchema"]["properties"]["new"] = {"type": "string"}
    operation(grown, "list_projects")["outputSchema"]["properties"]["new"] = {"type": "string"}
    operation(grown, "search_decisions")["inputSchema"]["properties"]["mode"]["enum"].append("new")
    grown["errors"].append(grown["errors"][0] | {"code": "NEW"})
    grown["events"].append(grown["events"][0] | {"kind": "new.v1"})

    assert broken(CONTRACT, grown) == []
    assert CONTRACT["version"] == "1.0.0"


def test_the_changelog_says_what_was_released() -> None:
    assert released_versions("## Unreleased\n\n## 0.2.0 - 2027\n## [0.1.0] - 2026\n### 9.9.9") == [
        "0.2.0",
        "0.1.0",
    ]


# A client in another language.


@pytest.mark.clients
@pytest.mark.holds("004-goal-3")
def test_a_client_that_knows_the_exported_schema_and_nothing_else_can_work(tmp_path: Path) -> None:
    exported = subprocess.run(
        [sys.executable, "-m", "hansard.cli.main", "export-schema"],
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    schema = tmp_path / "contract.json"
    schema.write_bytes(exported.stdout)

    run = run_node(
        Path(__file__).with_name("schema_client.mjs"),
        *(HERE / "node_modules", schema, sys.executable, "-m", "hansard.cli.main"),
        cwd=tmp_path,
        HANSARD_STORE=str(tmp_path / "store"),
        HANSARD_WORKSPACE=str(tmp_path),
        HANSARD_EMBEDDER="none",
    )

    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert seen["hash"] == CONTRACT["hash"]
    assert seen["wrong"] == []
    assert len(seen["called"]) >= 15
    assert {"PROJECT_NOT_FOUND", "INVALID_INPUT", "TARGET_CONFLICT"} <= set(seen["refused"])
