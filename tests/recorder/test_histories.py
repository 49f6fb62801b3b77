"""History follows the file: through moves of ours and of others, under all its names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.kernel.event import Event
from hansard.kernel.operation import Caller
from hansard.recorder import watching
from hansard.recorder.events import ExternalChangeSeen, FileFound, FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.problems import FileNotFound
from hansard.recorder.renames import FEW_BYTES, paired, unmistakable
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import batch, create, edit, evolution, op, restore, sha256, story

See = Callable[..., Any]


def shown(app: Application, caller: Caller, path: str) -> list[tuple[int, str, str]]:
    """Give revision, action and name of all that a file has been, oldest first."""
    answer = evolution(app, caller, path=path, limit=1000)
    revisions = (answer.revisions or [])[::-1]
    return [(one.revision, one.action, one.path or answer.path or "") for one in revisions]


def head(app: Application) -> str:
    return f"s:{app.store.read(app.default_project, lambda tx: tx.head().seq)}"


@pytest.fixture
def see(open_app: OpenApp, agent: Caller, files: Path) -> See:
    """See files as `hansard watch` does, in a process of its own."""
    watcher = open_app(also=[watching.capability(Gateway(files, store=None, redact=True))])

    def look(*paths: str, new: tuple[str, ...] = ()) -> Any:
        return watcher.call("see_files", {"paths": list(paths), "new": list(new)}, agent)

    return look


@pytest.mark.holds("FIL-history-1")
def test_a_moved_file_keeps_its_revisions(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    edit(app, agent, "a", "2\n")
    moved = op(app, agent, "move", "a", to="b")
    edited = edit(app, agent, "b", "3\n")

    assert (moved.revision, edited.revision) == (3, 4)
    assert shown(app, agent, "b") == [
        (1, "create", "a"), (2, "edit", "a"), (3, "move", "b"), (4, "edit", "b"),
    ]  # fmt: skip
    assert evolution(app, agent, path="b", revision=1).content == "1\n"
    diff = evolution(app, agent, path="b", **{"from": 1, "to": 4}).diff or ""
    assert "-1\n+3\n" in diff


@pytest.mark.holds("FIL-history-1")
def test_a_revision_that_only_renames_changes_no_line(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    op(app, agent, "move", "a", to="b")

    answer = evolution(app, agent, path="b", to=2)

    moved = (answer.revisions or [])[-1]
    assert (answer.diff, moved.added, moved.removed, moved.other) == ("", 0, 0, "a")


@pytest.mark.holds("FIL-history-2")
def test_the_old_name_leads_to_the_file(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    for source, target in ("ab", "bc", "cd"):
        op(app, agent, "move", source, to=target)

    for name in "abc":
        answer = evolution(app, agent, path=name)
        assert (answer.path, answer.asked_as, answer.total) == ("d", name, 4)
    assert "asked as a" in evolution(app, agent, path="a").text()


def test_a_file_that_comes_back_to_its_name_has_one_history(
    app: Application, agent: Caller
) -> None:
    create(app, agent, "a", "1\n")
    op(app, agent, "move", "a", to="b")
    op(app, agent, "move", "b", to="a")
    edit(app, agent, "a", "2\n")

    assert shown(app, agent, "a") == [
        (1, "create", "a"), (2, "move", "b"), (3, "move", "a"), (4, "edit", "a"),
    ]  # fmt: skip
    assert evolution(app, agent, path="a").earlier is None
    assert evolution(app, agent, path="b").path == "a"


@pytest.mark.holds("FIL-history-3")
def test_a_new_file_at_an_old_name_begins_anew(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    op(app, agent, "move", "a", to="b")
    created = create(app, agent, "a", "new\n")

    assert created.revision == 1
    assert shown(app, agent, "a") == [(1, "create", "a")]
    assert shown(app, agent, "b") == [(1, "create", "a"), (2, "move", "b")]
    earlier = evolution(app, agent, path="a").earlier
    assert evolution(app, agent, path="a", as_of=earlier).path == "b"


def test_a_file_that_is_moved_to_where_another_was_brings_its_history(
    app: Application, agent: Caller
) -> None:
    create(app, agent, "a", "1\n")
    create(app, agent, "b", "other\n")
    edit(app, agent, "b", "another\n")
    op(app, agent, "delete", "b")
    before = head(app)
    op(app, agent, "move", "a", to="b")

    assert shown(app, agent, "b") == [(1, "create", "a"), (2, "move", "b")]
    earlier = evolution(app, agent, path="b").earlier
    assert earlier == before
    then = evolution(app, agent, path="b", as_of=earlier)
    assert [one.action for one in then.revisions or ()] == ["delete", "edit", "create"]


def test_a_deleted_file_that_is_made_again_goes_on(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    op(app, agent, "delete", "a")
    create(app, agent, "a", "2\n")

    assert [action for _, action, _ in shown(app, agent, "a")] == ["create", "delete", "create"]


def test_the_past_knows_the_names_of_then(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    before = head(app)
    op(app, agent, "move", "a", to="b")
    between = head(app)
    op(app, agent, "move", "b", to="c")

    assert evolution(app, agent, path="a", as_of=before).path == "a"
    then = evolution(app, agent, path="a", as_of=between)
    assert (then.path, then.total) == ("b", 2)
    assert [one.path for one in evolution(app, agent, as_of=before).files or ()] == ["a"]
    assert [one.path for one in evolution(app, agent, as_of=between).files or ()] == ["b"]
    with pytest.raises(FileNotFound):
        evolution(app, agent, path="c", as_of=between)


def test_a_moved_file_is_listed_once_under_the_name_it_has(app: Application, agent: Caller) -> None:
    create(app, agent, "a", "1\n")
    op(app, a_caller(), "move", "a", to="b")

    for caller in (agent, a_caller(seat=False)):
        listed = evolution(app, caller)
        assert [(one.path, one.revisions) for one in listed.files or ()] == [("b", 2)]
        assert listed.total == 1


def test_what_a_restore_brings_back_to_an_old_name_goes_on_from_there(
    app: Application, agent: Caller
) -> None:
    create(app, agent, "a", "1\n")
    edit(app, agent, "a", "2\n")
    point = head(app)
    op(app, agent, "move", "a", to="b")
    edit(app, agent, "b", "3\n")

    restore(app, agent, point=point, to="after")

    assert shown(app, agent, "a") == [(1, "create", "a"), (2, "edit", "a"), (3, "create", "a")]
    assert [action for _, action, _ in shown(app, agent, "b")] == [
        "create", "edit", "move", "edit", "delete",
    ]  # fmt: skip
    assert evolution(app, agent, path="a", revision=2).content == "2\n"
    assert story(app, agent).totals["undone"] == 2


def test_a_batch_of_moves_keeps_each_history(app: Application, agent: Caller) -> None:
    for path in "ab":
        create(app, agent, path, f"{path}\n")
    batch(
        app, agent,
        {"path": "a", "action": "move", "to": "x/a"},
        {"path": "b", "action": "move", "to": "x/b"},
    )  # fmt: skip

    for path in "ab":
        assert shown(app, agent, f"x/{path}")[0] == (1, "create", path)


# Moves that others made.


@pytest.mark.holds("FIL-history-4")
def test_a_file_that_someone_moved_is_followed_by_content(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, "a", "1\n2\n")
    (files / "src").mkdir()
    (files / "a").rename(files / "src" / "b")

    edit(app, agent, "src/b", "1\n2\n3\n")

    assert shown(app, agent, "src/b") == [
        (1, "create", "a"),
        (2, "move", "src/b"),
        (3, "edit", "src/b"),
    ]
    [moved] = [one for one in evolution(app, agent, path="a").revisions or () if one.revision == 2]
    assert (moved.source, moved.actor, moved.other) == ("external", "outside", "a")
    assert "- From outside: `src/b` (moved from `a`): moved" in story(app, agent).text()


@pytest.mark.holds("FIL-history-4")
def test_a_copy_is_no_move(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a", "1\n")
    (files / "b").write_text("1\n")

    edit(app, agent, "b", "2\n")

    assert [action for _, action, _ in shown(app, agent, "b")] == ["create", "edit"]
    assert shown(app, agent, "a") == [(1, "create", "a")]


def test_a_file_saved_over_another_stays_that_file(
    app: Application, agent: Caller, files: Path, see: See
) -> None:
    """Editors write beside the file and rename: the file that was there goes on."""
    create(app, agent, "a", "1\n")
    (files / "tmp").write_text("2\n")
    see("tmp", new=("tmp",))
    (files / "tmp").rename(files / "a")
    see("a", "tmp")

    assert [action for _, action, _ in shown(app, agent, "a")] == ["create", "edit"]
    assert [action for _, action, _ in shown(app, agent, "tmp")] == ["create", "delete"]


def test_an_empty_file_came_from_nowhere(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a/__init__.py", "")
    (files / "b").mkdir()
    (files / "a" / "__init__.py").rename(files / "b" / "__init__.py")

    edit(app, agent, "b/__init__.py", "x\n")

    assert shown(app, agent, "b/__init__.py")[0][1:] == ("create", "b/__init__.py")


@pytest.mark.holds("FIL-history-4")
def test_a_move_seen_as_it_happens_is_told_as_one(
    app: Application, agent: Caller, files: Path, see: See
) -> None:
    create(app, agent, "a", "1\n")
    (files / "a").rename(files / "b")

    seen = see("a", "b", new=("b",))

    assert [(one.path, one.what) for one in seen.files] == [("b", "moved")]
    assert shown(app, agent, "a") == [(1, "create", "a"), (2, "move", "b")]
    assert story(app, agent).totals["external"] == 1


def test_a_renamed_folder_moves_each_of_its_files(
    app: Application, agent: Caller, files: Path, see: See
) -> None:
    names = ["one/x", "two/x", "two/y"]
    for name in names:
        create(app, agent, f"old/{name}", "the same\n")
    (files / "old").rename(files / "new")

    see(*(f"old/{name}" for name in names), *(f"new/{name}" for name in names))

    for name in names:
        assert shown(app, agent, f"old/{name}") == [
            (1, "create", f"old/{name}"), (2, "move", f"new/{name}"),
        ]  # fmt: skip


def test_a_move_met_by_its_new_name_alone_is_found_when_watching(
    app: Application, agent: Caller, files: Path, see: See
) -> None:
    create(app, agent, "a", "1\n")
    (files / "a").rename(files / "b")

    assert [one.what for one in see("b", new=("b",)).files] == ["moved"]
    assert see("a").files == []


def test_a_file_with_a_secret_is_followed_too(app: Application, agent: Caller, files: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    create(app, agent, "a", f"token = '{token}'\n")
    (files / "a").rename(files / "b")

    op(app, agent, "delete", "b")

    assert [action for _, action, _ in shown(app, agent, "b")] == ["create", "move", "delete"]


def test_a_move_of_a_file_that_is_busy_is_left_alone(
    open_app: OpenApp, agent: Caller, files: Path
) -> None:
    app = open_app()
    create(app, agent, "a", "1\n")
    (files / "a").rename(files / "b")
    gateway = Gateway(files, store=None, redact=True)
    lock = gateway.lock_if_free(app.store.engine, gateway.file(gateway.plain("a")))
    assert lock is not None

    with lock:
        edit(app, agent, "b", "2\n")

    assert [action for _, action, _ in shown(app, agent, "b")] == ["create", "edit"]


def test_histories_told_again_are_the_same(app: Application, agent: Caller, files: Path) -> None:
    create(app, agent, "a", "1\n")
    op(app, agent, "move", "a", to="b")
    create(app, agent, "a", "2\n")
    (files / "b").rename(files / "c")
    edit(app, agent, "c", "3\n")
    restore(app, agent)
    before = [evolution(app, agent, path=path).model_dump() for path in "abc"]

    app.store.rebuild(app.default_project)

    assert [evolution(app, agent, path=path).model_dump() for path in "abc"] == before


# The rules.


def ref(text: str) -> FileRef:
    return FileRef(blob=sha256(text), size=len(text))  # type: ignore[arg-type]


def gone(path: str, text: str) -> ExternalChangeSeen:
    return ExternalChangeSeen(
        workspace="w", path=path, before=ref(text), after=None,
        added=0, removed=1, revision=None, step=None,
    )  # fmt: skip


def found(path: str, text: str) -> FileFound:
    return FileFound(workspace="w", path=path, content=ref(text))


def moves(events: list[Event]) -> dict[str, str]:
    return {
        event.moved_from: event.path
        for event in paired(events)
        if isinstance(event, ExternalChangeSeen) and event.moved_from
    }


def test_the_likest_name_is_the_one_that_was_moved() -> None:
    seen = [gone("src/a.py", "x"), found("lib/b.py", "x"), found("lib/a.py", "x")]

    assert moves([*seen]) == {"src/a.py": "lib/a.py"}
    assert len(paired(seen)) == 3


def test_the_side_that_is_left_is_told_first() -> None:
    left, came = paired([found("b", "x"), gone("a", "x")])

    assert isinstance(left, ExternalChangeSeen)
    assert isinstance(came, ExternalChangeSeen)
    assert (left.path, left.moved_to) == (came.moved_from, came.path) == ("a", "b")


MUCH = b"x" * (FEW_BYTES + 1)


@pytest.mark.parametrize(
    ("gone", "came", "moves"),
    [
        ({"a": MUCH}, {"b": MUCH}, {"a": "b"}),
        ({"a": MUCH[1:]}, {"b": MUCH[1:]}, {}),
        ({"a": b"x"}, {"d/a": b"x"}, {"a": "d/a"}),
        ({"a": b"x"}, {"d/a": b"y"}, {}),
        ({"a": MUCH}, {"b": MUCH, "c": MUCH}, {}),
        ({"a": MUCH, "b": MUCH}, {"c": MUCH}, {}),
        ({"a": MUCH}, {"b": MUCH, "d/a": MUCH}, {"a": "d/a"}),
        ({"a": MUCH}, {"d/a": MUCH, "e/a": MUCH}, {}),
        ({"d/a": MUCH, "e/a": MUCH}, {"a": MUCH}, {}),
        ({"d/a": MUCH, "e/a": MUCH}, {"x/d/a": MUCH}, {"d/a": "x/d/a"}),
    ],
)
def test_only_a_move_that_nothing_else_can_be_is_told_of_what_a_command_did(
    gone: dict[str, bytes], came: dict[str, bytes], moves: dict[str, str]
) -> None:
    assert unmistakable(gone, came) == moves


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("xyz"), max_size=6),
    st.dictionaries(st.sampled_from("ghijkl"), st.sampled_from("xyz"), max_size=6),
)
def test_pairing_loses_no_file_and_pairs_none_twice(
    left: dict[str, str], came: dict[str, str]
) -> None:
    seen: list[Event] = [
        *(gone(*one) for one in left.items()),
        *(found(*one) for one in came.items()),
    ]

    made = moves(seen)

    assert sorted(getattr(one, "path", "") for one in paired(seen)) == sorted([*left, *came])
    assert len(set(made.values())) == len(made)
    assert all(left[source] == came[target] for source, target in made.items())
    # As many as can be: of each content the smaller number of both sides.
    texts = "xyz"
    most = sum(min(list(left.values()).count(one), list(came.values()).count(one)) for one in texts)
    assert len(made) == most
