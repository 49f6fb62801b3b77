"""The call interface of the library's parts: one operation by name."""

from typing import Any, Protocol

from hansard.kernel.operation import Result


class Call(Protocol):
    """Does one operation by its name."""

    def __call__(self, name: str, /, **arguments: Any) -> Result:
        """Give its answer, or raise a `Problem`."""
