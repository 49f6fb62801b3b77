"""Reading and writing pipes that may not wait: whoever shares one may have made it so. Light."""

import os
import select


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


def _wait(descriptor: int, event: int) -> None:
    # Not `select`, which knows no descriptor above 1,023.
    ready = select.poll()
    ready.register(descriptor, event)
    ready.poll()
