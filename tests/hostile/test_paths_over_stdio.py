"""The corpus of hostile paths through `file_op` of a real server: codes right, nobody gets out."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.hostile.serving import HansardServer, code_of, findings
from tests.recorder.ground import CANARY, Ground, fingerprints
from tests.recorder.swapper import swapping
from tests.recorder.test_hostile_paths import CASES, RACES, REFUSED_IN_A_RACE, STILL, expected

CONTENT = "written by the agent\n"
ROUNDS = 30

NEIGHBOURS = {
    "d/../f": "PATH_OUTSIDE_WORKSPACE",
    "....//canary": "PATH_INVALID",
    "file:///etc/passwd": "PATH_OUTSIDE_WORKSPACE",
    "/proc/self/root/etc/passwd": "PATH_OUTSIDE_WORKSPACE",
    "/dev/stdin": "PATH_OUTSIDE_WORKSPACE",
    "//{OUT}/canary": "PATH_OUTSIDE_WORKSPACE",
    "{ROOT}x/canary": "PATH_OUTSIDE_WORKSPACE",
    "{ROOT}/../{SIBNAME}/canary": "PATH_OUTSIDE_WORKSPACE",
    ".Git/config": "PATH_PROTECTED",
    ".git\u200b/config": "PATH_INVALID",
    "sub/.GIT/hooks/post-commit": "PATH_PROTECTED",
    ".mcp.JSON": "PATH_PROTECTED",
    ".claude/settings.local.json": "PATH_PROTECTED",
    "aux.txt": "PATH_INVALID",
    "a/b\ud800": "INVALID_INPUT",
    "a/b\0": "PATH_INVALID",
    "x" * 5_000: "PATH_INVALID",
    "a/" * 100 + "b": "PATH_INVALID",
    "%2e%2e/canary": None,
    "~/.ssh/authorized_keys": None,
    "$HOME/x": None,
    "-rf": None,
}
"""Paths of our own, by what must come of creating them; `None` is a file inside."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HansardServer, Ground]]:
    """A server whose workspace has an outside that is looked at after every attempt."""
    ground = Ground(tmp_path_factory.mktemp("ground"))
    store = str(tmp_path_factory.mktemp("elsewhere") / "store")
    with HansardServer(ground.folder, store=store) as server:
        yield server, ground


@pytest.fixture
def server(scene: tuple[HansardServer, Ground]) -> HansardServer:
    return scene[0]


@pytest.fixture
def ground(scene: tuple[HansardServer, Ground]) -> Iterator[Ground]:
    """The same workspace, emptied of what the case before left in it."""
    ground = scene[1]
    yield ground
    ground.clear()
    for left in ground.root.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink()


def over_the_wire(case: dict[str, Any]) -> str | None:
    """Give the code to expect; half a character is no text, so no tool is even asked."""
    is_text = not any("\ud800" <= char <= "\udfff" for char in case["path"])
    return expected(case) if is_text else "INVALID_INPUT"


def attempt(server: HansardServer, action: str, path: str) -> str | None:
    """Do what a case asks, as an agent would; gives the code of the refusal."""
    content = {} if action == "delete" else {"content": CONTENT}
    answer = server.asked("file_op", action=action, path=path, **content)
    told = json.dumps(answer)
    assert CANARY.strip() not in told
    assert str(server.store) not in told
    return code_of(answer)


@pytest.mark.holds("FIL-path-1", "FIL-path-4", "FIL-path-10", "FIL-path-15", "FIL-path-18")
@pytest.mark.parametrize("case", STILL, ids=lambda case: case["id"])
def test_every_verdict_of_the_corpus_is_right_over_the_wire(
    server: HansardServer, ground: Ground, case: dict[str, Any]
) -> None:
    ground.set_up(case["setup"])
    around, inside = ground.around(), fingerprints(ground.root)

    code = attempt(server, case["action"], ground.fill(case["path"]))

    assert code == over_the_wire(case), case["why"]
    assert ground.around() == around
    assert ground.leftovers() == []
    if code is not None:
        assert fingerprints(ground.root) == inside


@pytest.mark.parametrize("path", NEIGHBOURS, ids=lambda path: repr(path)[:40])
@pytest.mark.parametrize("action", ["create", "move"])
def test_neighbours_of_the_corpus_are_judged_by_the_same_rule(
    server: HansardServer, ground: Ground, action: str, path: str
) -> None:
    around = ground.around()
    (ground.root / "here.txt").write_text("inside\n")

    if action == "move":
        answer = server.asked("file_op", action="move", path="here.txt", to=ground.fill(path))
        code = code_of(answer)
    else:
        code = attempt(server, action, ground.fill(path))

    assert code == NEIGHBOURS[path]
    assert ground.around() == around
    assert (ground.root / "here.txt").exists() == (action == "create" or code is not None)


@pytest.mark.parametrize("case", STILL, ids=lambda case: case["id"])
def test_nothing_outside_is_read_by_a_path_of_the_corpus(
    server: HansardServer, ground: Ground, case: dict[str, Any]
) -> None:
    ground.set_up(case["setup"])

    answer = server.asked("file_read", path=ground.fill(case["path"]))

    assert CANARY.strip() not in json.dumps(answer)
    if str(expected(case)).startswith("PATH_") and expected(case) != "PATH_PROTECTED":
        assert code_of(answer) is not None


@pytest.mark.holds("FIL-path-12")
@pytest.mark.parametrize("case", RACES, ids=lambda case: case["id"])
def test_a_race_over_the_wire_ends_in_a_refusal_or_inside(
    server: HansardServer, ground: Ground, case: dict[str, Any]
) -> None:
    ground.set_up(case["setup"])
    [(_, name, kind)] = [step for step in case["setup"] if step[0] == "race"]
    trap = ground.root / "trap"
    trap.symlink_to(ground.fill(kind.partition("symlink ")[2]))
    around = ground.around()

    with swapping(ground.root / name, trap):
        path = ground.fill(case["path"])
        codes = {attempt(server, case["action"], path) for _ in range(ROUNDS)}

    assert codes <= {None, *REFUSED_IN_A_RACE}
    assert ground.around() == around


def test_a_batch_with_one_hostile_path_leaves_nothing_outside(
    server: HansardServer, ground: Ground
) -> None:
    around = ground.around()
    ops = [
        {"action": "create", "path": path, "content": CONTENT}
        for path in ("fine.txt", "../canary", ".git/config")
    ]

    server.asked("file_op", ops=ops)

    assert ground.around() == around
    assert not (ground.root / ".git").exists()


def test_the_corpus_is_whole_and_the_store_sound_after_it(
    server: HansardServer, ground: Ground
) -> None:
    for case in STILL[:3]:
        attempt(server, case["action"], ground.fill(case["path"]))

    assert len(CASES) == len(STILL) + len(RACES) == 67
    assert findings(server.store) == []
