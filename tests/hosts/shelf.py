"""The wheel where uv finds it without a network, as if it were published: for what runs `uvx`."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import hansard
from tests.hosts.installing import cache
from tests.shipped.building import UV, build, did


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder with the wheel, and one with uv alone."""

    wheels: Path
    programs: Path

    @property
    def path(self) -> str:
        """What a host has as its path: uv, and no Hansard."""
        own = str(UV.parent)
        others = [one for one in os.environ["PATH"].split(os.pathsep) if one != own]
        return os.pathsep.join([str(self.programs), *others])

    def furnish(self, home: Path) -> None:
        """Have uv look only here, whoever starts it with this home."""
        settings = home / ".config" / "uv" / "uv.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            f"find-links = [{json.dumps(str(self.wheels))}]\n"
            f"cache-dir = {json.dumps(str(cache() / 'uv'))}\n"
            "offline = true\n"
        )


def fill(folder: Path) -> Shelf:
    """Build the wheel, and have uv fetch all that it needs, while there is a network."""
    (wheel,) = build(folder / "wheels")
    programs = folder / "programs"
    programs.mkdir()
    for name in ("uv", "uvx"):
        (programs / name).symlink_to(UV.with_name(name))
    did(
        [UV, "tool", "run", f"hansard@{hansard.__version__}", "--version"],
        cwd=folder,
        UV_FIND_LINKS=str(wheel.parent),
        UV_CACHE_DIR=str(cache() / "uv"),
        UV_COMPILE_BYTECODE="1",
    )
    return Shelf(wheel.parent, programs)
