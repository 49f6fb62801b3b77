"""Chats that work on records, for tests: each has a seat, and sees answers as a caller does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem
from tests.conftest import a_caller

Json = dict[str, Any]


class Chat:
    """One chat on a store."""

    def __init__(self, app: Application, caller: Caller | None = None, **fixed: object) -> None:
        self.app = app
        self.caller = caller or a_caller()
        self.fixed = fixed
        """Arguments that go with every call, such as a project_id."""

    def ask(self, operation: str, **arguments: Any) -> Json:
        """Call an operation and give its answer as JSON, as a caller gets it."""
        result = self.app.call(operation, self.fixed | arguments, self.caller)
        assert result.text(), f"{operation} answers with no text"
        return result.model_dump(mode="json", exclude_none=True)

    def create(self, title: str = "A record", parent: str | None = None, **more: Any) -> Json:
        """Create a record and give it."""
        fields = {"type": "note", "summary": f"About {title}", "body": f"Body of {title}\n"}
        made = self.ask("create_record", parent_id=parent, title=title, **fields | more)
        record: Json = made["record"]
        return record

    def activate(self, identifier: str, **more: Any) -> Json:
        return self.ask("activate", id=identifier, **more)

    def update(self, identifier: str, **fields: Any) -> Json:
        return self.ask("update_record", id=identifier, **fields)

    def move_state(self, identifier: str, state: str, **more: Any) -> Json:
        return self.ask("transition", id=identifier, to_state=state, **more)

    def sync(self) -> Json:
        return self.ask("sync_session")

    def tick(self) -> int:
        tick: int = self.ask("get_project")["tick"]
        return tick

    def session(self) -> str:
        """Name the session of this chat, which must have begun."""
        assert self.caller.seat
        [session] = self.caller.seat.sessions.values()
        return session

    def activity(self, **filters: Any) -> list[str]:
        """Name what happened, oldest first."""
        listed = self.ask("get_recent_activity", **filters)["activity"]
        return [entry["type"] for entry in reversed(listed)]


@contextmanager
def refused(code: str) -> Iterator[Problem]:
    """Expect a problem with this code; gives it, to look at its details afterwards."""
    with pytest.raises(Problem) as caught:
        yield (seen := Problem("not raised yet"))
    assert caught.value.code == code, f"{caught.value.code}: {caught.value.message}"
    seen.message, seen.details = caught.value.message, caught.value.details
    seen.recovery_hint = caught.value.recovery_hint
