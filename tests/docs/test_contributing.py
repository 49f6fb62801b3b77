"""The worked examples of CONTRIBUTING.md do what it says of them."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hansard.engines.sqlite import SqliteEngine
from hansard.kernel import operation
from hansard.kernel.engine import Engine, Table
from hansard.kernel.operation import Caller, Capability
from hansard.kernel.view import Derivation, View
from hansard.records import contract, events
from hansard.records.views import RECORDS
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener
from tests.conftest import OpenApp
from tests.crash import write_drills
from tests.tidy.test_tidy import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = dict(
    zip(
        re.findall(r"^### (.*)$", TEXT, re.MULTILINE),
        re.split(r"^### .*$", TEXT, flags=re.MULTILINE)[1:],
        strict=True,
    )
)


def examples(section: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", SECTIONS[section], re.MULTILINE | re.DOTALL)


def run(sources: list[str], **known: Any) -> dict[str, Any]:
    """Run examples one after the other, with what the file they go into has imported."""
    names = dict(known, __name__=__name__)
    for source in sources:
        exec(compile(source, "CONTRIBUTING.md", "exec"), names)
    return names


def create(app: Any, caller: Caller, kind: str) -> None:
    given = {"type": kind, "title": "t", "summary": "s", "body": ""}
    app.call("create_record", given, caller)


def test_a_tool_is_asked_like_all_others(open_app: OpenApp, agent: Caller) -> None:
    asked, done = examples("A tool, step by step")
    models = run([asked], TimedRequest=operation.TimedRequest, Result=operation.Result)
    # What the page adds to the contract.
    declared = type("contract", (), {**vars(contract), **models})
    added = run(
        [done],
        contract=declared,
        Context=operation.Context,
        Operation=operation.Operation,
        RECORDS=RECORDS,
    )
    app = open_app(also=[Capability("counting", (added["COUNT"],))])
    create(app, agent, "task")
    create(app, agent, "finding")

    answer = app.call("count_records", {}, agent)

    assert answer.text() == "2 OPEN"
    assert app.call("count_records", {"as_of": "s:0"}, agent).model_dump() == {"counts": {}}
    assert answer.model_dump() == {"counts": {"OPEN": 2}}


def test_a_view_derives_what_it_says(open_app: OpenApp, agent: Caller) -> None:
    made = run(
        examples("A view"),
        Table=Table,
        View=View,
        Derivation=Derivation,
        RecordCreated=events.RecordCreated,
    )
    app = open_app(also=[Capability("tallying", (), views=(made["VIEW"],))])
    for kind in ("task", "task", "finding"):
        create(app, agent, kind)

    rows = app.store.read("default", lambda tx: tx.scan(made["TALLY"], limit=10))

    assert {found.key: found.row["count"] for found in rows} == {"task": 2, "finding": 1}


def test_an_engine_is_tried_by_the_whole_suite(tmp_path: Path) -> None:
    made = run(
        examples("An engine"),
        pytest=pytest,
        partial=partial,
        Path=Path,
        SCHEMA=SCHEMA,
        EngineSuite=EngineSuite,
        Opener=Opener,
        MyEngine=SqliteEngine,
    )

    suite = made["TestMine"]
    opened: Engine = suite.opener.__wrapped__(suite(), tmp_path)()

    assert issubclass(suite, EngineSuite)
    assert any(name.startswith("test_") for name in dir(suite))
    opened.close()


def test_a_scene_is_a_deed_that_the_sweep_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_drills, "_DEEDS", {})
    made = run(examples("A fault drill"), **vars(write_drills))

    [(played, deed)] = write_drills._DEEDS.items()

    assert played is made["count_again"]
    assert deed.__name__ == "count_again"


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:src|tests|docs)/[\w./]+)`", TEXT))))
def test_what_the_page_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_target_that_the_page_names_can_be_made() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", TEXT, re.MULTILINE))

    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    assert {"develop", "test", "check"} <= named <= targets


PAGES = ["CONTRIBUTING.md", "SECURITY.md", "docs/promises.md", "docs/verify.md", "docs/serving.md"]
COMMAND = re.compile(r"pytest ((?:tests/[\w./]+ ?)+)(?:-k (?:\"([^\"]+)\"|([\w-]+)))?")


@pytest.mark.parametrize("page", PAGES)
def test_each_command_for_pytest_names_tests_that_there_are(page: str) -> None:
    for paths, quoted, word in COMMAND.findall((ROOT / page).read_text(encoding="utf-8")):
        files = [ROOT / path for path in paths.split()]
        assert [file for file in files if not file.exists()] == [], page
        if "tests/crash" in paths:  # its cases have names that are put together
            continue
        chosen = set(re.findall(r"[\w-]+", quoted or word)) - {"or", "and", "not"}
        known = "".join(map(named_in, files)).replace("-", "_").lower()
        assert {one for one in chosen if one.replace("-", "_").lower() not in known} == set(), page


def named_in(path: Path) -> str:
    """Give what may name a test of a path: names of files, and what they say."""
    files = [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))
    return "".join(f"{file.name} {file.read_text(encoding='utf-8')}" for file in files)
