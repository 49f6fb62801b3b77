"""Names are those of the documents they come from, letter by letter, as a caller meets them."""

from collections.abc import Iterator
from typing import Any

import pytest

from hansard.app.schema import input_schema, output_schema
from hansard.app.start import catalog
from hansard.entities.types import TYPES

OPERATIONS = {operation.name: operation for operation in catalog()}

RECORD = """
    id type title summary body state parent_id created modified resolved_by related metadata
"""
REF = "id type title summary state parent_id children_count open_children_count"

TOOLS: dict[str, tuple[str, str]] = {
    # 000
    "create_project": ("id name description", "id name description created tick"),
    "list_projects": ("", "id name description tick open_sessions open_records"),
    "get_project": ("id", "id name description created tick"),
    "get_project_overview": (
        "project_id",
        f"""project id name description tick open_sessions active_records last_sync_tick tick_gap
        root_records open_records later_records recent_activity {REF}""",
    ),
    "search_records": (
        "query types states parent_id limit",
        f"results relevance snippet total {REF}",
    ),
    "list_records": ("states types parent_id depth", REF),
    "get_record_ref": ("id", REF),
    "activate": (
        "id override",
        f"""session_id context target parent children open other grandchildren warnings type
        message details already_loaded conflict last_activity {RECORD}""",
    ),
    "sync_session": (
        "session_id",
        """project_tick session_tick_before tick_gap changes record_id change_type old_value
        new_value by_session at_tick session_status warning""",
    ),
    "create_record": (
        "parent_id type title summary body state related",
        f"record auto_activated {RECORD}",
    ),
    "update_record": (
        "id title summary body related force",
        f"record conflict message other_version {RECORD}",
    ),
    "transition": (
        "id to_state reason resolved_by",
        f"record cascade_warning open_children message {RECORD}",
    ),
    "save_session": ("summary", "success saved_records last_save"),
    "close_session": ("summary", "success deactivated_records unsaved_warning"),
    "get_record_history": ("id since limit", "timestamp session_id change_type summary diff"),
    "get_record_diff": (
        "id from to",
        f"from_version to_version diff title summary body state old new {RECORD}",
    ),
    "get_active_sessions": ("record_id", "session_id last_activity is_current"),
    "get_recent_activity": (
        "limit since types record_id",
        "timestamp type session_id record_id summary",
    ),
    "branch_session": (
        "",
        "id project_id created last_activity last_sync_tick active_records status parent_session",
    ),
    # 001
    "workflow_checkpoint_save": (
        "sessionId context metadata name tags force",
        "checkpointId sessionId status sizeBytes contextHash",
    ),
    "workflow_checkpoint_load": (
        "checkpointId sessionId",
        "checkpointId sessionId context metadata",
    ),
    "workflow_checkpoint_list": (
        "sessionId limit offset",
        """checkpointId sessionId createdAt sizeBytes metadata contextHash
        lastAccessedAt tags totalSizeBytes""",
    ),
    "workflow_mark_critical": ("contextKey", "status message"),
    # 003
    "record_session_start": ("session_id title user_message", "session_id"),
    "record_plan": ("session_id steps", ""),
    "record_plan_step": ("session_id step", ""),
    "file_op": ("session_id path action content", "path action"),
    "audit_event": ("session_id type description", ""),
    "record_session_end": ("session_id", ""),
    "record_file_create": ("path content", ""),
    "record_file_edit": ("path old_content content", ""),
    "record_file_delete": ("path", ""),
    "list_sessions": ("", "sessions"),
    "get_timeline": ("", "step index path content title"),
    # 004
    "record_decision": ("title target rationale", "decision_id"),
    "supersede_decision": ("old_decision_ids title target rationale", "decision_id"),
    "search_decisions": ("query mode limit", "results id title target status score"),
    "accept_proposal": ("proposal_id", "decision_id"),
}
"""Each tool with the parameters and the fields that its source, or the contract page, names.

Bare arrays of a source are wrapped, so a field is looked for at any depth."""

BASE = "id createdAt updatedAt"
ENTITIES = {
    "textDocument": "title type content previousId nextId",
    "modelConnection": "name description accessFormat providerId modelId data",
    "messageThread": """turns senderId partials type payload content callId shortId input status
        output""",
    "chatThread": "name description threadId participantId",
    "agentGraph": """name description nodes edges nodeId position x y parameters
        sourceNodeId sourcePortId targetNodeId targetPortId""",
    "agentGraphExecution": "agentGraphId status events startTime endTime",
    "metric": "name dimensions value",
    "settings": "lastPage theme",
}
"""What 002 says of each type."""

VALUES = {
    "create_record": ("state", "OPEN LATER RESOLVED DISCARDED"),
    "transition": ("to_state", "OPEN LATER RESOLVED DISCARDED"),
    "file_op": ("action", "create edit delete"),
    "search_decisions": ("mode", "strict balanced audit"),
    "entity_create": ("type", " ".join(ENTITIES)),
}
"""Words that a parameter is chosen from."""


def named(schema: Any) -> Iterator[str]:
    """Give every name of a field in a schema, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        for inner in schema.values():
            yield from named(inner)
    if isinstance(schema, list):
        for inner in schema:
            yield from named(inner)


@pytest.mark.holds("ALL-00.8")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_its_parameters_and_its_fields_are_spelled_as_in_the_source(tool: str) -> None:
    parameters, fields = TOOLS[tool]

    taken = set(named(input_schema(OPERATIONS[tool])))
    given = set(named(output_schema(OPERATIONS[tool])))

    assert set(parameters.split()) - taken == set()
    assert set(fields.split()) - given == set()


@pytest.mark.holds("ALL-00.8")
@pytest.mark.parametrize("type_", ENTITIES)
def test_the_fields_of_an_entity_are_spelled_as_in_the_source(type_: str) -> None:
    [declared] = [one for one in TYPES if one.name == type_]

    spelled = set(named(declared.model.model_json_schema(by_alias=True)))

    assert set(f"{BASE} {ENTITIES[type_]}".split()) - spelled == set()


@pytest.mark.holds("ALL-00.8")
@pytest.mark.parametrize("tool", VALUES)
def test_the_words_to_choose_from_are_those_of_the_source(tool: str) -> None:
    parameter, words = VALUES[tool]

    chosen = input_schema(OPERATIONS[tool])["properties"][parameter]["enum"]

    assert set(words.split()) <= set(chosen)
