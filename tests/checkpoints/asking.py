"""Asking the checkpoint tools through the waist, as a chat does."""

from typing import Any

from hansard.app.application import Application
from hansard.checkpoints.answers import (
    CheckpointListAnswer,
    CheckpointLoadedAnswer,
    CheckpointMarkedAnswer,
    CheckpointSavedAnswer,
    ContextsComparedAnswer,
)
from hansard.kernel.operation import Caller


def save(
    app: Application, caller: Caller, context: dict[str, Any], **rest: Any
) -> CheckpointSavedAnswer:
    saved = app.call("workflow_checkpoint_save", {"context": context, **rest}, caller)
    assert isinstance(saved, CheckpointSavedAnswer)
    return saved


def load(app: Application, caller: Caller, **arguments: Any) -> CheckpointLoadedAnswer:
    loaded = app.call("workflow_checkpoint_load", arguments, caller)
    assert isinstance(loaded, CheckpointLoadedAnswer)
    return loaded


def listing(app: Application, caller: Caller, **arguments: Any) -> CheckpointListAnswer:
    listed = app.call("workflow_checkpoint_list", arguments, caller)
    assert isinstance(listed, CheckpointListAnswer)
    return listed


def mark(app: Application, caller: Caller, key: str, **rest: Any) -> CheckpointMarkedAnswer:
    marked = app.call("workflow_mark_critical", {"contextKey": key, **rest}, caller)
    assert isinstance(marked, CheckpointMarkedAnswer)
    return marked


def diff(app: Application, caller: Caller, **arguments: Any) -> ContextsComparedAnswer:
    compared = app.call("workflow_checkpoint_diff", arguments, caller)
    assert isinstance(compared, ContextsComparedAnswer)
    return compared
