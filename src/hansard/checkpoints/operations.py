"""The operations of checkpoints, each declared once."""

from hansard.checkpoints import answers, contract, queries
from hansard.checkpoints.commands import Saving, delete
from hansard.checkpoints.loading import Loading
from hansard.checkpoints.marking import mark_critical
from hansard.kernel.operation import Operation


def operations(saving: Saving, loading: Loading) -> tuple[Operation, ...]:
    """Declare what can be asked about checkpoints that are saved and loaded like this."""
    return (*_writes(saving), *_reads(loading))


def _writes(saving: Saving) -> tuple[Operation, ...]:
    return (
        Operation(
            "workflow_checkpoint_save",
            "Save the current workflow state and context, atomically and durably; returns a "
            "checkpointId to resume from. Skipped if identical to the session's latest. "
            "metadata: name, tags, classes, sessionTags.",
            contract.Save,
            answers.CheckpointSavedAnswer,
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
            "Mark a top-level key of the context last saved or loaded as CRITICAL: never shortened "
            "or dropped. For essentials such as user goals or final answers. critical: false takes "
            "the mark back.",
            contract.MarkCritical,
            answers.CheckpointMarkedAnswer,
            mark_critical,
            writes=True,
            role="agent",
            session="begins",
            follows_context=True,
            reopens_session=True,
            repeatable=True,
            toolsets=("default",),
        ),
        Operation(
            "workflow_checkpoint_delete",
            "Delete a checkpoint.",
            contract.Delete,
            answers.CheckpointsDeletedAnswer,
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
            "Load a workflow's state and context, to replace the active one: by checkpointId, or a "
            "session's latest by sessionId; with neither, the project's newest. Tells what changed "
            "since. budget_tokens shortens, keys picks.",
            contract.Load,
            answers.CheckpointLoadedAnswer,
            loading.load,
            writes=False,
            gives_context=True,
            session="none",
            toolsets=("default",),
        ),
        Operation(
            "workflow_checkpoint_list",
            "List a session's checkpoints, most recent first, to find one to resume from; and the "
            "keys it marked critical.",
            contract.List,
            answers.CheckpointListAnswer,
            queries.list_checkpoints,
            writes=False,
            lists_session=True,
            session="none",
        ),
        Operation(
            "workflow_checkpoint_diff",
            "Compare two checkpoints' contexts, page by page; to defaults to the session's latest.",
            contract.Diff,
            answers.ContextsComparedAnswer,
            queries.diff,
            writes=False,
        ),
    )
