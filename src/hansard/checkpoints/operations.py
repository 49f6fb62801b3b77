"""The operations of checkpoints, each declared once."""

from hansard.checkpoints import contract, queries
from hansard.checkpoints.commands import Saving, delete, mark_critical
from hansard.checkpoints.queries import Loading
from hansard.kernel.operation import Operation


def operations(saving: Saving, loading: Loading) -> tuple[Operation, ...]:
    """Declare what can be asked about checkpoints that are saved and loaded like this."""
    return (*_writes(saving), *_reads(loading))


def _writes(saving: Saving) -> tuple[Operation, ...]:
    return (
        Operation(
            "workflow_checkpoint_save",
            "Save the workflow's context durably; skipped if it equals the latest. "
            "metadata: name, tags, classes.",
            contract.Save,
            contract.Saved,
            saving.save,
            writes=True,
            role="agent",
            session="begins",
            creates_session=True,
            reopens_session=True,
            repeatable=True,
            toolsets=("default",),
        ),
        Operation(
            "workflow_mark_critical",
            "Mark a top-level context key as critical: it is never shortened or dropped.",
            contract.MarkCritical,
            contract.Marked,
            mark_critical,
            writes=True,
            role="agent",
            session="begins",
            repeatable=True,
        ),
        Operation(
            "workflow_checkpoint_delete",
            "Delete a checkpoint.",
            contract.Delete,
            contract.Deleted,
            delete,
            writes=True,
            role="agent",
            destructive=True,
        ),
    )


def _reads(loading: Loading) -> tuple[Operation, ...]:
    return (
        Operation(
            "workflow_checkpoint_load",
            "Load a context by checkpointId, or a session's latest by sessionId (exactly one), "
            "with what changed since. budget_tokens shortens, keys picks.",
            contract.Load,
            contract.Loaded,
            loading.load,
            writes=False,
            session="none",
            toolsets=("default",),
        ),
        Operation(
            "workflow_checkpoint_list",
            "List a session's checkpoints, newest first.",
            contract.List,
            contract.CheckpointList,
            queries.list_checkpoints,
            writes=False,
            session="none",
        ),
        Operation(
            "workflow_checkpoint_diff",
            "Compare two checkpoints' contexts; to defaults to the session's latest.",
            contract.Diff,
            contract.Compared,
            queries.diff,
            writes=False,
        ),
    )
