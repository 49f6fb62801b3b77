"""The port of `hansard serve` and `hansard demo`, and the message if it is taken."""

import socket

from hansard.app.settings import Settings
from hansard.cli.open_page import page_address
from hansard.http.port import PortTaken, listen
from hansard.kernel.problem import Problem

PORTS_TRIED = 20
"""How far from its usual port the demo looks for a free one."""


def listen_on(settings: Settings) -> socket.socket:
    """Open the port of the settings; if it is taken, say by whom and what to do instead."""
    try:
        return listen(settings.host, settings.port)
    except PortTaken as taken:
        elsewhere = f"or serve on another port, such as --port {settings.port + 1}"
        if _is_ours(settings.port):
            raise PortTaken(
                f"A Hansard of yours listens on port {settings.port} already",
                hint=f"Look at it with `hansard open --port {settings.port}`, {elsewhere}",
                argument="port",
            ) from taken
        raise PortTaken(
            f"Another program listens on port {settings.port}",
            hint=f"End it, {elsewhere}",
            argument="port",
        ) from taken


def listen_near(settings: Settings) -> socket.socket:
    """Open the port of the settings, or else the next one that is free."""
    for port in range(settings.port, settings.port + PORTS_TRIED):
        try:
            return listen(settings.host, port)
        except PortTaken:
            continue
    return listen_on(settings)


def _is_ours(port: int) -> bool:
    try:
        page_address(port)
    except Problem:
        return False
    return True
