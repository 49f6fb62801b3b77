"""A project goes from one store to another by its parts: what is new, exactly, or nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hansard.app import people
from hansard.app.application import Application
from hansard.app.keeping import importing, parts, peer_store
from hansard.app.keeping.bundle import BundleDamaged
from hansard.app.keeping.importing import import_project
from hansard.app.keeping.peer_store import Answer, Exchange
from hansard.app.keeping.push_pull import HistoriesDiverged, move
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.engines.memory import MemoryEngine
from hansard.kernel.event import Actor, Stamp
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput, PermissionDenied
from tests.conftest import a_caller

AT = "2026-01-02T03:04:05.000000Z"
PROJECT = "default"


@dataclass
class Side:
    """A store, as the other side sees it."""

    name: str
    app: Application
    exchange: Exchange
    caller: Caller
    asked: list[str]

    def ask(self, message: dict[str, Any], body: bytes = b"") -> Answer:
        self.asked.append(message["do"])
        return self.exchange.answer(message, body, self.caller)


def side(app: Application, folder: Path, name: str) -> Side:
    folder.mkdir(parents=True, exist_ok=True)
    caller = Caller(Actor("human", "ada", "admin"))
    return Side(name, app, Exchange(app, folder, is_own=True), caller, [])


@pytest.fixture
def here(app: Application, tmp_path: Path) -> Side:
    return side(app, tmp_path / "ways-here", "here")


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Side]:
    settings = Settings(store=str(tmp_path / "there"), workspace=str(tmp_path), embedder="none")
    app = start(settings, lambda _, schema: MemoryEngine(schema))
    yield side(app, tmp_path / "ways-there", "there")
    app.close()


def write(one: Side, text: str, kind: str = "create_record") -> None:
    arguments = {"type": "note", "title": text, "summary": text, "body": f"{text} " * 50}
    one.app.call(kind, arguments, a_caller())


def head(one: Side) -> tuple[int, str]:
    found = parts.head_of(one.app.store, PROJECT)
    return found.seq, found.hash


def require_sound(one: Side) -> None:
    assert not verify(one.app.store).findings


def test_a_project_arrives_with_every_hash_and_the_second_time_nothing_is_new(
    here: Side, there: Side
) -> None:
    write(here, "one")

    first = move(here, there, PROJECT)
    second = move(here, there, PROJECT)

    assert head(there) == head(here)
    assert (first.entries, first.blobs > 0) == (head(here)[0], True)
    assert (second.entries, second.bytes) == (0, 0)
    require_sound(there)
    titles = there.app.call("list_records", {}, a_caller()).model_dump(mode="json")["records"]
    assert [one["title"] for one in titles] == ["one"]


def test_only_what_is_new_travels(here: Side, there: Side) -> None:
    for number in range(20):
        write(here, f"record {number} with words of its own {number * 7919}")
    whole = move(here, there, PROJECT)
    write(here, "one more")

    part = move(here, there, PROJECT)

    assert 0 < part.entries < whole.entries
    assert part.blobs == 1
    assert part.bytes < whole.bytes
    assert head(there) == head(here)
    require_sound(there)


def test_what_was_written_there_comes_back(here: Side, there: Side) -> None:
    write(here, "one")
    move(here, there, PROJECT)
    write(there, "two")

    pushed = move(here, there, PROJECT)
    pulled = move(there, here, PROJECT)

    assert (pushed.entries, pushed.ahead) == (0, pulled.entries)
    assert head(there) == head(here)
    require_sound(here)


def test_histories_that_part_are_told_and_left_alone(here: Side, there: Side) -> None:
    write(here, "one")
    move(here, there, PROJECT)
    common = head(here)[0]
    write(here, "mine")
    write(there, "theirs")
    write(there, "theirs too")
    before = head(here), head(there)

    with pytest.raises(HistoriesDiverged) as pushing:
        move(here, there, PROJECT)
    with pytest.raises(HistoriesDiverged) as refused:
        move(there, here, PROJECT)
    assert pushing.value.details["common"] == refused.value.details["common"] == common

    assert (head(here), head(there)) == before
    assert "take" not in there.asked[there.asked.index("take") + 1 :]
    mine, theirs = refused.value.details["target"], refused.value.details["source"]
    assert mine["entries"] < theirs["entries"]
    assert "last" in mine


def test_two_projects_of_one_name_part_from_the_first_entry_on(here: Side, there: Side) -> None:
    write(here, "one")
    write(there, "another")

    with pytest.raises(HistoriesDiverged) as refused:
        move(here, there, PROJECT)

    assert refused.value.details["common"] == 0


class Cut(Exception):
    """The process was killed."""


@pytest.mark.parametrize("at", ["open", "put", "take"])
def test_cut_off_before_it_was_taken_in_nothing_is_there_and_repeated_all_is(
    here: Side, there: Side, at: str
) -> None:
    write(here, "one")
    move(here, there, PROJECT)
    write(here, "two")
    before = head(there)
    answer = there.exchange.answer

    def cut(told: dict[str, Any], body: bytes, caller: Caller) -> Answer:
        if told["do"] == at:
            raise Cut
        return answer(told, body, caller)

    there.ask = lambda message, body=b"": cut(message, body, there.caller)  # type: ignore[method-assign]
    with pytest.raises(Cut):
        move(here, there, PROJECT)
    assert head(there) == before
    require_sound(there)

    del there.ask
    move(here, there, PROJECT)
    assert head(there) == head(here)


def test_cut_off_while_it_is_written_nothing_of_it_is_there(
    here: Side, there: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        write(here, f"record {number}")
    derive = importing.derive

    def fail_late(store: Any, tx: Any, entry: Any) -> None:
        if entry.seq == head(here)[0]:
            raise Cut
        derive(store, tx, entry)

    monkeypatch.setattr(parts, "derive", fail_late)
    with pytest.raises(Cut):
        move(here, there, PROJECT)
    assert head(there)[0] == 0

    monkeypatch.setattr(parts, "derive", derive)
    move(here, there, PROJECT)
    assert head(there) == head(here)
    require_sound(there)


def test_what_somebody_writes_meanwhile_is_never_mixed_in(here: Side, there: Side) -> None:
    write(here, "one")
    move(here, there, PROJECT)
    write(here, "two")
    answer = there.exchange.answer

    def meanwhile(message: dict[str, Any], body: bytes = b"") -> Answer:
        if message["do"] == "take":
            write(there, "theirs")
        return answer(message, body, there.caller)

    there.ask = meanwhile  # type: ignore[method-assign]

    with pytest.raises(parts.HeadMoved):
        move(here, there, PROJECT)

    del there.ask
    with pytest.raises(HistoriesDiverged):
        move(here, there, PROJECT)
    require_sound(there)


def test_what_is_written_here_meanwhile_goes_the_next_time(here: Side, there: Side) -> None:
    write(here, "one")
    answer = here.exchange.answer
    written: list[str] = []

    def meanwhile(message: dict[str, Any], body: bytes = b"") -> Answer:
        if message["do"] == "make" and not written:
            written.append("two")
            write(here, "two")
        return answer(message, body, here.caller)

    here.ask = meanwhile  # type: ignore[method-assign]

    first = move(here, there, PROJECT)
    second = move(here, there, PROJECT)

    assert second.entries > 0
    assert first.seq + second.entries == head(here)[0]
    assert head(there) == head(here)


def test_ids_that_are_another_projects_there_are_not_given_again_and_the_journal_stays_the_same(
    here: Side, there: Side
) -> None:
    there.app.call("create_project", {"id": "other", "name": "other"}, a_caller())
    arguments = {"type": "note", "title": "x", "summary": "x", "body": "x", "project_id": "other"}
    taken = there.app.call("create_record", arguments, a_caller()).model_dump(mode="json")
    write(here, "one")

    move(here, there, PROJECT)
    assert head(there) == head(here), "no entry of its own was added there"
    made = there.app.call(
        "create_record", arguments | {"project_id": PROJECT}, a_caller()
    ).model_dump(mode="json")
    more = there.app.call("create_record", arguments, a_caller()).model_dump(mode="json")

    ids = [one["record"]["id"] for one in (taken, made, more)]
    assert len(set(ids)) == 3
    move(there, here, PROJECT)
    assert head(there) == head(here)


def test_where_people_prove_to_be_people_only_they_add_to_a_project_that_is_there(
    here: Side, there: Side
) -> None:
    write(here, "one")
    move(here, there, PROJECT)
    stamp = Stamp(Actor("human", "ada", "admin"), AT)
    people.set_secret(there.app.store, "a secret of theirs", stamp)
    write(here, "two")
    before = head(there)

    with pytest.raises(PermissionDenied) as refused:
        move(here, there, PROJECT)

    assert refused.value.details["needs"] == "secret"
    assert head(there) == before
    there.caller = Caller(Actor("human", "ada", "admin"), secret="a secret of theirs")
    assert move(here, there, PROJECT).entries > 0


def test_who_is_no_admin_or_does_not_see_the_project_hears_nothing(here: Side, there: Side) -> None:
    write(there, "one")
    there.exchange.is_own = False
    agent = Caller(Actor("agent", "a", "agent"))
    blind = Caller(Actor("human", "b", "admin"), projects=["other"])

    for caller in (agent, blind):
        there.caller = caller
        with pytest.raises(PermissionDenied):
            move(there, here, PROJECT)
    assert head(here)[0] == 0


def made(one: Side, folder: Path, change: Callable[[bytes], bytes] = lambda data: data) -> Path:
    path = folder / "part"
    digests = parts.named_between(one.app.store, PROJECT, 0, head(one)[0])
    parts.write_part(one.app.store, PROJECT, path, (0, head(one)[0]), digests)
    path.write_bytes(change(path.read_bytes()))
    return path


def test_a_part_that_was_altered_or_cut_is_refused_before_anything_is_written(
    here: Side, there: Side, tmp_path: Path
) -> None:
    write(here, "one")
    stamp = Stamp(Actor("human", "ada", "admin"), AT)
    for change in (
        lambda data: data[:-20],
        lambda data: data[: len(data) // 2] + b"\xff" + data[len(data) // 2 + 1 :],
    ):
        path = made(here, tmp_path, change)
        with pytest.raises(BundleDamaged):
            parts.take_part(there.app.store, path, stamp)
        path.unlink()
    assert there.app.store.engine.heads().keys() <= {"@catalog"}


def test_a_part_that_leaves_out_a_blob_is_refused(here: Side, there: Side, tmp_path: Path) -> None:
    write(here, "one")
    path = tmp_path / "part"
    parts.write_part(here.app.store, PROJECT, path, (0, head(here)[0]), [])

    with pytest.raises(BundleDamaged):
        parts.take_part(there.app.store, path, Stamp(Actor("human", "ada", "admin"), AT))


def test_a_part_is_no_bundle_to_import(here: Side, there: Side, tmp_path: Path) -> None:
    write(here, "one")
    path = made(here, tmp_path)

    with pytest.raises(BundleDamaged):
        import_project(there.app.store, path, Stamp(Actor("human", "ada", "admin"), AT))


def test_a_part_on_its_way_is_of_who_began_it_and_is_given_up_in_time(
    there: Side, tmp_path: Path
) -> None:
    now = [0.0]
    there.exchange.timer = lambda: now[0]
    way = there.ask({"do": "open", "project": PROJECT})[0]["way"]
    there.ask({"do": "put", "project": PROJECT, "way": way, "offset": 0}, b"x")
    [path] = (tmp_path / "ways-there").iterdir()

    there.caller = Caller(Actor("human", "eve", "admin"))
    with pytest.raises(InvalidInput):
        there.ask({"do": "put", "project": PROJECT, "way": way, "offset": 1}, b"x")
    now[0] = peer_store.LEFT_S + 1
    there.ask({"do": "open", "project": PROJECT})

    assert not path.exists()


def test_a_message_that_is_none_is_refused(there: Side) -> None:
    for message in (
        {},
        {"do": "look"},
        {"do": "fly", "project": "x"},
        {"do": "look", "project": 1},
    ):
        with pytest.raises(InvalidInput):
            there.exchange.answer(message, b"", there.caller)
