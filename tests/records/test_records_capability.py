"""What the capability offers, and what it costs to offer it."""

import json
import subprocess
import sys

import pytest

from hansard.app.catalog import Catalog
from hansard.app.schema import input_schema
from hansard.app.start import catalog
from hansard.kernel.operation import Operation
from hansard.records import capability as records
from hansard.sessions import capability as sessions

SOURCE = {
    "create_project", "list_projects", "get_project", "get_project_overview", "search_records",
    "list_records", "get_record_ref", "activate", "sync_session", "create_record",
    "update_record", "transition", "save_session", "close_session", "get_record_history",
    "get_record_diff", "get_active_sessions", "get_recent_activity",
}  # fmt: skip
OURS = {"deactivate", "branch_session", "move_record", "get_record_body"}

SELDOM = {
    "create_project", "list_projects", "get_project", "get_recent_activity", "get_record_ref",
    "get_record_body", "get_record_history", "get_active_sessions", "move_record", "deactivate",
    "branch_session",
}  # fmt: skip
"""What a chat can do without, so that the default list has room for what it is told to use."""

DEFAULT_TOKENS_MAX = 1_500
"""What these tools may take of the default list, which others share."""

CORE_TOKENS_MAX = 600


def tokens(operations: list[Operation]) -> int:
    shown = [
        {"name": one.name, "description": one.description, "inputSchema": input_schema(one)}
        for one in operations
    ]
    return len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False)) // 4


@pytest.mark.holds("ALL-00.2")
def test_the_toolset_records_has_the_eighteen_of_the_source_and_our_four() -> None:
    listed = [one.name for one in catalog().toolset(["records"])]

    assert len(listed) == len(set(listed))
    assert set(listed) == SOURCE | OURS


def test_the_tools_keep_to_their_share_of_the_lists() -> None:
    known = Catalog([sessions.capability(), records.capability()])

    assert {one.name for one in known.toolset(["default"])} == (SOURCE | OURS) - SELDOM
    assert {one.name for one in known.toolset(["core"])} == {
        "get_project_overview", "activate", "create_record", "update_record",
    }  # fmt: skip
    assert tokens(known.toolset(["default"])) <= DEFAULT_TOKENS_MAX
    assert tokens(known.toolset(["core"])) <= CORE_TOKENS_MAX


def test_null_is_said_where_it_means_something() -> None:
    for name in ("create_record", "list_records", "move_record"):
        parent = input_schema(catalog().find(name))["properties"]["parent_id"]
        assert parent == {"type": ["string", "null"]}


def test_git_is_not_loaded_before_it_is_needed() -> None:
    program = "import sys; import hansard.app.start; sys.exit('pygit2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
