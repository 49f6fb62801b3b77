"""Random histories of decisions and proposals, against a model simple enough to be right.

After every step the four guarantees of the search hold, whatever finds by meaning says.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Engine, Hit, Schema
from hansard.kernel.problem import Problem
from tests.decisions.known import SECRET, known
from tests.decisions.parties import Party, a_party
from tests.depth import deep

TARGETS = ("db", "cache", "queue", "path:src/**", "ui")
EVERYTHING = 1_000
ODD_SCORES = (float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 0.0, 1.0, -1.0)

picks = st.integers(0, 50)


@dataclass
class Stated:
    """A decision or a proposal as the model has it."""

    id: str
    target: str
    word: str
    """A word that only its own text has."""
    status: str
    of_human: bool
    supersedes: list[str] = field(default_factory=list)
    next: str | None = None
    """What it was superseded by, or became."""


class Moody:
    """Meanings that are absent, late, or wrong on purpose."""

    name = "moody"

    def __init__(self) -> None:
        self.mood = "none"
        self.random = Random(0)
        self.words: dict[str, str] = {}
        """What the index knows: ids by the word of their text."""

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del project, topic, others
        if self.mood == "late":
            return [Hit(self.words[query], 0.9)] if query in self.words else []
        if self.mood == "wrong":
            ids = [*self.words.values(), "D999", "P999", "", "R001", "\0"]
            return [self.hit(ids) for _ in range(min(limit, 30))]
        return []

    def hit(self, ids: list[str]) -> Hit:
        scores = (*ODD_SCORES, self.random.uniform(-2, 2))
        return Hit(self.random.choice(ids), self.random.choice(scores))

    def lag(self, project: str) -> int:
        del project
        return 3


class Decisions(RuleBasedStateMachine):
    """The application beside its model."""

    new_store: Callable[[], Callable[[Schema], Engine]]

    def __init__(self) -> None:
        super().__init__()
        self.opener = type(self).new_store()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.meanings = Moody()
        self.all: dict[str, Stated] = {}
        self.turned_down: set[str] = set()
        """Where a person said no, and none has decided since."""
        self.counter = 0
        self.open()

    def open(self) -> None:
        settings = Settings()
        catalog = known(settings, secret=SECRET, meanings=self.meanings)
        self.app: Application = start(
            settings, lambda _, schema: self.opener(schema), clock=self.clock, known=catalog
        )
        self.parties: dict[bool, Party] = {
            False: a_party(self.app, "agent"),
            True: a_party(self.app, "human", "admin", secret=SECRET),
        }

    def clock(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    # What is done.

    @rule(by_human=st.booleans(), about=st.sampled_from(TARGETS))
    def record(self, by_human: bool, about: str) -> None:
        given = self.text(about)
        made = self.attempt(by_human, "record_decision", **given)
        if self.active_on(about):
            assert made == "TARGET_CONFLICT"
            return
        if about in self.turned_down and not by_human:
            assert made == "PROPOSAL_REFUSED"
            return
        self.add(made["decision_id"], given, of_human=by_human)

    @precondition(lambda self: self.decisions())
    @rule(by_human=st.booleans(), old=st.lists(picks, min_size=1, max_size=3), about=picks)
    def supersede(self, by_human: bool, old: list[int], about: int) -> None:
        ids = list(dict.fromkeys(self.decisions()[pick % len(self.decisions())] for pick in old))
        given = self.text((*(self.all[one].target for one in ids), *TARGETS)[about % len(TARGETS)])

        made = self.attempt(by_human, "supersede_decision", old_decision_ids=ids, **given)

        expected = self.refusal(ids, given["target"], by_human=by_human)
        touched = {given["target"], *(self.all[one].target for one in ids)}
        if expected is None and not by_human and touched & self.turned_down:
            expected = "PROPOSAL_REFUSED"
        if expected:
            assert made == expected
            return
        of_human = by_human or any(self.all[one].of_human for one in ids)
        self.add(made["decision_id"], given, of_human=of_human, supersedes=ids)

    @rule(by_human=st.booleans(), about=st.sampled_from(TARGETS))
    def propose(self, by_human: bool, about: str) -> None:
        given = self.text(about)
        made = self.attempt(by_human, "propose_decision", **given)
        holder = self.active_on(about)
        assert made["supersedes"] == ([holder] if holder else [])
        proposal = Stated(
            made["proposal_id"], about, given["title"], "proposed", by_human, made["supersedes"]
        )
        self.all[proposal.id] = proposal
        self.meanings.words[proposal.word] = proposal.id

    @precondition(lambda self: self.proposals())
    @rule(by_human=st.booleans(), pick=picks)
    def edit(self, by_human: bool, pick: int) -> None:
        proposal = self.pick(self.proposals(), pick)
        given = self.text(proposal.target)
        made = self.attempt(by_human, "propose_decision", proposal_id=proposal.id, **given)
        if proposal.status != "proposed":
            assert made == "PROPOSAL_CLOSED"
        elif proposal.of_human and not by_human:
            assert made == "ISOLATION_VIOLATION"
        else:
            proposal.word, proposal.supersedes = given["title"], made["supersedes"]
            self.meanings.words[proposal.word] = proposal.id

    @precondition(lambda self: self.proposals())
    @rule(pick=picks, hours=st.sampled_from([-5, 0, 1]))
    def accept(self, pick: int, hours: int) -> None:
        proposal = self.pick(self.proposals(), pick)
        before = self.now
        # A clock set back must not make it younger; an hour later it is old enough.
        self.now += timedelta(hours=hours)
        made = self.attempt(True, "accept_proposal", proposal_id=proposal.id)
        self.now = max(self.now, before)
        if proposal.status == "accepted":
            assert made["decision_id"] == proposal.next
            return
        if proposal.status == "rejected":
            assert made == "PROPOSAL_CLOSED"
            return
        if hours < 0:
            assert made == "REVIEW_WINDOW"
            return
        if made == "REVIEW_WINDOW":
            assert hours == 0
            return
        if expected := self.refusal(proposal.supersedes, proposal.target, by_human=True):
            assert made == expected
            return
        given = {"target": proposal.target, "title": proposal.word}
        self.add(made["decision_id"], given, of_human=True, supersedes=proposal.supersedes)
        proposal.status, proposal.next = "accepted", made["decision_id"]

    @precondition(lambda self: self.proposals())
    @rule(by_human=st.booleans(), pick=picks)
    def reject(self, by_human: bool, pick: int) -> None:
        proposal = self.pick(self.proposals(), pick)
        made = self.attempt(by_human, "reject_proposal", proposal_id=proposal.id)
        if proposal.status != "proposed":
            assert made == "PROPOSAL_CLOSED"
        elif proposal.of_human and not by_human:
            assert made == "ISOLATION_VIOLATION"
        else:
            proposal.status = "rejected"
            if by_human:
                self.turned_down.add(proposal.target)
            again = self.text(proposal.target) | {"title": proposal.word}
            assert self.attempt(by_human, "propose_decision", **again) == "PROPOSAL_REFUSED"

    @rule(mood=st.sampled_from(["none", "late", "wrong"]), seed=picks)
    def change_mood(self, mood: str, seed: int) -> None:
        """Delete the vector index, let it fall behind, or have it answer anything."""
        self.meanings.mood, self.meanings.random = mood, Random(seed)

    @rule()
    def reopen_and_derive_again(self) -> None:
        self.open()
        self.app.store.rebuild("default")

    # What holds.

    @invariant()
    def every_text_leads_to_the_active_end_of_its_chain(self) -> None:
        # One of them each time, a different one as the history grows.
        for stated in list(self.all.values())[-1:] + list(self.all.values())[:1]:
            end = self.end(stated)
            results = {one["id"]: one for one in self.search(stated.word, "strict")}
            if end.status == "active":
                assert end.id in results
                assert stated.id in (end.id, *results[end.id]["matched_via"])
            else:
                assert stated.id in {one["id"] for one in self.search(stated.word, "audit")}

    @invariant()
    def strict_shows_all_that_is_active_and_nothing_else(self) -> None:
        found = self.search("common", "strict")

        active = {one.id for one in self.all.values() if one.status == "active"}
        assert {one["id"] for one in found} == active
        assert {one["status"] for one in found} <= {"active"}

    @invariant()
    def balanced_shows_active_ones_first_and_a_target_once(self) -> None:
        found = self.search("common", "balanced")

        states = [one["status"] == "active" for one in found]
        assert states == sorted(states, reverse=True)
        scores = [one["score"] for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(
            score >= 1.0 for score, is_active in zip(scores, states, strict=True) if is_active
        )
        targets = [one["target"] for one in found]
        assert len(targets) == len(set(targets))
        ends = [self.end(one) for one in self.all.values()]
        standing = {one.target for one in ends if one.status != "rejected"}
        rejected = {one.target for one in ends} - standing
        assert standing <= {*targets} <= standing | rejected
        # Of what was only ever turned down, one is shown.
        assert len({*targets} & rejected) == min(len(rejected), 1)

    @invariant()
    def audit_shows_everything_as_it_is(self) -> None:
        found = self.search("common", "audit")

        assert {one["id"]: one["status"] for one in found} == {
            one.id: one.status for one in self.all.values()
        }

    @invariant()
    def a_target_has_one_active_decision_and_a_chain_one_head(self) -> None:
        active = [one.target for one in self.all.values() if one.status == "active"]
        assert len(active) == len(set(active))
        for stated in list(self.all.values())[:3]:
            shown = self.parties[True].get(stated.id)
            head = shown.get("head") or shown["decision"]
            assert head["id"] == self.end(stated).id

    # How the model knows.

    def text(self, target: str) -> dict[str, Any]:
        self.counter += 1
        rationale = "A common rationale that all of them have."
        return {"title": f"word{self.counter}", "target": target, "rationale": rationale}

    def attempt(self, by_human: bool, operation: str, **arguments: Any) -> Any:
        try:
            return self.parties[by_human].ask(operation, **arguments)
        except Problem as problem:
            return problem.code

    def search(self, query: str, mode: str) -> list[dict[str, Any]]:
        return self.parties[False].search(query, mode, limit=EVERYTHING)

    def add(
        self, made: str, given: dict[str, Any], *, of_human: bool, supersedes: Sequence[str] = ()
    ) -> None:
        stated = Stated(made, given["target"], given["title"], "active", of_human, list(supersedes))
        if of_human:
            self.turned_down -= {stated.target, *(self.all[old].target for old in supersedes)}
        for old in stated.supersedes:
            self.all[old].status, self.all[old].next = "superseded", made
        self.all[made] = stated
        self.meanings.words[stated.word] = made

    def refusal(self, old: list[str], target: str, *, by_human: bool) -> str | None:
        """Say which code superseding must be refused with."""
        if any(self.all[one].status != "active" for one in old):
            return "DECISION_NOT_ACTIVE"
        if not by_human and any(self.all[one].of_human for one in old):
            return "ISOLATION_VIOLATION"
        if old and target not in {self.all[one].target for one in old}:
            return "TARGET_CONFLICT"
        return "TARGET_CONFLICT" if not old and self.active_on(target) else None

    def end(self, stated: Stated) -> Stated:
        while stated.next:
            stated = self.all[stated.next]
        return stated

    def active_on(self, target: str) -> str | None:
        found = [
            one.id for one in self.all.values() if one.status == "active" and one.target == target
        ]
        return found[0] if found else None

    def decisions(self) -> list[str]:
        return [one for one in self.all if one.startswith("D")]

    def proposals(self) -> list[str]:
        return [one for one in self.all if one.startswith("P")]

    def pick(self, ids: list[str], pick: int) -> Stated:
        return self.all[ids[pick % len(ids)]]


def memory_store() -> Callable[[Schema], Engine]:
    shared = MemoryStore()
    return lambda schema: MemoryEngine(schema, shared)


def run(new_store: Callable[[], Callable[[Schema], Engine]], examples: int) -> None:
    """Check this many histories, each on a store of its own."""
    machine = type("Machine", (Decisions,), {"new_store": staticmethod(new_store)})
    chosen = settings(max_examples=examples, stateful_step_count=30, deadline=None)
    run_state_machine_as_test(machine, settings=chosen)


@pytest.mark.holds(
    "004-guarantee-0",
    "004-guarantee-1",
    "004-guarantee-2",
    "004-guarantee-3",
    "004-guarantee-4",
    "DEC-chain-3",
    "DEC-chain-4",
    "DEC-search-12",
)
def test_random_histories_keep_the_four_guarantees() -> None:
    run(memory_store, 10)


@pytest.mark.slow("hundreds of histories, and on a database")
@pytest.mark.parametrize(
    ("engine", "examples"), [("memory", deep(120, 400)), ("sqlite", deep(20, 60))]
)
def test_many_random_histories_keep_the_four_guarantees(engine: str, examples: int) -> None:
    with TemporaryDirectory() as folder:
        numbers = itertools.count()

        def sqlite_store() -> Callable[[Schema], Engine]:
            place = Path(folder) / str(next(numbers))
            return lambda schema: SqliteEngine(place, schema)

        run(memory_store if engine == "memory" else sqlite_store, examples)
