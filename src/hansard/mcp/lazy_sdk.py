"""Loads only those parts of the SDK's packages that are used.

`import mcp.server.lowlevel` first runs the code of `mcp` and `mcp.server`, and that loads the SDK's
client, its other kind of server and what these need: 12 MiB that a server over stdio never uses.
Here the two packages exist at once, and run their code only when a name is asked of them.
"""

import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PACKAGES = frozenset({"mcp", "mcp.server"})

_running: set[tuple[str, int]] = set()
"""Which package is just being run, by which thread."""


def load_only_what_is_used() -> None:
    """Load the SDK's packages by parts in this process, unless they are loaded."""
    if "mcp" not in sys.modules and not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds the packages where they are, and has them loaded later."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in PACKAGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            spec.loader = _Later(spec.loader)  # type: ignore[assignment]
        return spec


class _Later:
    """Makes a package that is empty until one of its names is used.

    `importlib.util.LazyLoader` would run it as soon as a part of it is imported.
    """

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Package(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it for later."""


class _Package(ModuleType):
    """A package whose own names are made when the first of them is asked for."""

    def __getattr__(self, name: str) -> Any:
        # Only asked for what is not there. Parts that were imported are.
        spec: ModuleSpec | None = self.__dict__.get("__spec__")
        if (name.startswith("__") and name != "__all__") or spec is None:
            raise AttributeError(name)
        # Two threads may both run it, which is only imports. Waiting for each other, each within an
        # import of its own, they could deadlock.
        key = self.__name__, threading.get_ident()
        later: Any = spec.loader
        if isinstance(later, _Later) and key not in _running:
            _running.add(key)
            try:
                later.loader.exec_module(self)
            finally:
                _running.discard(key)
            spec.loader = later.loader
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None
