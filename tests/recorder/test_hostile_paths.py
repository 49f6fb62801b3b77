"""The corpus of hostile paths: every verdict right, whichever way paths are walked, no escape."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.kernel.problem import Problem
from hansard.recorder.workspace.files import Workspace
from tests.recorder.ground import CANARY, OWNER, Ground, act, fingerprints
from tests.recorder.swapper import swapping

CORPUS = Path(__file__).with_name("cases") / "hostile_paths.json"
CASES: list[dict[str, Any]] = json.loads(CORPUS.read_text(encoding="utf-8"))
RACES = [case for case in CASES if any(step[0] == "race" for step in case["setup"])]
STILL = [case for case in CASES if case not in RACES]

CODES = {
    "ALLOW": None,
    "ALLOW_REDACT": None,  # what is recorded is redacted; the file is written all the same
    "DENY:ESCAPE": "PATH_OUTSIDE_WORKSPACE",
    "DENY:SYMLINK": "PATH_OUTSIDE_WORKSPACE",
    "DENY:NOT_REGULAR": "PATH_NOT_REGULAR",
    "DENY:HARDLINK": "PATH_NOT_REGULAR",
    "DENY:INVALID_PATH": "PATH_INVALID",
    "DENY:PROTECTED": "PATH_PROTECTED",
    "DENY:EXISTS": "FILE_EXISTS",
    "DENY:NOT_FOUND": "FILE_NOT_FOUND",
}
BY_THE_CONTRACT = {"mountbind": "PATH_NOT_REGULAR", "4755": "PATH_NOT_REGULAR"}
"""Where the contract has a code of its own for what the corpus counts to another class."""
REFUSED_IN_A_RACE = {
    "PATH_OUTSIDE_WORKSPACE",
    "PATH_NOT_REGULAR",
    "FILE_CHANGED",
    "FILE_EXISTS",
    "FILE_NOT_FOUND",
}
CONTENT = b"written by the agent\n"


def verdict(workspace: Workspace, ground: Ground, case: dict[str, Any]) -> str | None:
    """Do what a case asks; gives the code of the refusal, `None` if it was done."""
    try:
        path = workspace.resolve(ground.fill(case["path"]), for_agent=True)
        act(workspace, case["action"], path, CONTENT)
    except Problem as problem:
        # What a caller is told can be sent, and names nothing of the server's but what it sent.
        told = json.dumps(problem.as_dict()).encode().decode()
        assert str(ground.root) not in told or "{ROOT}" in case["path"]
        return problem.code
    return None


def expected(case: dict[str, Any]) -> str | None:
    words = [str(word) for step in case["setup"] for word in step]
    named = [code for word, code in BY_THE_CONTRACT.items() if word in words]
    return named[0] if named else CODES[case["expect"]]


@pytest.mark.holds(
    "FIL-path-1",
    "FIL-path-4",
    "FIL-path-5",
    "FIL-path-10",
    "FIL-path-11",
    "FIL-path-15",
    "FIL-path-16",
    "ALL-06.8",
    "FIL-path-18",
    "FIL-path-22",
)
@pytest.mark.parametrize("case", STILL, ids=lambda case: case["id"])
def test_every_verdict_of_the_corpus_is_right(
    workspace: Workspace, ground: Ground, case: dict[str, Any]
) -> None:
    ground.set_up(case["setup"])
    around, inside = ground.around(), fingerprints(ground.root)

    code = verdict(workspace, ground, case)

    assert code == expected(case), case["why"]
    assert ground.around() == around
    assert ground.leftovers() == []
    if code is not None:
        assert fingerprints(ground.root) == inside


@pytest.mark.holds("FIL-path-12")
@pytest.mark.parametrize(
    "rounds", [50, pytest.param(1_000, marks=pytest.mark.slow("races a thousand times"))]
)
@pytest.mark.parametrize("case", RACES, ids=lambda case: case["id"])
def test_a_race_of_the_corpus_ends_in_a_refusal_or_inside(
    workspace: Workspace, ground: Ground, case: dict[str, Any], rounds: int
) -> None:
    ground.set_up(case["setup"])
    [(_, name, kind)] = [step for step in case["setup"] if step[0] == "race"]
    trap = ground.root / "trap"
    trap.symlink_to(ground.fill(kind.partition("symlink ")[2]))
    around = ground.around()

    with swapping(ground.root / name, trap):
        codes = {verdict(workspace, ground, case) for _ in range(rounds)}

    assert codes <= {None, *REFUSED_IN_A_RACE}
    assert ground.around() == around
    assert ground.leftovers() == []


NAMES = st.sampled_from(
    [
        *". .. ... ~ d e f new out up loop in dangling canary .git .GIT GIT~1 .ｇｉｔ ．．".split(
            " "
        ),
        *"a\\b a:b con * $(id) %2e%2e é e\u0301 {ROOT} {OUT} {SIB} {SIBNAME}".split(" "),
        *("", " ", "a ", "a.", "\u200b", "\u202e", "\ud800", "\0", "\n", "x" * 256),
    ]
)


def trapped(folder: Path) -> Ground:
    """Set up a tree in which many ways lead out."""
    ground = Ground(folder)
    ground.set_up(
        [
            ("dir", "d/e"),
            ("file", "d/f", "inside"),
            ("file", "f", "inside"),
            ("symlink", "out", "{OUT}"),
            ("symlink", "d/out", "{OUT}/canary"),
            ("symlink", "d/up", ".."),
            ("symlink", "up", "../.."),
            ("symlink", "loop", "loop"),
            ("symlink", "in", "d"),
            ("symlink", "dangling", "{OUT}/new"),
        ]
    )
    return ground


@settings(max_examples=100, deadline=None)
@given(
    names=st.lists(NAMES, min_size=1, max_size=5),
    slashes=st.sampled_from(["/", "//", "/./"]),
    leads=st.sampled_from(["", "/", "./", "{ROOT}/", "{ROOT}//", "{OUT}/", "file://"]),
    action=st.sampled_from(["create", "edit", "delete"]),
    use_openat2=st.booleans(),
)
def test_no_path_made_of_nasty_names_leads_out(
    names: list[str], slashes: str, leads: str, action: str, use_openat2: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ground = trapped(Path(folder))
        text, around = ground.fill(leads + slashes.join(names)), ground.around()
        with Workspace(ground.root, owner=OWNER, use_openat2=use_openat2) as workspace:
            try:
                path = workspace.resolve(text, for_agent=True)
                before = workspace.read(path)
                act(workspace, action, path, CONTENT)
            except Problem:
                pass
            else:
                place = ground.root.joinpath(*path.components)
                assert place.resolve().is_relative_to(ground.root.resolve())
                assert before is None or before.content != CANARY.encode()
                assert action == "delete" or place.read_bytes() == CONTENT

        assert ground.around() == around
        assert ground.leftovers() == []
