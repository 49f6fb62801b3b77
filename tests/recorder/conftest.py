"""A workspace with an outside, walked by the kernel and by component."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hansard.recorder.workspace import linux
from hansard.recorder.workspace.files import Workspace
from tests.recorder.ground import OLD, OWNER, Ground

WALKS = [pytest.param(True, id="openat2"), pytest.param(False, id="by-component")]


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    ground = Ground(tmp_path)
    yield ground
    ground.clear()


@pytest.fixture(params=WALKS)
def workspace(request: pytest.FixtureRequest, ground: Ground) -> Iterator[Workspace]:
    """The same promises, whichever way paths are walked."""
    with Workspace(ground.root, owner=OWNER, use_openat2=request.param) as workspace:
        yield workspace


@pytest.fixture
def file(ground: Ground) -> Path:
    """A file with the old text, at f."""
    path = ground.root / "f"
    path.write_bytes(OLD)
    return path


@pytest.fixture
def intrude(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Do something just before each of the next renames, after the last look."""

    def intruding(*intrusions: Callable[[], object]) -> None:
        real, pending = linux.renameat2, list(intrusions)

        def renameat2(*arguments: object) -> None:
            if pending:
                pending.pop(0)()
            real(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(linux, "renameat2", renameat2)

    return intruding
