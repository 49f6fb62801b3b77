"""An engine that runs every piece of work twice, to find work that touches more than it may."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import Engine, Lock, ReadTx, Table, Topic, Watch, WriteTx
from hansard.kernel.event import Head

T = TypeVar("T")


class Twice:
    """Rehearses each write in a transaction that is rolled back, then runs it for good.

    What work leaves behind outside its transaction is then there twice, and a test can see it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name = engine.name
        self.derived = engine.derived

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        self._engine.read(project, work)
        return self._engine.read(project, work)

    def write(self, project: str, work: Callable[[WriteTx], T], *, urgent: bool = False) -> T:
        def rehearse(tx: WriteTx) -> Any:
            work(tx)
            raise _RehearsedError

        try:
            self._engine.write(project, rehearse)
        except _RehearsedError:
            return self._engine.write(project, work, urgent=urgent)
        raise AssertionError("the engine swallowed what the work raised")

    def stage(self, blob: Blob) -> None:
        self._engine.stage(blob)

    def hold(self, name: str, *, patiently: bool = False) -> Lock | None:
        return self._engine.hold(name, patiently=patiently)

    def are_ours(self, locks: Collection[Lock]) -> bool:
        return self._engine.are_ours(locks)

    def held(self, names: Collection[str]) -> set[str]:
        return self._engine.held(names)

    def heads(self) -> dict[str, Head]:
        return self._engine.heads()

    def steady(self) -> AbstractContextManager[None]:
        return self._engine.steady()

    def forget(self) -> None:
        self._engine.forget()

    def total(self, *fields: tuple[Table, str]) -> int:
        return self._engine.total(*fields)

    def loose(self, *, older_s: float) -> dict[Digest, int]:
        return self._engine.loose(older_s=older_s)

    def discard(self, digests: Collection[Digest]) -> None:
        self._engine.discard(digests)

    def outdated(self) -> list[str]:
        return self._engine.outdated()

    def scrub(self, *, dropping: Collection[str] = (), gently: bool = False) -> bool:
        return self._engine.scrub(dropping=dropping, gently=gently)

    def check(self, *, thorough: bool) -> list[str]:
        return self._engine.check(thorough=thorough)

    def marks(self, topic: Topic, take: Callable[[str, str, str], None]) -> None:
        self._engine.marks(topic, take)

    def mark(self, topic: Topic, texts: Mapping[str, str]) -> str:
        return self._engine.mark(topic, texts)

    def watch(self) -> Watch:
        return self._engine.watch()

    def close(self) -> None:
        self._engine.close()


class _RehearsedError(Exception):
    """Work has run to its end once; now it is undone."""
