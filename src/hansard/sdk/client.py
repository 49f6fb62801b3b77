"""The library's entry point: a store opened in this process, and its operations."""

import weakref
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hansard.app.application import Application
from hansard.app.session_end import leave_in_time
from hansard.app.settings import load
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Caller, Result, Seat
from hansard.kernel.session_holder import Holder
from hansard.sdk.checkpoints import Checkpoints
from hansard.sdk.entities import Entities
from hansard.sdk.metrics import Metrics
from hansard.sdk.records import Records
from hansard.sdk.values import require_json

PYTHON = Actor("agent", "python", "agent")
"""How a library's user appears in the record: as code, not as a human."""


class Hansard:
    """A store and a project, with everything that can be asked of them.

    Each write is durable when its call returns. What is refused is raised as a `Problem`. It may
    be used by many threads at once, and by none after a fork.

        with Hansard("./store", project="shop") as hansard:
            saved = hansard.checkpoints.save_checkpoint("deploy-42", {"goal": "ship it"})
            made = hansard.records.create("Ship it", "The plan, at length.", type="task")
            hansard.records.update(made.record.id, title="Ship it today")
            hansard.call("search", query="ship")
    """

    def __init__(
        self,
        store: str | Path | None = None,
        project: str | None = None,
        *,
        application: Application | None = None,
    ) -> None:
        """Open a store; what is not given is found where the program itself would find it.

        `application` is one that is open already: it is used as it is, and not closed.
        """
        settings = load({"store": None if store is None else str(store), "project": project})
        self.application = application or start(settings)
        if application is None:
            # So what a program writes is found by meaning too, if no other process sees to it.
            self.application.follow()
        seat, lifeline = Seat(), Lifeline()
        self._caller = Caller(
            PYTHON,
            session=settings.session or None,
            seat=seat,
            holder=Holder(via="library", owner=lifeline.name),
            lifeline=lifeline,
        )
        # Without a close nothing is lost, but the log of writes stays beside the database.
        closes = application is None
        self._closing = weakref.finalize(
            self, _close, self.application, seat, lifeline, closes=closes
        )

    def call(
        self,
        name: str,
        /,
        *,
        session: str | None = None,
        idempotency_key: str | None = None,
        **arguments: Any,
    ) -> Result:
        """Do one operation, with the arguments that the tool of that name takes.

        `session` is the session of calls whose arguments name none. A repetition under the same
        `idempotency_key` has no effect, and the first answer.
        """
        require_json(arguments)
        caller = replace(
            self._caller,
            session=session or self._caller.session,
            idempotency_key=idempotency_key,
        )
        return self.application.call(name, arguments, caller)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """Saving, loading, listing and marking contexts."""
        return Checkpoints(self.call)

    @cached_property
    def records(self) -> Records:
        """Writing, activating, changing, finding and syncing records."""
        return Records(self.call)

    @cached_property
    def entities(self) -> Entities:
        """Making, finding, listing and watching typed entities."""
        return Entities(self.call, self.application, self._caller)

    @cached_property
    def metrics(self) -> Metrics:
        """Recording measurements and asking what they come to."""
        return Metrics(self.call)

    def close(self) -> None:
        """Close the store."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _close(application: Application, seat: Seat, lifeline: Lifeline, *, closes: bool) -> None:
    """End the sessions that a client began for itself, and close the store if it is its own."""
    if application.opener.is_this():
        if not leave_in_time(application, seat, lifeline):
            return
        lifeline.drop()
    # A fork must not end what its parent began, but lets go of its copies of locks.
    if closes:
        application.close()
