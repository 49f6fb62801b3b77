"""Which arguments of operations name existing things, and what resolves them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hansard.app.application import Application

_Named = Mapping[str, str]
"""By argument, the kind of thing it names, as in `resolving`."""

_RECORD: _Named = {"id": "record"}
_SESSION: _Named = {"session_id": "session"}
_GOING_BACK: _Named = {"of_session": "session"}
_PROPOSAL: _Named = {"proposal_id": "proposal"}

NAMED: dict[str, _Named] = {
    "get_record_ref": _RECORD,
    "get_record_history": _RECORD,
    "get_record_diff": _RECORD,
    "activate": _RECORD,
    "create_record": {"parent_id": "record"},
    "transition": {"id": "record", "resolved_by": "record"},
    "get_decision": {"decision_id": "decision"},
    "supersede_decision": {"old_decision_ids": "decision"},
    "accept_proposal": _PROPOSAL,
    "reject_proposal": _PROPOSAL,
    "get_timeline": _SESSION,
    "get_story": _SESSION,
    "get_evolution": _SESSION,
    "undo": _GOING_BACK,
    "restore": _GOING_BACK,
    "workflow_checkpoint_load": {"checkpointId": "checkpoint", "sessionId": "session"},
    "workflow_checkpoint_diff": {"from": "checkpoint", "to": "checkpoint"},
    "workflow_checkpoint_list": {"sessionId": "session"},
    "workflow_mark_critical": {"sessionId": "session"},
    "entity_get": {"id": "entity"},
    "entity_delete": {"id": "entity"},
}
"""The arguments by which operations name existing things."""


def meant(application: "Application", operation: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the arguments with ids in the place of names."""
    named = NAMED.get(operation, {})
    if named.keys().isdisjoint(given):
        return dict(given)
    from hansard.cli.naming.resolving import with_ids

    return with_ids(application, operation, given, named)
