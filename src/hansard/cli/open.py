"""`hansard open`: the page of a server that runs on this machine."""

import json
import webbrowser
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import typer

from hansard.app.settings import load
from hansard.cli.flags import Flags
from hansard.cli.options import settings_flags
from hansard.kernel.problem import StorageUnavailable

ANSWER_S = 5.0


@settings_flags
def open_page(flags: Flags) -> int:
    """Open the page of the server that runs on this machine, and be let in."""
    address = page_address(load(flags).port)
    typer.echo(address)
    webbrowser.open(address)
    return 0


def page_address(port: int) -> str:
    """Ask the server on a port for an address that lets in once."""
    from hansard.http.server import key_file

    nobody = StorageUnavailable(
        f"No server of yours runs on port {port}", hint="Start one with `hansard serve`"
    )
    try:
        left = json.loads(key_file(port).read_text(encoding="utf-8"))
        address = urlsplit(left["base"])
        with closing(HTTPConnection(address.netloc, timeout=ANSWER_S)) as connection:
            headers = {
                "Authorization": f"Bearer {left['key']}",
                "Content-Type": "application/json",
            }
            connection.request("POST", "/api/v1/door", b"{}", headers)
            token = json.load(connection.getresponse())["token"]
    except (OSError, HTTPException, ValueError, KeyError) as error:
        raise nobody from error
    return f"{left['base']}/?token={token}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("open")(open_page)
