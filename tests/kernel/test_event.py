"""Entries, their chain, and what an entry's event is."""

from dataclasses import replace
from typing import ClassVar

import pytest

from hansard.kernel.blob import digest_of
from hansard.kernel.event import SYSTEM, Actor, Entry, Event, Kinds, Stamp, genesis
from tests.toy import Noted

AGENT = Actor("agent", "test", "agent")
STAMP = Stamp(AGENT, "2026-01-01T00:00:01.000000Z", "a-session")


def an_entry() -> Entry:
    return Entry.following(genesis("p"), "p", Noted(id="T001", text="hello"), STAMP)


def test_an_entry_follows_its_head() -> None:
    entry = an_entry()

    assert (entry.seq, entry.tick) == (1, 1)
    assert entry.hash == entry.hash_after(genesis("p").hash)
    assert entry.payload_is_sound()


def test_an_event_that_says_nothing_else_is_summed_up_by_its_kind() -> None:
    class Moved(Event):
        kind: ClassVar[str] = "toy.all_moved_away.v12"

    assert Moved().summary() == "all moved away"


@pytest.mark.parametrize(
    "change",
    [
        {"project": "q"},
        {"seq": 2},
        {"tick": 2},
        {"at": "2027-01-01T00:00:01.000000Z"},
        {"kind": "toy.other.v1"},
        {"session": None},
        {"actor": SYSTEM},
        {"actor": replace(AGENT, role="admin")},
        {"payload_digest": "0" * 64},
    ],
)
def test_no_part_of_a_header_can_change_unseen(change: dict[str, object]) -> None:
    changed = replace(an_entry(), **change)  # type: ignore[arg-type]

    assert changed.hash_after(genesis("p").hash) != changed.hash


def test_a_changed_payload_is_seen_and_a_redacted_one_is_not_an_error() -> None:
    entry = an_entry()

    assert not replace(entry, payload=b'{"id":"T001","text":"other"}').payload_is_sound()
    assert replace(entry, payload=None).payload_is_sound()


def test_journals_of_two_projects_have_no_link_in_common() -> None:
    assert genesis("p").hash != genesis("q").hash


def test_an_entry_is_read_back_as_the_event_it_recorded() -> None:
    kinds = Kinds([Noted])

    assert kinds.decode(an_entry()) == Noted(id="T001", text="hello")
    assert kinds.decode(replace(an_entry(), payload=None)) is None


def test_an_old_shape_is_upgraded_when_it_is_read() -> None:
    old = replace(an_entry(), kind="toy.noted.v0", payload=b'{"note":"hello"}')
    kinds = Kinds([Noted], {"toy.noted.v0": lambda old: Noted(id="T000", text=old["note"])})

    assert kinds.decode(old) == Noted(id="T000", text="hello")


@pytest.mark.holds("ALL-10.3")
def test_the_roles_are_ordered() -> None:
    assert AGENT.may("viewer")
    assert AGENT.may("agent")
    assert not AGENT.may("admin")


class Moved(Event):
    kind: ClassVar[str] = "test.moved.v1"
    advances_tick: ClassVar[bool] = True
    rewrites: ClassVar[bool] = True


def test_kinds_say_what_they_know_of_each() -> None:
    kinds = Kinds([Noted, Moved], {"toy.noted.v0": lambda old: Noted(id="T000", text=old["note"])})

    assert kinds.advances(Moved.kind) is True
    assert kinds.advances(Noted.kind) is Noted.advances_tick
    assert kinds.advances("toy.noted.v0") is kinds.advances("test.unknown.v1") is None
    assert kinds.rewriting == {Moved.kind}
    assert [kinds.knows(kind) for kind in (Noted.kind, "toy.noted.v0", "test.unknown.v1")] == [
        *(True, True, False)
    ]
    with pytest.raises(AssertionError):
        Kinds([Noted, Noted])


@pytest.mark.parametrize(
    ("change", "advances", "follows"),
    [
        ({}, True, True),
        ({}, None, True),
        ({}, False, False),
        ({"tick": 0}, False, True),
        ({"tick": 0}, None, True),
        ({"tick": 0}, True, False),
        ({"tick": 2}, None, False),
        ({"seq": 2}, None, False),
        ({"clock": "2026-01-01T00:00:02.000000Z"}, None, False),
    ],
)
def test_the_next_entry_follows_in_seq_tick_and_clock(
    change: dict[str, object], advances: bool | None, follows: bool
) -> None:
    changed = replace(an_entry(), **change)  # type: ignore[arg-type]
    chained = replace(changed, hash=changed.hash_after(genesis("p").hash))

    assert chained.follows(genesis("p"), advances=advances) is follows
    assert not replace(chained, hash=digest_of(b"")).follows(genesis("p"), advances=advances)
    assert not replace(chained, payload=b"{}").follows(genesis("p"), advances=advances)
