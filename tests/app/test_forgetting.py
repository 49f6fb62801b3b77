"""Keys of calls are remembered for a time, and forgotten by `hansard gc`, which an entry says."""

from datetime import timedelta
from typing import Any, ClassVar

import pytest

from hansard.app.application import Application
from hansard.app.erasure_events import Collected
from hansard.app.keeping import idempotency_keys
from hansard.app.keeping.garbage_collection import collect, find
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.app.verify import verify
from hansard.kernel import paging, reply
from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.effect import Intent, Outcome
from hansard.kernel.engine import Table
from hansard.kernel.event import SYSTEM, Actor, Stamp
from hansard.kernel.operation import Caller, Capability
from hansard.kernel.problem import InvalidInput
from tests.app import kept
from tests.app.kept import STAMP
from tests.conftest import OpenApp
from tests.toy import NoteTaken

PROJECT = "default"
NEVER, EVER = "", "9999"
LONG_AGO = Stamp(SYSTEM, "1999-01-01T00:00:00.000000Z")
FAR_AHEAD = Stamp(SYSTEM, "2999-01-01T00:00:00.000000Z")
LATER = Stamp(SYSTEM, "2026-12-31T00:00:00.000000Z")


class Announced(Intent):
    """A change to the world that a test speaks of."""

    kind: ClassVar[str] = "testing.announced.v1"


class Went(Outcome):
    """How it went."""

    kind: ClassVar[str] = "testing.went.v1"


ANNOUNCING = Capability("announcing", (), (Announced, Went))


def keyed(key: str) -> Caller:
    return Caller(Actor("agent", "me", "agent"), idempotency_key=key)


def note(app: Application, key: str, text: str = "once") -> NoteTaken:
    taken = app.call("toy_note", {"text": text}, keyed(key))
    assert isinstance(taken, NoteTaken)
    return taken


def at(before: str) -> idempotency_keys.Cutoff:
    """Have keys be old from before this time, whenever the project was written to."""
    return lambda _: before


def forget(app: Application, before: str = EVER) -> int:
    """Collect what was kept for keys from before a time; gives how many are forgotten."""
    return collect(app.store, deleted_before=NEVER, keys_before=at(before), stamp=STAMP).keys


def kept_keys(app: Application, table: Table = reply.REPLIES) -> dict[str, Any]:
    rows = app.store.read(PROJECT, lambda tx: tx.scan(table, limit=1_000))
    return {found.key: found.row for found in rows}


def blobs(app: Application) -> set[Digest]:
    return set(app.store.read(PROJECT, lambda tx: tx.digests(limit=1_000)))


def now(app: Application) -> str:
    return app.store.engine.heads()[PROJECT].clock


def is_as_derived_anew(app: Application) -> bool:
    before = kept_keys(app), kept_keys(app, reply.ATTEMPTS)
    app.store.rebuild(PROJECT)
    return before == (kept_keys(app), kept_keys(app, reply.ATTEMPTS))


def test_a_call_whose_key_is_forgotten_is_a_new_call(app: Application) -> None:
    first = note(app, "k")

    assert forget(app) == 1

    second = note(app, "k", "something else")
    assert second.id != first.id
    assert note(app, "k", "something else") == second
    assert verify(app.store).findings == ()
    assert is_as_derived_anew(app)


def test_a_key_from_after_that_time_is_answered_as_first_and_still_refused_for_another_call(
    app: Application,
) -> None:
    old = note(app, "old")
    before = now(app)
    kept = note(app, "new")

    assert forget(app, before) == 1

    assert note(app, "new") == kept
    assert note(app, "old") != old
    with pytest.raises(InvalidInput):
        note(app, "new", "another")


def test_a_clock_that_is_ahead_makes_no_key_old(app: Application) -> None:
    """Not even one that gc has written by before."""
    ahead = to_text(utc_now() + timedelta(days=400))
    answer_long_ago(app)
    first = note(app, "k")
    app.store.write(PROJECT, lambda tx: app.store.record(tx, Collected(blobs=[]), FAR_AHEAD))

    for _ in range(2):
        collect(
            app.store,
            deleted_before=NEVER,
            keys_before=idempotency_keys.older_than(30, ahead),
            stamp=FAR_AHEAD,
        )

    assert len(kept_keys(app)) == 1, "the one that is old by what was written since"
    assert note(app, "k") == first


def answer_long_ago(app: Application) -> None:
    """Keep an answer under a key, in an entry of long before."""

    def work(tx: Any) -> None:
        app.store.record(tx, reply.keep_reply(tx, "old", "o", digest_of(b"a"), {}), LONG_AGO)

    app.store.write(PROJECT, work)


def test_what_a_forgotten_answer_was_kept_in_goes_and_nothing_is_missed(app: Application) -> None:
    note(app, "old")
    note(app, "old too", "another")
    answers = {Digest(row["reply"]) for row in kept_keys(app).values()}
    before = now(app)
    note(app, "new")
    others = blobs(app) - answers

    assert forget(app, before) == 2

    assert blobs(app) == others
    assert verify(app.store).findings == ()
    assert is_as_derived_anew(app)


def test_a_look_says_what_would_be_forgotten_and_changes_nothing(app: Application) -> None:
    note(app, "k")
    before = app.store.engine.heads(), blobs(app)

    found = find(app.store, deleted_before=NEVER, keys_before=at(EVER))

    assert (found.keys, found.count) == (1, 1)
    assert (app.store.engine.heads(), blobs(app)) == before
    assert find(app.store, deleted_before=NEVER).keys == 0


def test_without_a_time_nothing_is_forgotten(app: Application) -> None:
    first = note(app, "k")

    found = collect(app.store, deleted_before=EVER, stamp=STAMP)

    assert (found.keys, found.count) == (0, 0)
    assert note(app, "k") == first


def test_an_answer_that_was_given_again_since_stays(app: Application, open_app: OpenApp) -> None:
    """The same content may be the answer to two calls: a blob is named by both."""
    note(app, "k")
    [row] = kept_keys(app).values()
    before = now(app)

    def again(tx: Any) -> None:
        event = reply.Replied(key="k2", operation="o", arguments="a", reply=row["reply"])
        app.store.record(tx, event, STAMP)

    app.store.write(PROJECT, again)

    assert forget(app, before) == 1

    assert Digest(row["reply"]) in blobs(app)
    assert verify(open_app().store).findings == ()


def test_one_that_was_cut_off_is_gone_on_with(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each step the store is sound: keys are forgotten, and what held them goes later."""
    monkeypatch.setattr(idempotency_keys, "STEP", 1)
    for number in range(3):
        note(app, f"k{number}", f"note {number}")

    assert idempotency_keys.forget_some(app.store, PROJECT, at(EVER), STAMP) == 1
    assert len(kept_keys(app)) == 2
    assert verify(app.store).findings == ()
    # Whoever goes on may have been told to remember for longer: what is forgotten stays so.
    cut_off = collect(app.store, deleted_before=NEVER, keys_before=at("0"), stamp=STAMP)
    assert (cut_off.keys, cut_off.count) == (0, 1)

    assert forget(app) == 2

    assert kept_keys(app) == {}
    assert verify(app.store).findings == ()
    assert is_as_derived_anew(app)


def test_a_forgotten_answer_that_is_still_kept_is_redacted_with_the_rest(app: Application) -> None:
    """As it is where forgetting was cut off before its content was collected."""
    asked = {"type": "note", "title": "hunter2-of-ada", "summary": "s", "body": "b"}
    app.call("create_record", asked, keyed("k"))
    [row] = kept_keys(app).values()
    entries = app.store.read(PROJECT, lambda tx: list(paging.entries(tx)))
    written = next(one.seq for one in entries if b"hunter2-of-ada" in (one.payload or b""))
    assert idempotency_keys.forget_some(app.store, PROJECT, at(EVER), STAMP) == 1

    wanted = WantedErasure(seq=written, fields=("title",))
    done = erase(app.store, PROJECT, wanted, reason="It got in.", stamp=kept.PERSON)

    assert (done.replies, done.also) == (1, ())
    blob = app.store.read(PROJECT, lambda tx: tx.blob(Digest(row["reply"])))
    assert blob is not None
    assert blob.codec == "redacted"
    forget(app)
    assert verify(app.store).findings == ()


def test_an_attempt_is_not_forgotten_while_anything_of_it_is_open(open_app: OpenApp) -> None:
    app = open_app(also=[ANNOUNCING])
    note(app, "k")
    intents = [attempt(app, key) for key in ("settled", "open", "behind")]
    settle(app, intents[0])
    settle(app, intents[2])

    forget(app)

    assert kept_keys(app, reply.ATTEMPTS).keys() == {"open", "behind"}
    assert is_as_derived_anew(app)

    settle(app, intents[1])
    forget(app)

    assert kept_keys(app, reply.ATTEMPTS) == {}
    assert verify(app.store).findings == ()
    assert is_as_derived_anew(app)


def test_an_attempt_that_went_on_is_as_old_as_the_last_of_it(open_app: OpenApp) -> None:
    app = open_app(also=[ANNOUNCING])
    first = attempt(app, "k")
    settle(app, first)
    before = now(app)
    again = attempt(app, "k", LATER)
    settle(app, again, LATER)

    assert forget(app, before) == 0
    assert kept_keys(app, reply.ATTEMPTS)["k"]["intents"] == [first, again]


def attempt(app: Application, key: str, stamp: Stamp = STAMP) -> int:
    """Announce something under a key; gives the intent."""

    def work(tx: Any) -> int:
        entry = app.store.record(tx, Announced(owner="nobody"), stamp)
        event = reply.Attempted(key=key, operation="o", arguments="a", intents=[entry.seq])
        app.store.record(tx, event, stamp)
        return entry.seq

    return app.store.write(PROJECT, work)


def settle(app: Application, intent: int, stamp: Stamp = STAMP) -> None:
    app.store.write(PROJECT, lambda tx: app.store.record(tx, Went(intent=intent), stamp))
