"""Drills of changes to the workspace alone: a file is as it was, or as it shall be."""

from functools import partial
from pathlib import Path

from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.temporaries import PREFIX
from tests.crash.harness import Aftermath
from tests.crash.stage import Scene
from tests.crash.sweep import Drill
from tests.recorder import scenes
from tests.recorder.ground import NEW, OLD, OWNER, at

WHOLE: dict[Scene, list[dict[str, bytes]]] = {
    scenes.create: [{}, {"d/new": NEW}],
    scenes.edit: [{"f": OLD}, {"f": NEW}],
    scenes.delete: [{"f": OLD}, {}],
    scenes.move: [{"f": OLD}, {"d/new": OLD}],
}
"""What may be found afterwards: the file before, or the file after."""


def prepare(scene: Scene, folder: Path) -> None:
    """Make a workspace, with the old file in it if the scene starts from that."""
    root = folder / scenes.WORKSPACE
    root.mkdir()
    if scene is not scenes.create:
        (root / "f").write_bytes(OLD)


def files(folder: Path) -> dict[str, bytes]:
    """Give the content of every file of the workspace."""
    root = folder / scenes.WORKSPACE
    paths = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def faults(scene: Scene, after: Aftermath) -> list[str]:
    """Clean up as the next start does, and look."""
    root = after.folder / scenes.WORKSPACE
    there = files(after.folder)
    # Where a deed was refused, the scene goes on to write something more.
    there.pop("more", None)
    seen = {name: text for name, text in there.items() if PREFIX not in name}
    with Workspace(root, owner="owner-next") as workspace:
        workspace.clean_temporaries(OWNER.__eq__, [at("f"), at("d/new")])
        left = files(after.folder)
        left.pop("more", None)
        twice = workspace.clean_temporaries(OWNER.__eq__)
    found = [] if seen in WHOLE[scene] else [f"{after.point}: {seen}"]
    return found + ([] if left == seen and not twice else [f"{after.point}: left {left}"])


DRILLS = [
    Drill(
        scene,
        partial(faults, scene),
        ("deed",),
        partial(prepare, scene),
        disks=(scenes.WORKSPACE,),
        name=f"workspace-{scene.__name__}",
        drills="recorder",
    )
    for scene in WHOLE
]
