"""The port that the server listens on."""

import errno
import socket

from hansard.kernel.problem import InvalidInput


class PortTaken(InvalidInput):
    """Another program listens on the port."""


def listen(host: str, port: int) -> socket.socket:
    """Open the port, or say in a sentence why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} of {host} is taken by another program",
                hint="Choose another with --port",
                argument="port",
            ) from error
        raise InvalidInput(
            f"Cannot listen on {host} port {port}: {error}",
            hint="Choose another port or address",
            argument="port",
        ) from error
    # Connections inherit it. The event loop would set it, but does not know ours for TCP, and an
    # answer in two parts then waits 40 ms for the caller to acknowledge the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
