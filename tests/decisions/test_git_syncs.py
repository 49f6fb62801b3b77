"""In which order a published decision reaches the disk."""

from pathlib import Path

import pytest

from tests.crash.harness import Call, calls_in, needs_strace, playing, traced
from tests.decisions.git_drills import prepare
from tests.decisions.git_scenes import needs_git, publish

pytestmark = [needs_strace, needs_git]


@pytest.mark.holds("DEC-git-4")
def test_objects_are_on_disk_before_the_references_move(tmp_path: Path) -> None:
    prepare(tmp_path, is_published=True)

    with playing(publish, tmp_path) as child:
        child.until("publish")
        with traced(child, "-e", "trace=fsync,syncfs,link,rename") as output:
            child.go_on()
            child.until("close")
        calls = [call for call in calls_in(output) if ".git" in call.text]

    objects, own, branch = places(calls, "/objects/"), places(calls, OWN), places(calls, BRANCH)
    [synced] = [at for at, call in enumerate(calls) if call.name == "syncfs"]
    assert {calls[at].name for at in objects} == {"link"}
    # It would rather make a link, which fails where there is a reference already.
    assert [calls[at].name for at in own] == ["fsync", "link", "rename"]
    assert [calls[at].name for at in branch] == ["fsync", "link", "rename"]
    assert max(objects) < synced < min(own) < max(own) < min(branch)
    assert [call.name for call in calls[-1:]] == ["fsync"]


OWN, BRANCH = "refs/hansard/main", "refs/heads/main"


def places(calls: list[Call], part: str) -> list[int]:
    return [at for at, call in enumerate(calls) if part in call.text]
