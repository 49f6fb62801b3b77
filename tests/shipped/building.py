"""Building what is shipped, and environments with nothing else in them."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
LOCK = ROOT / "requirements" / "runtime.txt"


def did(command: Sequence[str | Path], cwd: Path = ROOT, **variables: str) -> str:
    """Run a program that must succeed; gives all that it said."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**_inherited(), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, f"{command} says:\n{done.stdout}"
    return done.stdout


def _inherited() -> dict[str, str]:
    # A test of the wheel must not find the checkout.
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def build(into: Path, source: Path = ROOT, *, targets: Sequence[str] = ("wheel",)) -> list[Path]:
    """Build from a source folder; gives the files in the order asked for."""
    flags = [word for target in targets for word in ("-t", target)]
    did([sys.executable, "-m", "hatchling", "build", "-d", into, *flags], cwd=source)
    endings = {"wheel": "*.whl", "sdist": "*.tar.gz"}
    return [next(into.glob(endings[target])) for target in targets]


def empty_environment(at: Path) -> Path:
    """Make an environment with nothing in it; gives its interpreter."""
    did([UV, "venv", "--quiet", "--python", sys.executable, at], cwd=at.parent)
    return at / "bin" / "python"


def install(python: Path, *what: str | Path) -> None:
    """Install into an environment just what is named."""
    did([UV, "pip", "install", "--quiet", "--python", python, *what], cwd=python.parent)
