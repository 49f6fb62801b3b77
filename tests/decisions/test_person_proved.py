"""A person is proved, not guessed from a terminal: by the secret, wherever one is set."""

from pathlib import Path

import pytest

from hansard.app import people
from hansard.app.application import Application
from hansard.app.settings import Settings, secret
from hansard.app.start import start
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.problem import InvalidInput
from tests.conftest import a_caller
from tests.decisions.conftest import OpenWith
from tests.decisions.known import SECRET
from tests.decisions.parties import Party, a_party, refused

OTHER = "another secret, long enough"


@pytest.fixture
def claimed(app: Application) -> Party:
    """Somebody on a terminal who has proved nothing."""
    return a_party(app, "human", "admin")


@pytest.mark.holds("ALL-10.16")
def test_whoever_has_not_proved_the_secret_is_no_person(
    claimed: Party, admin: Party, bot: Party
) -> None:
    theirs, draft = admin.record("db"), bot.propose("queue")

    with refused("ISOLATION_VIOLATION"):
        claimed.supersede(theirs)
    with refused("PERMISSION_DENIED"):
        claimed.accept(draft)
    with refused("ISOLATION_VIOLATION"):
        claimed.reject(draft)
    made = claimed.get(claimed.record("cache"))["decision"]

    assert made["author"] == "agent:test-human (unproved)"
    assert "proof" not in made
    assert bot.supersede(made["id"], target="cache")


@pytest.mark.holds("ALL-10.16")
def test_whoever_proves_it_is_a_person_and_the_entry_says_so(admin: Party, bot: Party) -> None:
    made = admin.get(admin.record("db"))["decision"]

    assert (made["author"], made["proof"]) == ("human:test-human", "proved")
    with refused("ISOLATION_VIOLATION"):
        bot.supersede(made["id"])


@pytest.mark.holds("ALL-10.17")
def test_where_no_secret_is_set_the_entry_says_unproved(open_with: OpenWith) -> None:
    app = open_with(secret=None)
    person = a_party(app, "human", "admin")
    theirs = person.record("db")
    draft = a_party(app, "agent").propose("queue")
    person.reject(draft)

    shown = person.get(theirs)

    assert (shown["decision"]["author"], shown["decision"]["proof"]) == (
        "human:test-human",
        "unproved",
    )
    assert "proof" not in person.get(draft)["decision"]
    with refused("ISOLATION_VIOLATION"):
        a_party(app, "agent").supersede(theirs)


def test_a_store_knows_its_secret_whatever_other_processes_are_set_up_with(
    open_with: OpenWith,
) -> None:
    first = open_with(secret=SECRET)
    a_party(first, "human", "admin", secret=SECRET).record("db")

    for configured in (None, OTHER):
        app = open_with(secret=configured)
        with refused("ISOLATION_VIOLATION"):
            a_party(app, "human", "admin").supersede("D001")
        with refused("PERMISSION_DENIED"):
            a_party(app, "human", "admin", secret=OTHER).supersede("D001")
        assert a_party(app, "human", "admin", secret=SECRET).status("D001") == "active"


def test_who_set_the_secret_first_is_not_overtaken_and_who_knows_it_changes_it(
    open_with: OpenWith,
) -> None:
    app, stamp = open_with(secret=None), Stamp(SYSTEM, to_text(utc_now()))
    people.set_secret(app.store, SECRET, stamp)
    with refused("SECRET_KNOWN"):
        people.set_secret(app.store, OTHER, stamp)
    assert people.is_right(app.store, SECRET)

    people.set_secret(app.store, OTHER, stamp, before=people.known(app.store))

    assert people.is_right(app.store, OTHER)
    with refused("PERMISSION_DENIED"):
        a_party(app, "human", "admin", secret=SECRET).record()
    assert a_party(app, "human", "admin", secret=OTHER).record()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=str(tmp_path / "store"), workspace=str(tmp_path), embedder="none")


@pytest.mark.holds("ALL-10.19")
def test_no_process_teaches_the_store_the_secret_it_was_started_with(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_SECRET", OTHER)
    app = start(settings)
    own = a_party(app, "human", "admin", secret=OTHER)
    draft = a_party(app, "agent").propose()
    made = own.get(own.record("cache"))["decision"]
    claimed = app.judged(a_caller("human", "admin")).actor.kind
    app.close()
    monkeypatch.delenv("HANSARD_SECRET")

    app = start(settings)

    assert people.known(app.store) is None
    assert not app.wants_proof()
    assert (made["author"], made["proof"], claimed) == ("human:test-human", "unproved", "agent")
    with refused("PERMISSION_DENIED"):
        a_party(app, "human", "admin", secret=OTHER).accept(draft)
    app.close()


def test_the_store_holds_a_digest_of_the_secret_and_not_the_secret(
    settings: Settings, tmp_path: Path
) -> None:
    app = start(settings)
    people.set_secret(app.store, OTHER, Stamp(SYSTEM, to_text(utc_now())))

    assert app.judged(a_caller("human", "admin")).actor.kind == "agent"
    assert app.judged(a_caller("human", "admin", secret=OTHER)).proof == "proved"
    held = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert OTHER.encode() not in held
    app.close()


@pytest.mark.holds("ALL-10.18")
def test_a_secret_that_is_too_short_is_refused() -> None:
    with pytest.raises(InvalidInput):
        secret(Settings(), {"HANSARD_SECRET": "fifteen letters"})
    assert secret(Settings(), {"HANSARD_SECRET": "sixteen letters!"}) == "sixteen letters!"
    assert secret(Settings(), {}) is None
