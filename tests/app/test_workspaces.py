"""A workspace is known again by what it is: real repositories, cloned, moved and cut short."""

import os
from pathlib import Path

import pytest

from hansard.app import workspaces
from hansard.app.repositories import plain_url
from hansard.app.workspaces import FILE, look
from hansard.kernel.problem import InvalidInput
from hansard.sessions.naming import free_name, is_project_id, project_slug
from tests.app.repositories import clone, commit, git, repository


def test_clones_of_one_repository_are_one_workspace_wherever_they_lie(tmp_path: Path) -> None:
    first = repository(tmp_path / "a" / "app", commits=3)
    second = clone(first, tmp_path / "b" / "renamed")
    commit(second, "only here")

    assert look(first).identity() == look(second).identity()
    assert look(first).identity() == "git:" + git(first, "rev-list", "--max-parents=0", "HEAD")
    assert (look(first).name, look(second).name) == ("app", "renamed")


def test_repositories_of_the_same_name_are_two_workspaces(tmp_path: Path) -> None:
    one, other = repository(tmp_path / "a" / "app"), repository(tmp_path / "b" / "app")

    assert look(one).name == look(other).name == "app"
    assert not set(look(one).marks()) & set(look(other).marks())


def test_a_subfolder_and_a_linked_working_tree_are_the_same_repository(tmp_path: Path) -> None:
    top = repository(tmp_path / "app")
    (top / "src" / "deep").mkdir(parents=True)
    git(top, "worktree", "add", "--quiet", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere" / "src").mkdir()

    below, beside = look(top / "src" / "deep"), look(tmp_path / "elsewhere" / "src")

    assert look(top).marks() == below.marks() == beside.marks()
    assert below.name == beside.name == "app"
    assert (look(top).within, below.within, beside.within) == ("", "src/deep", "src")


def test_working_trees_of_a_bare_repository_are_named_after_it(tmp_path: Path) -> None:
    source = repository(tmp_path / "source")
    clone(source, tmp_path / "shop.git", "--bare")
    git(tmp_path / "shop.git", "worktree", "add", "--quiet", str(tmp_path / "tree"), "main")
    clone(source, tmp_path / "inn" / ".bare", "--bare")
    git(tmp_path / "inn" / ".bare", "worktree", "add", "--quiet", str(tmp_path / "inn" / "main"))

    assert look(tmp_path / "tree").name == "shop"
    assert look(tmp_path / "inn" / "main").name == "inn"


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    part, whole = repository(tmp_path / "part"), repository(tmp_path / "whole")
    git(whole, "-c", "protocol.file.allow=always", "submodule", "add", part.as_uri(), "inner")

    assert look(whole / "inner").identity() == look(part).identity()
    assert look(whole / "inner").name == "inner"


def test_another_branch_checked_out_is_no_other_workspace(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app")
    before = look(folder).identity()

    git(folder, "checkout", "--quiet", "--orphan", "pages")
    commit(folder, "a history of its own")

    assert look(folder).identity() == before


def test_what_was_merged_in_is_not_what_it_began_with(tmp_path: Path) -> None:
    part, whole = repository(tmp_path / "part"), repository(tmp_path / "whole")
    before = look(whole).identity()
    git(whole, "fetch", "--quiet", part.as_uri(), "main")
    git(whole, "merge", "--quiet", "--allow-unrelated-histories", "-m", "Take it in", "FETCH_HEAD")

    assert look(whole).identity() == before != look(part).identity()


@pytest.mark.parametrize("packed", [False, True])
def test_a_remembered_first_commit_is_taken_without_a_walk_if_it_is_there(
    tmp_path: Path, packed: bool
) -> None:
    folder, other = repository(tmp_path / "app", commits=9), repository(tmp_path / "other")
    if packed:
        git(folder, "gc", "--quiet")
    mark = look(folder).identity()
    others = look(other).identity()

    assert look(folder).identity(remembered=others) == mark
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/none")
    git(folder, "update-ref", "-d", "refs/heads/main")
    assert look(folder).identity() == look(folder).place
    assert look(folder).identity(remembered=mark) == mark


def test_references_may_be_packed(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app", commits=2)
    before = look(folder).identity()

    git(folder, "gc", "--quiet")
    git(folder, "pack-refs", "--all")

    assert look(folder).identity() == before


def test_without_commits_it_is_known_by_its_place(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app", commits=0)

    before = look(folder).marks()
    commit(folder)
    after = look(folder).marks()

    assert before == [look(folder).place]
    assert (len(after), after[-1]) == (2, before[0])


def test_a_shallow_clone_is_known_by_where_it_came_from(tmp_path: Path) -> None:
    source = repository(tmp_path / "source", commits=3)
    whole = clone(source, tmp_path / "whole")
    shallow = clone(source, tmp_path / "shallow", "--depth=1")

    assert look(shallow).identity().startswith("origin:")
    assert look(shallow).identity() in look(whole).marks()


def test_addresses_of_one_repository_are_one() -> None:
    ways = {
        "https://github.com/acme/shop",
        "https://github.com/acme/shop.git",
        "https://user:secret@github.com/Acme/Shop.git/",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com:22/acme/shop",
    }

    assert {plain_url(way) for way in ways} == {"github.com/acme/shop"}
    assert plain_url("/srv/git/shop.git") == "/srv/git/shop"


def test_a_plain_folder_has_a_place_and_no_name(tmp_path: Path) -> None:
    assert look(tmp_path).name is None
    assert look(tmp_path).marks() == [look(tmp_path).place]
    assert look(tmp_path).place != look(tmp_path.parent).place


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_repository_that_someone_else_put_above_does_not_count(tmp_path: Path) -> None:
    repository(tmp_path / "shared")
    below = tmp_path / "shared" / "mine"
    below.mkdir()
    assert look(below).name == "shared"

    os.chown(tmp_path / "shared" / ".git", 12345, 12345)

    assert look(below).name is None
    assert look(tmp_path / "shared").name == "shared"


@pytest.mark.parametrize("content", [b"", b"gitdir: /nowhere", b"\xff\xfe", b"gitdir:"])
def test_what_only_looks_like_a_repository_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)

    assert look(tmp_path).repository is None


@pytest.mark.parametrize("head", ["", "ref: refs/heads/.invalid", "ref: ref: x", "f" * 40, "zzz"])
def test_a_repository_that_cannot_be_read_is_known_by_its_place(tmp_path: Path, head: str) -> None:
    folder = repository(tmp_path / "app", commits=0)
    (folder / ".git" / "HEAD").write_text(head)

    assert look(folder).marks() == [look(folder).place]


def test_the_nearest_file_names_the_project_up_to_the_repositorys_top(tmp_path: Path) -> None:
    top = repository(tmp_path / "app")
    (top / "part" / "deep").mkdir(parents=True)
    (tmp_path / FILE).write_text('project = "outside"')
    assert look(top / "part").project is None

    (top / FILE).write_text('project = "whole"')
    assert look(top / "part" / "deep").project == "whole"
    (top / "part" / FILE).write_text('project = "part"')
    assert look(top / "part" / "deep").project == "part"


def test_without_a_repository_only_the_workspaces_own_file_counts(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('project = "shop"')
    (tmp_path / "below").mkdir()

    assert look(tmp_path).project == "shop"
    assert look(tmp_path / "below").project is None


@pytest.mark.parametrize(
    "content",
    [
        b"project = ",
        b"project = 7",
        b'project = "a b"',
        b'project = ""',
        b'project = "@catalog"',
        b'projekt = "shop"',
        b'project = "shop"\nstore = "/x"',
        b"\xff",
        b"#" * (workspaces.FILE_BYTES_MAX + 1),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)

    with pytest.raises(InvalidInput) as refused:
        look(tmp_path)

    assert str(tmp_path) not in refused.value.message


def test_a_file_that_would_never_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE)

    assert look(tmp_path).project is None


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("app", "app"),
        ("My App!", "my-app"),
        ("Ünï_cödé", "uni_code"),
        ("日本語", "project"),
        (".dotfiles", "dotfiles"),
        ("x" * 300, "x" * 40),
        ("default", "repository-default"),
        ("default-anna", "repository-default-anna"),
    ],
)
def test_a_name_is_made_of_any_folders_name(folder: str, name: str) -> None:
    assert project_slug(folder) == name
    assert is_project_id(name)


def test_a_name_that_is_taken_is_made_distinct() -> None:
    assert free_name("app", {"other"}.__contains__) == "app"
    assert free_name("app", {"app", "app-2"}.__contains__) == "app-3"
