"""`hansard call` does any operation, with the arguments that the catalog says it takes."""

import json
from pathlib import Path
from typing import Any

import pytest

from hansard.app.schema import input_schema
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.cli.call import read_arguments
from hansard.kernel.problem import InvalidInput
from tests.cli.running import Hansard

RECORD = ("--type", "task", "--title=Retry", "--summary", "It fails.", "--body", "12")


def test_an_operation_is_done_and_its_answer_told(tmp_path: Path) -> None:
    hansard = Hansard(tmp_path)
    start(Settings(store=str(hansard.store))).close()

    made = hansard("call", "create_record", *RECORD, "--metadata", '{"size": 3}', "--json")
    told = hansard("call", "get_record_ref", "--id", json.loads(made.out)["record"]["id"])

    assert (made.code, told.code) == (0, 0)
    assert "Retry" in told.out


def test_what_it_takes_is_said_and_nothing_is_done(tmp_path: Path) -> None:
    hansard = Hansard(tmp_path)

    described = hansard("call", "create_record", "--describe")
    listed = hansard("call")

    assert "--summary" in described.out
    assert {line.split()[0] for line in listed.out.splitlines()} >= {"create_record", "undo"}
    assert not hansard.store.exists()


def test_a_flag_that_the_operation_does_not_take_is_refused(tmp_path: Path) -> None:
    ran = Hansard(tmp_path)("call", "create_record", "--colour", "red")

    assert (ran.code, "--colour" in ran.err, "--title" in ran.err) == (2, True, True)


@pytest.mark.parametrize(
    ("operation", "given", "read"),
    [
        ("create_record", ["--body", "12"], {"body": "12"}),
        ("create_record", ["--related", '["R001"]'], {"related": ["R001"]}),
        ("list_records", ["--depth", "2", "--parent-id=R001"], {"depth": 2, "parent_id": "R001"}),
        ("get_timeline", ["--all_sessions", "--limit", "5"], {"all_sessions": True, "limit": 5}),
        ("get_timeline", ["--all_sessions", "false"], {"all_sessions": False}),
        ("list_records", ["--depth", "deep"], {"depth": "deep"}),
        ("list_projects", [], {}),
    ],
)
def test_arguments_are_read_as_the_catalog_has_them(
    operation: str, given: list[str], read: dict[str, Any]
) -> None:
    takes = input_schema(catalog(Settings()).find(operation))["properties"]

    assert read_arguments(given, takes) == read


def test_a_word_without_a_flag_is_refused() -> None:
    with pytest.raises(InvalidInput):
        read_arguments(["R001"], {"id": {"type": "string"}})
