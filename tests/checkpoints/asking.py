"""Asking the checkpoint tools through the waist, as a chat does."""

from typing import Any

from hansard.app.application import Application
from hansard.checkpoints.answers import CheckpointList, Compared, Loaded, Marked, Saved
from hansard.kernel.operation import Caller


def save(app: Application, caller: Caller, context: dict[str, Any], **rest: Any) -> Saved:
    saved = app.call("workflow_checkpoint_save", {"context": context, **rest}, caller)
    assert isinstance(saved, Saved)
    return saved


def load(app: Application, caller: Caller, **arguments: Any) -> Loaded:
    loaded = app.call("workflow_checkpoint_load", arguments, caller)
    assert isinstance(loaded, Loaded)
    return loaded


def listing(app: Application, caller: Caller, **arguments: Any) -> CheckpointList:
    listed = app.call("workflow_checkpoint_list", arguments, caller)
    assert isinstance(listed, CheckpointList)
    return listed


def mark(app: Application, caller: Caller, key: str, **rest: Any) -> Marked:
    marked = app.call("workflow_mark_critical", {"contextKey": key, **rest}, caller)
    assert isinstance(marked, Marked)
    return marked


def diff(app: Application, caller: Caller, **arguments: Any) -> Compared:
    compared = app.call("workflow_checkpoint_diff", arguments, caller)
    assert isinstance(compared, Compared)
    return compared
