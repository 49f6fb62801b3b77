# ruff: noqa: PLR2004 - the expected number is the point
"""The journal: appending, reading back, finding places, heads."""

from dataclasses import replace

import pytest

from hansard.kernel.engine import Engine, ReadTx, WriteTx
from hansard.kernel.event import SYSTEM, Entry, Head, Stamp, genesis
from hansard.testing.suite.base import (
    OTHER,
    PROJECT,
    Glanced,
    Noted,
    Opener,
    SuiteBase,
    is_chain,
    look,
    record,
    record_all,
)

PAGE = 100


class JournalSuite(SuiteBase):
    """What is appended is there, in order, for good."""

    def test_an_unknown_project_has_the_genesis_head_and_nothing_else(self, engine: Engine) -> None:
        """Reading what was never written is no error and creates nothing."""
        head, entries, places = look(
            engine,
            lambda tx: (tx.head(), tx.entries(limit=PAGE), (tx.seek(tick=9), tx.seek(at="Z"))),
        )

        assert head == genesis(PROJECT)
        assert entries == []
        assert places == (0, 0)
        assert engine.heads() == {}

    def test_entries_come_back_as_they_were_appended(self, engine: Engine) -> None:
        """Every part of an entry is kept to the byte, and the chain holds."""

        def work(tx: WriteTx) -> list[Entry]:
            return [
                record(tx, Noted(text="première ☕ 😀"), session="s-1"),
                record(tx, Glanced(), at="2026-02-01T00:00:00Z"),
                record(tx, Noted(text="x" * 100_000), at="2025-01-01T00:00:00Z"),
            ]

        appended = engine.write(PROJECT, work)

        assert look(engine, lambda tx: tx.entries(limit=PAGE)) == appended
        assert is_chain(appended, genesis(PROJECT).hash)
        assert all(entry.payload_is_sound() for entry in appended)

    @pytest.mark.parametrize("number", [-(2**70), -1, 2**40, 2**40 + 1, 2**63 - 1, 2**70])
    def test_any_number_at_all_asks_only_for_entries_of_the_project(
        self, engine: Engine, number: int
    ) -> None:
        """A place beyond what a journal can hold is beyond its end, and never in another's."""
        own = record_all(engine, Noted(text="a"), Noted(text="b"))
        for name in (OTHER, f"{OTHER}-2"):
            engine.write(name, lambda tx: record(tx, Noted(text="theirs")))

        before = look(engine, lambda tx: tx.entries(before=number, limit=PAGE, descending=True))
        after = look(engine, lambda tx: tx.entries(after=number, limit=PAGE))

        assert before == (own[::-1] if number > 0 else [])
        assert after == ([] if number > 0 else own)

    def test_a_redacted_payload_is_none_and_an_empty_one_is_empty(self, engine: Engine) -> None:
        """No payload and a payload of no bytes are different things."""

        def work(tx: WriteTx) -> list[Entry]:
            for payload in (None, b""):
                stamp = Stamp(SYSTEM, "2026-01-01T00:00:00Z")
                entry = Entry.following(tx.head(), tx.project, Glanced(), stamp)
                tx.append(replace(entry, payload=payload))
            return tx.entries(limit=PAGE)

        inside = engine.write(PROJECT, work)

        assert [entry.payload for entry in inside] == [None, b""]
        assert look(engine, lambda tx: tx.entries(limit=PAGE)) == inside

    @pytest.mark.parametrize("stand_in", [None, b"{}"])
    def test_a_redacted_entry_stands_where_it_stood(
        self, engine: Engine, open_engine: Opener, stand_in: bytes | None
    ) -> None:
        """Everything about it stays but its payload, and so do all others and the head."""
        entries = record_all(engine, Noted(text="a"), Noted(text="secret"), Noted(text="b"))
        head = look(engine, lambda tx: tx.head())
        redacted = entries[1].redacted(stand_in)

        engine.write(PROJECT, lambda tx: tx.redact(redacted))

        expected = [entries[0], redacted, entries[2]]
        for one in (engine, open_engine()):
            assert look(one, lambda tx: tx.entries(limit=PAGE)) == expected
            assert look(one, lambda tx: tx.head()) == head
        assert is_chain(expected, genesis(PROJECT).hash)
        assert (redacted.is_redacted, redacted.payload_is_sound()) == (True, True)

    def test_failed_work_redacts_nothing(self, engine: Engine) -> None:
        """It is undone with the rest."""
        [entry] = record_all(engine, Noted(text="kept"))

        def work(tx: WriteTx) -> None:
            tx.redact(entry.redacted(None))
            raise LookupError

        with pytest.raises(LookupError):
            engine.write(PROJECT, work)
        assert look(engine, lambda tx: tx.entries(limit=PAGE)) == [entry]

    def test_the_head_is_the_last_entry_and_its_clock_never_falls(self, engine: Engine) -> None:
        """The head moves inside the transaction already, and a clock set back does not move it."""

        def work(tx: WriteTx) -> Head:
            record(tx, Noted(), at="2026-05-01T00:00:00Z")
            record(tx, Glanced(), at="2026-01-01T00:00:00Z")
            return tx.head()

        inside = engine.write(PROJECT, work)

        [*_, last] = look(engine, lambda tx: tx.entries(limit=PAGE))
        assert inside == look(engine, lambda tx: tx.head())
        assert inside == Head(2, 1, last.hash, "2026-05-01T00:00:00Z", "")

    def test_entries_are_filtered_ordered_and_limited(self, engine: Engine) -> None:
        """`after` and `before` are exclusive; kinds, session, order and limit combine."""

        def work(tx: WriteTx) -> None:
            for number in range(1, 11):
                session = "odd" if number % 2 else None
                record(tx, Noted() if number <= 5 else Glanced(), session=session)

        engine.write(PROJECT, work)

        def seqs(tx: ReadTx) -> list[list[int]]:
            return [
                [entry.seq for entry in found]
                for found in (
                    tx.entries(after=3, before=7, limit=PAGE),
                    tx.entries(limit=3),
                    tx.entries(limit=3, descending=True),
                    tx.entries(after=2, before=9, limit=2, descending=True),
                    tx.entries(kinds=[Glanced.kind], limit=2),
                    tx.entries(kinds=[Noted.kind, Glanced.kind], after=8, limit=PAGE),
                    tx.entries(kinds=[], limit=PAGE),
                    tx.entries(session="odd", limit=PAGE),
                    tx.entries(session="odd", kinds={Glanced.kind}, descending=True, limit=PAGE),
                    tx.entries(session="nobody", limit=PAGE),
                    tx.entries(after=10, limit=PAGE),
                    tx.entries(before=1, limit=PAGE),
                    tx.entries(before=0, limit=PAGE),
                )
            ]

        assert look(engine, seqs) == [
            [4, 5, 6],
            [1, 2, 3],
            [10, 9, 8],
            [8, 7],
            [6, 7],
            [9, 10],
            [],
            [1, 3, 5, 7, 9],
            [9, 7],
            [],
            [],
            [],
            [],
        ]

    def test_seek_finds_the_last_entry_at_a_tick(self, engine: Engine) -> None:
        """Entries that do not tick belong to the tick before them."""
        record_all(engine, Glanced(), Noted(), Glanced(), Noted(), Noted(), Glanced())

        found = look(engine, lambda tx: [tx.seek(tick=tick) for tick in (-1, 0, 1, 2, 3, 99)])

        assert found == [0, 1, 3, 4, 6, 6]

    def test_seek_finds_the_last_entry_by_the_running_clock(self, engine: Engine) -> None:
        """A clock that was set back for a while does not hide the entries of that while."""
        times = ["2026-01-02", "2026-01-04", "2026-01-01", "2026-01-03", "2026-01-05"]

        def work(tx: WriteTx) -> None:
            for time in times:
                record(tx, Noted(), at=time)

        engine.write(PROJECT, work)

        asked = ("2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2027")
        found = look(engine, lambda tx: [tx.seek(at=at) for at in asked])
        assert found == [0, 1, 1, 4, 5, 5]

    def test_views_are_marked_in_the_head_and_stay(self, engine: Engine) -> None:
        """The mark can precede the first entry, and later entries keep it."""
        engine.write(PROJECT, lambda tx: tx.mark_views("things:1"))
        before = look(engine, lambda tx: tx.head())
        record_all(engine, Noted())
        after = look(engine, lambda tx: tx.head())
        engine.write(PROJECT, lambda tx: tx.mark_views("things:2"))

        assert (before.seq, before.hash, before.views) == (0, genesis(PROJECT).hash, "things:1")
        assert (after.seq, after.views) == (1, "things:1")
        assert look(engine, lambda tx: tx.head()).views == "things:2"

    def test_heads_are_those_of_all_projects_that_have_entries(self, engine: Engine) -> None:
        """A project that was only marked, or only failed to write, has none."""
        record_all(engine, Noted(), Noted(), project=PROJECT)
        record_all(engine, Noted(), project=OTHER)
        engine.write("marked", lambda tx: tx.mark_views("things:1"))

        assert engine.heads() == {
            name: engine.read(name, lambda tx: tx.head()) for name in (PROJECT, OTHER)
        }

    def test_projects_have_journals_of_their_own(self, engine: Engine) -> None:
        """Nothing of one project's journal is seen from another, though their seqs coincide."""
        [mine] = record_all(engine, Noted(text="mine"), project=PROJECT)
        theirs = record_all(engine, Noted(text="theirs"), Glanced(), project=OTHER)

        assert look(engine, lambda tx: tx.entries(limit=PAGE)) == [mine]
        assert look(engine, lambda tx: tx.entries(limit=PAGE), OTHER) == theirs
        assert look(engine, lambda tx: tx.entries(after=1, limit=PAGE)) == []
        assert look(engine, lambda tx: tx.entries(limit=PAGE, descending=True)) == [mine]
        assert look(engine, lambda tx: (tx.seek(tick=9), tx.seek(at="Z"))) == (1, 1)

    @pytest.mark.parametrize("project", ["@catalog", "a%b_c", "Ünïcode 😀", "a'b\"c", "p" * 64])
    def test_a_project_may_be_called_anything(self, engine: Engine, project: str) -> None:
        """A name is a name, whatever it would mean in a query."""
        entries = record_all(engine, Noted(), project=project)

        assert engine.read(project, lambda tx: tx.entries(limit=PAGE)) == entries
        assert list(engine.heads()) == [project]

    def test_what_was_written_is_there_after_opening_again(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """Closing loses nothing, and the journal goes on where it stood."""
        [first] = record_all(engine, Noted(text="before"))
        engine.close()

        again = open_engine()
        [second] = record_all(again, Noted(text="after"))

        assert look(again, lambda tx: tx.entries(limit=PAGE)) == [first, second]
        assert is_chain([second], first.hash)
