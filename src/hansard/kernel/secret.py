"""The secret that proves a person, as the kernel knows it."""

from collections.abc import Callable
from typing import Protocol


class Secret(Protocol):
    """A secret that a caller can prove to know."""

    @property
    def is_set(self) -> bool:
        """Whether there is one to prove."""

    @property
    def is_learned(self) -> bool:
        """Whether it is the store's, rather than what this process was set up with."""

    def learn(self, check: Callable[[str], bool]) -> None:
        """Use another check from now on."""

    def prove(self, given: str) -> None:
        """Refuse one that is wrong."""
