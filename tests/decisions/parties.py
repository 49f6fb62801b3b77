"""Who decides in tests: an agent, a person, an admin with the secret."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from hansard.app.application import Application
from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.kernel.engine import Engine, ReadTx, Schema
from hansard.testing.twice import Twice
from tests.conftest import SteppingClock, a_caller
from tests.records.chats import Chat, Json, refused

__all__ = ["Json", "Party", "a_party", "advance", "kinds", "on_one_engine", "refused"]

OpenEngine = Callable[[str, Schema], Engine]

WHY = "Because it was measured twice."


class Party(Chat):
    """One caller, with the decisions' operations at hand."""

    def record(self, target: str = "db", title: str = "Use SQLite", **more: Any) -> str:
        given = {"rationale": WHY, **more}
        made: str = self.ask("record_decision", target=target, title=title, **given)["decision_id"]
        return made

    def supersede(
        self, *old: str, target: str = "db", title: str = "Use PostgreSQL", **more: Any
    ) -> str:
        given = {"rationale": WHY, "old_decision_ids": list(old), **more}
        answer = self.ask("supersede_decision", target=target, title=title, **given)
        made: str = answer["decision_id"]
        return made

    def propose(self, target: str = "db", title: str = "Use DuckDB", **more: Any) -> str:
        answer = self.ask("propose_decision", **{"target": target, "title": title} | _why(more))
        made: str = answer["proposal_id"]
        return made

    def accept(self, proposal: str) -> str:
        made: str = self.ask("accept_proposal", proposal_id=proposal)["decision_id"]
        return made

    def reject(self, proposal: str, **more: Any) -> None:
        self.ask("reject_proposal", proposal_id=proposal, **more)

    def search(self, query: str, mode: str = "balanced", **more: Any) -> list[Json]:
        found: list[Json] = self.ask("search_decisions", query=query, mode=mode, **more)["results"]
        return found

    def ids(self, query: str, mode: str = "balanced", **more: Any) -> list[str]:
        return [one["id"] for one in self.search(query, mode, **more)]

    def get(self, identifier: str, **more: Any) -> Json:
        return self.ask("get_decision", decision_id=identifier, **more)

    def status(self, identifier: str) -> str:
        status: str = self.get(identifier)["decision"]["status"]
        return status


def a_party(app: Application, kind: str, role: str = "agent", **rest: Any) -> Party:
    return Party(app, a_caller(kind, role, **rest))


def advance(clock: SteppingClock, seconds: float) -> None:
    """Set the clock so that its next look shows just so much later than its last."""
    clock.now += timedelta(seconds=seconds - 1)


def on_one_engine() -> OpenEngine:
    """Open the engine that does everything twice, for what no other could change."""
    shared = MemoryStore()
    return lambda _, schema: Twice(MemoryEngine(schema, shared))


def kinds(app: Application, project: str = "default") -> list[str]:
    """Name what the journal holds about decisions, in order."""

    def work(tx: ReadTx) -> list[str]:
        return [entry.kind for entry in tx.entries(limit=1_000)]

    found = app.store.read(project, work)
    return [kind.split(".")[1] for kind in found if kind.startswith("decisions.")]


def _why(more: Json) -> Json:
    return {"rationale": WHY} | more
