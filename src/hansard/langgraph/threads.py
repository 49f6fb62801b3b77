"""A project's threads as the saver sees them: Hansard's operations, under each thread's session."""

from pathlib import Path
from typing import Any, TypeVar

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.homes import NamedHome
from hansard.app.settings import load
from hansard.app.start import checkpoint_quotas
from hansard.checkpoints.limits import Quotas
from hansard.checkpoints.threads import capability as threads
from hansard.checkpoints.threads import contract
from hansard.checkpoints.threads.memory import Shelf
from hansard.kernel.operation import Caller, Result
from hansard.sdk.client import PYTHON, Hansard
from hansard.sessions.directory import chosen_id

R = TypeVar("R", bound=Result)

SESSIONS_REMEMBERED_MAX = 10_000

NEXT = {
    "thread_put_step": "thread_put_next_step",
    "thread_put_writes": "thread_put_next_writes",
}
"""What to ask instead once a thread's session has been found."""


class Threads:
    """The threads of a project."""

    def __init__(
        self, store: str | Path | Hansard | None, project: str | None, quotas: Quotas | None
    ) -> None:
        """Open a store, or share one that is open."""
        self._own = None if isinstance(store, Hansard) else Hansard(store, project)
        opened = store if isinstance(store, Hansard) else self._own
        assert opened is not None, "either it was given or it was opened"
        application = opened.application
        self._application = Application(
            Catalog([threads.capability(quotas or checkpoint_quotas(load({})))]),
            application.store,
            home=NamedHome(project) if project else application.home,
            read_only=application.read_only,
        )
        self._caller = Caller(PYTHON)
        self._sessions: Shelf[str, str] = Shelf(SESSIONS_REMEMBERED_MAX)

    def close(self) -> None:
        """Let go of the store, if it was opened here."""
        if self._own:
            self._own.close()

    def ask(self, expected: type[R], name: str, **arguments: Any) -> R:
        """Do an operation in this project."""
        result = self._application.call(name, arguments, self._caller)
        assert isinstance(result, expected), f"{name} answers with {type(result).__name__}"
        return result

    def ask_under(self, thread: str, expected: type[R], name: str, **arguments: Any) -> R:
        """Do an operation under the session of a thread, which begins with it.

        That is the session of the thread's own id; one that only Hansard can make is respelled.
        """
        arguments |= {"thread": thread}
        if name in NEXT and (session := self._sessions.get(thread)):
            return self.ask(expected, NEXT[name], under=session, **arguments)
        session = chosen_id(thread)
        result = self.ask(expected, name, session_id=session, **arguments)
        self._sessions.put(thread, session)
        return result

    def steps(self, **arguments: Any) -> list[contract.Step]:
        """List steps, without their contents."""
        return self.ask(contract.StepsFound, "thread_list_steps", **arguments).steps

    def content(self, step: contract.Step, digest: str) -> bytes:
        """Read one of a step's values."""
        found = self.ask(contract.Contents, "thread_contents", digests=[digest], spares=step.spares)
        return found.contents[digest]
