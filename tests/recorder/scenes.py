"""What a child process does to its workspace while it is traced, killed or refused."""

from collections.abc import Callable

from hansard.kernel.blob import digest_of
from hansard.kernel.problem import Problem
from hansard.recorder.workspace.files import Workspace
from tests.crash.stage import Stage
from tests.recorder.ground import NEW, OLD, OWNER, at

WORKSPACE = "ws"


def create(stage: Stage) -> None:
    """Make a file in a folder that is not there."""
    play(stage, lambda ws: ws.replace(at("d/new"), NEW, expect=None, make_parents=True))


def edit(stage: Stage) -> None:
    """Change a file."""
    play(stage, lambda ws: ws.replace(at("f"), NEW, expect=digest_of(OLD)))


def delete(stage: Stage) -> None:
    """Remove a file."""
    play(stage, lambda ws: ws.delete(at("f"), expect=digest_of(OLD)))


def move(stage: Stage) -> None:
    """Move a file to a folder that is not there."""
    play(stage, lambda ws: ws.move(at("f"), at("d/new"), expect=digest_of(OLD), make_parents=True))


def play(stage: Stage, deed: Callable[[Workspace], object]) -> None:
    """Stop before the deed, tell how it ended, and whether more would be taken."""
    with Workspace(stage.folder / WORKSPACE, owner=OWNER) as workspace:
        stage.gate("deed")
        outcome = _ending(lambda: deed(workspace))
        stage.gate("after")
        more = _ending(lambda: workspace.replace(at("more"), NEW, expect=None))
        stage.tell(deed=outcome, more=more)
        stage.gate("end")


def _ending(deed: Callable[[], object]) -> list[str]:
    try:
        deed()
    except Problem as problem:
        return [problem.code, str(problem.details.get("outcome"))]
    return ["done"]
