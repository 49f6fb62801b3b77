"""Hansard: the official record of what your agents thought, decided and did."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hansard.sdk import Hansard

__all__ = ["Hansard", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Give the library's class; loaded when asked for, since the program does without it."""
    if name == "Hansard":
        return import_module("hansard.sdk").Hansard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
