"""Saving, loading, listing and marking contexts from Python, up to 64 MiB each."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hansard.checkpoints.answers import (
    CheckpointListAnswer,
    CheckpointListed,
    CheckpointLoadedAnswer,
    CheckpointMarkedAnswer,
    CheckpointSavedAnswer,
    CheckpointsDeletedAnswer,
    ContextsComparedAnswer,
)
from hansard.kernel.operation import Result
from hansard.sdk.call import Call

R = TypeVar("R", bound=Result)


class Checkpoints:
    """Saves, loads, lists and marks the contexts of workflow sessions."""

    def __init__(self, call: Call) -> None:
        """Ask through this."""
        self._call = call

    def save_checkpoint(
        self,
        session_id: str | None,
        context: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        force: bool = False,  # noqa: FBT001, FBT002 - the source's interface
        *,
        cites: Sequence[str] = (),
        idempotency_key: str | None = None,
    ) -> CheckpointSavedAnswer:
        """Save a context, unless the session's latest checkpoint holds the same already.

        Without a session it is the one of this `Hansard`; one that is unknown begins.
        """
        arguments = _given(sessionId=session_id, metadata=metadata and dict(metadata))
        saved = self._call(
            "workflow_checkpoint_save",
            context=dict(context),
            force=force,
            cites=list(cites),
            idempotency_key=idempotency_key,
            **arguments,
        )
        return _as(CheckpointSavedAnswer, saved)

    def load_checkpoint(
        self,
        checkpoint_id: str | None = None,
        session_id: str | None = None,
        *,
        keys: Sequence[str] | None = None,
        budget_tokens: int | None = None,
    ) -> CheckpointLoadedAnswer:
        """Load a checkpoint by its id, or a session's latest; else the newest of the project."""
        arguments = _given(
            checkpointId=checkpoint_id,
            sessionId=session_id,
            keys=None if keys is None else list(keys),
            budget_tokens=budget_tokens,
        )
        return _as(CheckpointLoadedAnswer, self._call("workflow_checkpoint_load", **arguments))

    def list_checkpoints(
        self,
        session_id: str,
        limit: int = 20,
        offset: int = 0,
        *,
        tags: Sequence[str] | None = None,
        name: str | None = None,
        query: str | None = None,
    ) -> list[CheckpointListed]:
        """List what is known of a session's checkpoints, newest first."""
        arguments = _given(tags=None if tags is None else list(tags), name=name, query=query)
        listed = self._call(
            "workflow_checkpoint_list",
            sessionId=session_id,
            limit=limit,
            offset=offset,
            **arguments,
        )
        return _as(CheckpointListAnswer, listed).checkpoints

    def mark_critical(
        self, session_id: str | None, context_key: str, *, critical: bool = True
    ) -> CheckpointMarkedAnswer:
        """Mark a key of the session's context: no view ever shortens or drops it.

        Without a session it is the one whose context was last saved or loaded here. With
        `critical=False` the mark is taken back.
        """
        arguments = _given(sessionId=session_id, critical=None if critical else False)
        marked = self._call("workflow_mark_critical", contextKey=context_key, **arguments)
        return _as(CheckpointMarkedAnswer, marked)

    def delete_checkpoint(self, checkpoint_id: str) -> CheckpointsDeletedAnswer:
        """Delete a checkpoint; all others stay whole."""
        return _as(
            CheckpointsDeletedAnswer,
            self._call("workflow_checkpoint_delete", checkpointId=checkpoint_id),
        )

    def diff_checkpoints(
        self,
        from_id: str,
        to_id: str | None = None,
        *,
        budget_tokens: int | None = None,
        cursor: str | None = None,
    ) -> ContextsComparedAnswer:
        """Compare two contexts; without `to_id`, with the session's latest.

        What does not fit the budget is had by asking again with the answer's `nextCursor`.
        """
        arguments = _given(to=to_id, budget_tokens=budget_tokens, cursor=cursor)
        compared = self._call("workflow_checkpoint_diff", **{"from": from_id}, **arguments)
        return _as(ContextsComparedAnswer, compared)


def _given(**arguments: object) -> dict[str, Any]:
    """Leave out what was not given: an absent argument and null are not always the same."""
    return {name: value for name, value in arguments.items() if value is not None}


def _as(expected: type[R], result: Result) -> R:
    assert isinstance(result, expected), f"the operation answers with {type(result).__name__}"
    return result
