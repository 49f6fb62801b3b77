"""Random histories of saves, damage, deletions, collections and kills, held against a model."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hansard.app.keeping.garbage_collection import collect
from hansard.checkpoints.reading import context_of
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.problem import BlobDamaged
from hansard.sdk import Hansard
from tests.checkpoints.contexts import hardly_packed, library
from tests.checkpoints.damaging import all_blobs, flip, flipped
from tests.checkpoints.obeying import Obeying

LATER = "2999-01-01T00:00:00.000000Z"
SESSIONS = ("w", "v")
SAVES = ("new", "new", "new", "same", "force", "old")
DEEDS = (*SAVES, *SAVES, "damage", "tremble", "delete", "collect", "kill")

HARMED_MAX = 20
"""Of one session, so many checkpoints may be lost with one damaged blob."""

SAVE_S = 0.02
"""About as long as a save takes, so that a kill may come at any point of one."""

Context = dict[str, Any]
T = TypeVar("T")


class World:
    """A store, a process that saves into it, and what that process was told is saved."""

    def __init__(self, store: Path, looking: Hansard, seed: int) -> None:
        self.store = store
        self.looking = looking
        self.chance = random.Random(seed)
        self.saving = Obeying(store)
        self.acknowledged: dict[str, tuple[str, Context]] = {}
        """By checkpoint: its session, and what was saved."""
        self.latest: dict[str, Context] = {}
        self.made = 0

    def context(self, how: str, session: str) -> Context:
        """Choose what to save."""
        if how == "old" and self.acknowledged:
            return self.chance.choice(list(self.acknowledged.values()))[1]
        if how in {"same", "force"} and session in self.latest:
            return self.latest[session]
        self.made += 1
        large = hardly_packed(150_000, seed=self.made) if self.chance.random() < 0.03 else ""
        return {"n": self.made, "same": hardly_packed(900), "large": large}

    def save(self, how: str) -> None:
        """Save something; what is acknowledged can be loaded, whatever was damaged before."""
        session = self.chance.choice(SESSIONS)
        context = self.context(how, session)
        saved = self.saving.save(sessionId=session, context=context, force=how == "force")
        self.note(saved, session, context)

    def note(self, saved: Context, session: str, context: Context) -> None:
        """Note what was acknowledged, which can be loaded from then on."""
        self.acknowledged[saved["checkpointId"]] = session, context
        self.latest[session] = context
        assert self.look(saved["checkpointId"]) == context, saved

    def damage(self) -> None:
        """Flip a bit for good; few are harmed, all of them near one another."""
        if blobs := all_blobs(self.store):
            before = self.readable()
            flip(self.store, self.chance.choice(blobs))
            self.require_few(before - self.readable())

    def tremble(self) -> None:
        """Flip a bit for a while in what was saved long ago, on which most could rest."""
        for _, context in list(self.acknowledged.values())[:1]:
            before = self.readable()
            with flipped(self.store, digest_of(canonical_json(context))):
                self.require_few(before - self.readable())

    def require_few(self, lost: set[str]) -> None:
        """Be sure that no session has lost more than one damaged blob may take."""
        for session in SESSIONS:
            of_session = [one for one in lost if self.acknowledged[one][0] == session]
            assert len(of_session) <= HARMED_MAX

    def delete(self) -> None:
        """Delete a checkpoint; no other is harmed."""
        if not self.acknowledged:
            return
        gone = self.chance.choice(list(self.acknowledged))
        before = self.readable() - {gone}
        self.looking.checkpoints.delete_checkpoint(gone)
        del self.acknowledged[gone]
        assert self.readable() >= before

    def collect(self) -> None:
        """Collect what nothing needs, while the other process saves something."""
        before = self.readable()
        session, how = self.chance.choice(SESSIONS), self.chance.choice(SAVES)
        context = self.context(how, session)
        self.saving.tell(sessionId=session, context=context, force=how == "force")
        store = self.looking.application.store
        collect(store, deleted_before=LATER, stamp=Stamp(SYSTEM, LATER))
        self.note(self.saving.answer(), session, context)
        assert self.readable() >= before

    def kill(self) -> None:
        """Kill the process amid a save: that is there as a whole, or not at all."""
        session = self.chance.choice(SESSIONS)
        context = self.context("new", session)
        before = set(self.ids())
        self.saving.tell(sessionId=session, context=context)
        time.sleep(self.chance.uniform(0, SAVE_S))
        self.saving.kill()
        self.saving = Obeying(self.store)
        for one in set(self.ids()) - before:
            assert self.look(one) == context
            self.acknowledged[one] = session, context
            self.latest[session] = context

    def ids(self) -> list[str]:
        def work(tx: ReadTx) -> list[str]:
            return [found.key for found in tx.scan(CHECKPOINTS, limit=10_000)]

        return self._read(work)

    def readable(self) -> set[str]:
        """Name what can be loaded, which must be what was saved; the rest is named damaged."""
        assert set(self.ids()) == self.acknowledged.keys()
        found = {one: self.look(one) for one in self.acknowledged}
        whole = {one for one, context in found.items() if context is not None}
        assert all(found[one] == self.acknowledged[one][1] for one in whole)
        return whole

    def look(self, identifier: str) -> Context | None:
        def work(tx: ReadTx) -> Context | None:
            row = tx.get(CHECKPOINTS, identifier)
            assert row is not None, f"{identifier} was acknowledged and is gone"
            try:
                return context_of(tx, row)
            except BlobDamaged:
                return None

        return self._read(work)

    def _read(self, work: Callable[[ReadTx], T]) -> T:
        application = self.looking.application
        return application.store.read(application.own_project(), work)


@pytest.mark.slow("starts processes, kills them, and reads everything after each damage")
@pytest.mark.holds("CHK-blob-7", "CHK-blob-8", "001-save-10")
@pytest.mark.parametrize("seed", range(3))
def test_what_was_acknowledged_is_loaded_equal_or_named_damaged(tmp_path: Path, seed: int) -> None:
    with library(tmp_path) as looking:
        world = World(tmp_path, looking, seed)
        try:
            for _ in range(120):
                deed = world.chance.choice(DEEDS)
                world.save(deed) if deed in SAVES else getattr(world, deed)()
            for session, context in world.latest.items():
                saved = world.saving.save(sessionId=session, context=context)
                assert world.look(saved["checkpointId"]) == context
        finally:
            world.saving.kill()
