"""The list of requirements is whole, and agrees with the tests that hold it, both ways."""

import re
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest

from tests.contract.requirements import DONE, REQUIREMENTS, ROOT
from tests.contract.requirements.__main__ import settle
from tests.contract.requirements.holders import MisplacedMarker, find_holders

SETTLE = "run `python -m tests.contract.requirements settle`"

TOOLS = """
    create_project list_projects get_project get_project_overview search_records list_records
    get_record_ref activate sync_session create_record update_record transition save_session
    close_session get_record_history get_record_diff get_active_sessions get_recent_activity
    deactivate branch_session move_record get_record_body
    workflow_checkpoint_save workflow_checkpoint_load workflow_checkpoint_list
    workflow_mark_critical workflow_checkpoint_delete workflow_checkpoint_diff
    entity_create entity_get entity_update entity_delete entity_list thread_append document_revise
    execution_event metric_record metric_query
    record_session_start record_plan file_op audit_event record_session_end record_plan_step
    record_file_create record_file_edit record_file_delete record_file_move record_step file_read
    undo restore
    get_timeline get_story get_evolution
    record_decision supersede_decision search_decisions accept_proposal export-schema
    propose_decision reject_proposal get_decision search
"""

ENTITY_TYPES = """
    textDocument modelConnection messageThread chatThread agentGraph agentGraphExecution metric
    settings
"""

CODES = """
    RECORD_NOT_FOUND NOT_ACTIVATED INVALID_TRANSITION PARENT_NOT_ACTIVATED CONFLICT
    SESSION_NOT_FOUND DEPTH_EXCEEDED
    CHECKPOINT_NOT_FOUND STORAGE_QUOTA_EXCEEDED STORAGE_UNAVAILABLE INVALID_INPUT CONTEXT_UNCHANGED
    -32602 -32000 403
    PROJECT_NOT_FOUND PROJECT_EXISTS SESSION_CLOSED SESSION_EXISTS FILE_EXISTS FILE_NOT_FOUND
    FILE_CHANGED PATH_INVALID PATH_PROTECTED PATH_NOT_REGULAR PATH_OUTSIDE_WORKSPACE
    TARGET_CONFLICT DECISION_NOT_FOUND DECISION_NOT_ACTIVE DECISION_BLOCKS PROPOSAL_NOT_FOUND
    ISOLATION_VIOLATION REVIEW_WINDOW PERMISSION_DENIED RATE_LIMITED BLOB_DAMAGED ENTITY_NOT_FOUND
    ENTITY_CONFLICT ENTITY_IMMUTABLE
"""


@pytest.fixture(scope="module")
def holders() -> dict[str, list[str]]:
    """Each clause that a test holds, with those tests."""
    return find_holders(ROOT)


def test_ids_are_unique() -> None:
    repeated = [id for id, count in Counter(r.id for r in REQUIREMENTS).items() if count > 1]

    assert repeated == []


def test_a_clause_is_one_short_sentence_from_a_named_heading() -> None:
    odd = [
        r.id
        for r in REQUIREMENTS
        if not (r.clause.endswith(".") and len(r.clause) <= 200 and ": " in r.source)
    ]

    assert odd == []


def test_an_id_says_which_document_it_comes_from() -> None:
    prefixes = {
        "contract": ("ALL-", "REC-", "CHK-", "ENT-", "FIL-", "DEC-"),
        **{number: (f"{number}-",) for number in ("000", "001", "002", "003", "004")},
    }

    odd = [r.id for r in REQUIREMENTS if not r.id.startswith(prefixes[r.source.split(":")[0]])]

    assert odd == []


@pytest.mark.parametrize("names", [TOOLS, ENTITY_TYPES, CODES], ids=["tools", "types", "codes"])
def test_every_name_of_the_contract_is_in_a_clause(names: str) -> None:
    words = {word for r in REQUIREMENTS for word in re.findall(r"-?\w+(?:-\w+)*", r.clause)}

    assert [name for name in names.split() if name not in words] == []


def test_every_id_that_a_test_names_exists(holders: dict[str, list[str]]) -> None:
    unknown = {id: tests for id, tests in holders.items() if id not in {r.id for r in REQUIREMENTS}}

    assert unknown == {}


def test_every_clause_is_held_by_a_test_or_left_for_later(holders: dict[str, list[str]]) -> None:
    lost = [r.id for r in REQUIREMENTS if r.later is None and r.id not in holders]

    assert lost == [], "no test holds these any more"


def test_no_clause_left_for_later_is_held_already(holders: dict[str, list[str]]) -> None:
    found = [r.id for r in REQUIREMENTS if r.later is not None and r.id in holders]

    assert found == [], SETTLE


def test_no_clause_is_left_for_a_milestone_that_is_done() -> None:
    overdue = [r.id for r in REQUIREMENTS if r.later in DONE]

    assert overdue == []


def test_markers_are_found_on_functions_classes_and_parameters(tmp_path: Path) -> None:
    _write_test(
        tmp_path,
        """
        import pytest

        @pytest.mark.holds("A-1", "A-2")
        def test_one(): ...

        @pytest.mark.holds("A-2")
        class TestGroup:
            @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.holds("A-3"))])
            async def test_two(self, n): ...

        TestMachine = pytest.mark.holds("A-4")(Machine.TestCase)
        """,
    )

    assert find_holders(tmp_path) == {
        "A-1": ["tests/test_example.py::test_one"],
        "A-2": ["tests/test_example.py::test_one", "tests/test_example.py::TestGroup"],
        "A-3": ["tests/test_example.py::TestGroup::test_two"],
        "A-4": ["tests/test_example.py::TestMachine"],
    }


@pytest.mark.parametrize(
    "source",
    [
        '@pytest.mark.holds("A-1")\ndef helper(): ...',
        '@pytest.mark.holds("A-1")\n@pytest.mark.skip\ndef test_skipped(): ...',
        '@pytest.mark.holds("A-1")\n@pytest.mark.xfail(reason="x")\ndef test_may_fail(): ...',
        "@pytest.mark.holds(NAME)\ndef test_not_written_out(): ...",
        "@pytest.mark.holds()\ndef test_of_nothing(): ...",
        'def test_inside():\n    pytest.mark.holds("A-1")',
    ],
)
def test_a_marker_that_holds_nothing_is_refused(tmp_path: Path, source: str) -> None:
    _write_test(tmp_path, source)

    with pytest.raises(MisplacedMarker):
        find_holders(tmp_path)


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({"A-1"}, 'import held, later, section\n held("A-1", ".")\n later(\n  "A-2", ".")\n'),
        ({"A-1", "A-2"}, 'import held, section\n held("A-1", ".")\n held(\n  "A-2", ".")\n'),
        ({"A-3"}, 'import later, section\n later("A-1", ".")\n later(\n  "A-2", ".")\n'),
    ],
)
def test_settling_marks_as_held_what_a_test_holds(
    tmp_path: Path, held: set[str], expected: str
) -> None:
    listed = tmp_path / "listed.py"
    listed.write_text(
        'import later, section\n later("A-1", ".")\n later(\n  "A-2", ".")\n', encoding="utf-8"
    )

    settled = settle(tmp_path, held)

    assert settled == sorted(held - {"A-3"})
    assert listed.read_text(encoding="utf-8") == expected


def _write_test(root: Path, source: str) -> None:
    folder = root / "tests"
    folder.mkdir()
    (folder / "test_example.py").write_text(dedent(source), encoding="utf-8")
