"""Reads and writes pipes that another process may have made non-blocking. Light."""

import os
import select
import stat


def read_some(descriptor: int, bytes_max: int) -> bytes:
    """Read what is there, once something is; nothing at the end."""
    while True:
        try:
            return os.read(descriptor, bytes_max)
        except BlockingIOError:
            _wait(descriptor, select.POLLIN)


def write_all(descriptor: int, message: bytes) -> bool:
    """Write all of it, as fast as it is read; false when nobody reads any more."""
    left = memoryview(message)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            _wait(descriptor, select.POLLOUT)
        except OSError:
            return False
    return True


def write_ready(descriptor: int, message: bytes) -> bytes:
    """Write as much as there is room for now, to what never waits; gives what is left."""
    left = memoryview(message)
    ready = select.poll()
    ready.register(descriptor, select.POLLOUT)
    try:
        while left and ready.poll(0) == [(descriptor, select.POLLOUT)]:
            left = left[os.write(descriptor, left[: select.PIPE_BUF]) :]
    except OSError:
        pass  # the writer of the rest finds out
    return bytes(left)


def never_waits(descriptor: int) -> bool:
    """Whether a writable descriptor takes that much at once: a pipe or a socket does."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _wait(descriptor: int, event: int) -> None:
    # Not `select`, which knows no descriptor above 1,023.
    ready = select.poll()
    ready.register(descriptor, event)
    ready.poll()
