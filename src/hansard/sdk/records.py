"""Records in Python, typed. A body is always whole."""

from typing import Any, Literal, TypeVar

from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.kernel.operation import Result
from hansard.records import answers, history_answers, limits
from hansard.records.shapes import State
from hansard.records.sync_answers import SyncedAnswer
from hansard.records.update_answers import RecordUpdatedAnswer
from hansard.sdk.call import Call

R = TypeVar("R", bound=Result)


class Records:
    """A project's records, as the session of this client works on them.

    A record is activated before it is changed. Where another session changed it meanwhile,
    `update` writes nothing and its answer has `conflict`: update again with `accept="merge"`, or
    with `force_version=answer.conflict.version` to write over what that shows.
    """

    def __init__(self, call: Call) -> None:
        """Ask through this."""
        self._call = call

    def create(
        self,
        title: str,
        body: str = "",
        *,
        type: str = "note",
        summary: str = "",
        parent_id: str | None = None,
        **more: Any,
    ) -> answers.RecordCreatedAnswer:
        """Write a record; under a parent, if that is active. It becomes active."""
        given = {"title": title, "body": body, "type": type, "summary": summary}
        return self._ask(
            answers.RecordCreatedAnswer, "create_record", **given, parent_id=parent_id, **more
        )

    def activate(
        self,
        id: str,
        *,
        override: bool = False,
        budget_tokens: int = limits.ACTIVATE_BUDGET_TOKENS,
    ) -> answers.ActivationAnswer:
        """Load a record to reason with it and to change it; it and its parent are whole."""
        return self._ask(
            answers.ActivationAnswer,
            "activate",
            id=id,
            override=override,
            budget_tokens=budget_tokens,
        )

    def update(
        self,
        id: str,
        *,
        accept: Literal["merge"] | None = None,
        force_version: int | None = None,
        **fields: Any,
    ) -> RecordUpdatedAnswer:
        """Change fields of an active record: title, summary, body, related, metadata, cites."""
        decided: dict[str, Any] = {"accept": accept} if accept else {}
        if force_version is not None:
            decided |= {"force": True, "force_version": force_version}
        return self._ask(RecordUpdatedAnswer, "update_record", id=id, **fields, **decided)

    def transition(
        self,
        id: str,
        to_state: State,
        *,
        reason: str | None = None,
        resolved_by: str | None = None,
    ) -> answers.TransitionedAnswer:
        """Move an active record to another state."""
        given = {"reason": reason, "resolved_by": resolved_by}
        named = {name: value for name, value in given.items() if value is not None}
        return self._ask(
            answers.TransitionedAnswer, "transition", id=id, to_state=to_state, **named
        )

    def body(self, id: str, *, as_of: str | None = None) -> str:
        """Read all of a body, without activating the record."""
        when = {"as_of": as_of} if as_of is not None else {}
        page = self._ask(
            answers.BodyPageAnswer, "get_record_body", id=id, limit=BODY_BYTES_MAX, **when
        )
        assert page.next_offset is None, "a body is longer than a body may be"
        return page.chars

    def history(self, id: str, **more: Any) -> history_answers.RecordHistoryAnswer:
        """List what happened to a record, newest first."""
        return self._ask(history_answers.RecordHistoryAnswer, "get_record_history", id=id, **more)

    def list(self, **filters: Any) -> answers.RecordListAnswer:
        """List records, as `list_records` does."""
        return self._ask(answers.RecordListAnswer, "list_records", **filters)

    def search(self, query: str, **filters: Any) -> answers.SearchResultsAnswer:
        """Find records by words and meaning."""
        return self._ask(answers.SearchResultsAnswer, "search_records", query=query, **filters)

    def sync(self, *, budget_tokens: int = limits.SYNC_BUDGET_TOKENS) -> SyncedAnswer:
        """Get what others changed since the last time."""
        return self._ask(SyncedAnswer, "sync_session", budget_tokens=budget_tokens)

    def _ask(self, kind: type[R], operation: str, **arguments: Any) -> R:
        answer = self._call(operation, **arguments)
        assert isinstance(answer, kind), f"{operation} answers with {kind.__name__}"
        return answer
