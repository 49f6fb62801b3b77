"""The process that opened a store: its forks have copies of the handles, and must not use them."""

import os


class OpeningProcess:
    """The process that has a store open."""

    def __init__(self) -> None:
        """Remember the process that calls."""
        self._id = os.getpid()

    def is_this(self) -> bool:
        """Whether the caller is that process, and not one that it has forked."""
        return os.getpid() == self._id

    def require(self) -> None:
        """Refuse to use a store that the parent of this process opened.

        SQLite's own warning is that a handle carried over a fork corrupts the file, and two
        processes that talk over one connection garble what PostgreSQL hears.
        """
        if not self.is_this():
            raise RuntimeError("A store must be opened anew after a fork")
