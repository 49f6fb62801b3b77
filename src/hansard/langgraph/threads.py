"""A project's threads as the saver sees them: operations under each thread's session."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.home_projects import NamedHome
from hansard.app.settings import load
from hansard.app.start import checkpoint_quotas
from hansard.checkpoints.limits import CheckpointQuotas
from hansard.checkpoints.threads import capability as threads
from hansard.checkpoints.threads import contract
from hansard.checkpoints.threads.limits import LOOK_BYTES_MAX
from hansard.checkpoints.threads.write_cache import RecentlyUsed
from hansard.kernel.blob import Digest
from hansard.kernel.chain_states import ChainStates
from hansard.kernel.operation import Caller, Result
from hansard.langgraph import serialization
from hansard.langgraph.cache import (
    ListAsked,
    Mark,
    Question,
    Recent,
    RecentPage,
    StepAsked,
    page_of,
)
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
        self,
        store: str | Path | Hansard | None,
        project: str | None,
        quotas: CheckpointQuotas | None,
    ) -> None:
        """Open a store, or share one that is open."""
        self._own = None if isinstance(store, Hansard) else Hansard(store, project)
        opened = store if isinstance(store, Hansard) else self._own
        assert opened is not None, "either it was given or it was opened"
        application = opened.application
        home = NamedHome(project) if project else application.home
        self._application = Application(
            Catalog([threads.capability(quotas or checkpoint_quotas(load({})))]),
            application.store,
            home=home,
            read_only=application.read_only,
            limit=application.limit,
        )
        self._caller = Caller(PYTHON, home=home)
        self._sessions: RecentlyUsed[str, str] = RecentlyUsed(SESSIONS_REMEMBERED_MAX)
        self._recent = Recent()

    def close(self) -> None:
        """Close the store, if it was opened here."""
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
        return self.ask(contract.StepsFoundAnswer, "thread_list_steps", **arguments).steps

    def step(self, thread: str, ns: str, identifier: str | None) -> tuple[RecentPage, bool]:
        """Give one step with its values, or none; and whether it was read just now."""
        asked = StepAsked(thread, ns, identifier)
        mark = self._mark()
        if page := self._recent.find(mark, asked):
            return page, False
        found = self.ask(
            contract.StepsFoundAnswer, "thread_get_step", thread=thread, ns=ns, id=identifier
        )
        return self._noted(mark, asked, found), True

    def pages(self, first: ListAsked) -> Iterator[tuple[RecentPage, "Values"]]:
        """Go through the steps of a list, page by page; their values are read as they are used."""
        asked = first
        while True:
            mark = self._mark()
            page = self._recent.find(mark, asked)
            if page is None:
                found = self.ask(contract.StepsFoundAnswer, "thread_list_steps", **asdict(asked))
                page = self._noted(mark, asked, found)
            if not page.steps:
                return
            # A list that is limited never comes back here: what is read is kept as it is read.
            yield page, Values(self, page, partial(self._recent.keep, mark, asked))
            asked = replace(asked, after=(page.steps[-1].id, page.steps[-1].place))

    def remember(
        self,
        step: contract.Step,
        put: contract.StepPutAnswer,
        written: serialization.PackedCheckpoint,
    ) -> None:
        """Remember a step that was put just now, if it is its thread's latest, and all known."""
        if not (put.is_latest and put.receipt) or written.known:
            return
        contents = {put.values[channel]: data for channel, data in written.values.items()}
        page = RecentPage([step], [written.body], contents)
        mark = self._application.own_project(), put.receipt.seq, put.receipt.hash
        self._recent.put(mark, page)

    def contents(self, digests: list[str], spares: dict[str, str]) -> contract.ContentsAnswer:
        """Read values, the first of many."""
        return self.ask(contract.ContentsAnswer, "thread_contents", digests=digests, spares=spares)

    def _mark(self) -> Mark:
        project = self._application.own_project()
        head = self._application.store.read(project, lambda tx: tx.head())
        return project, head.seq, head.hash

    def _noted(self, mark: Mark, asked: Question, found: contract.StepsFoundAnswer) -> RecentPage:
        page = page_of(found)
        if found.seq == mark[1]:
            self._recent.keep(mark, asked, page)
        return page

    def content(self, step: contract.Step, digest: str) -> bytes:
        """Read one of a step's values."""
        return self.contents([digest], step.spares).contents[digest]


class Values:
    """The values of a page's steps: read some at a time, in the order of the steps."""

    def __init__(
        self, threads: Threads, page: RecentPage, keep: Callable[[RecentPage], None]
    ) -> None:
        """Begin with what is at hand; `keep` is given the page with all that was read of it."""
        self._threads = threads
        self._page = page
        self._keep = keep
        self._held = page.contents
        self._ways: Sequence[ChainStates] = ()

    def of(self, ahead: Sequence[contract.Step]) -> Mapping[str, bytes | bytearray]:
        """Give the values of the first of these steps, until those of the next are asked for.

        What is missing of the next is read along with it.
        """
        first = dict.fromkeys(ahead[0].values.values())
        found: dict[str, bytes | bytearray] = {}
        for digest in first:
            if digest not in self._held and not any(digest in way for way in self._ways):
                self._read([one for one in first if one not in found], ahead)
            data = self._held.get(digest) or self._below(digest)
            if data is None:
                data = self._threads.content(ahead[0], digest)
            # The next value on the same way down takes the place of this one.
            found[digest] = data if len(first) == 1 else bytes(data)
        return found

    def _below(self, digest: str) -> bytearray | None:
        """Go down to a value; `None` if what lies there is not what its digest says."""
        way = next((one for one in self._ways if digest in one), None)
        return way.reach(Digest(digest)) if way else None

    def _read(self, missing: Sequence[str], ahead: Sequence[contract.Step]) -> None:
        """Read values that are not at hand, and of the steps ahead as many as there is room for."""
        is_whole = sum(map(len, self._held.values())) <= LOOK_BYTES_MAX
        now = ahead[0].values.values()
        kept = (
            self._held if is_whole else {one: self._held[one] for one in now if one in self._held}
        )
        later = (digest for step in ahead for digest in step.values.values())
        wanted = dict.fromkeys([*missing, *later])
        spares = {digest: spare for step in ahead for digest, spare in step.spares.items()}
        answer = self._threads.contents([one for one in wanted if one not in kept], spares)
        self._held = {**kept, **answer.contents}
        self._ways = answer.ways
        if is_whole:
            self._keep(replace(self._page, contents=self._held))
