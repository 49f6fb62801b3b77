"""`hansard open`: the page of a server that runs on this machine."""

import json
import webbrowser
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Annotated
from urllib.parse import urlsplit

import typer

from hansard.app.settings import Settings, load
from hansard.cli.flags import Flags
from hansard.cli.options import settings_flags
from hansard.kernel.problem import StorageUnavailable

ANSWER_S = 5.0

LogOut = Annotated[
    bool, typer.Option("--log-out", help="Log out every browser that was let in, and open none.")
]


@settings_flags
def open_page(flags: Flags, log_out: LogOut = False) -> int:
    """Open the page of the server that runs on this machine, signed in."""
    settings = load(flags)
    if log_out:
        return _log_out(settings)
    address = page_address(settings.port)
    typer.echo(address)
    webbrowser.open(address)
    return 0


def _log_out(settings: Settings) -> int:
    """Take back every cookie of the store's page; its servers notice at once."""
    from hansard.http.login_store import visits_of

    count = visits_of(settings).end_all()
    typer.echo(f"{count} {'browser was' if count == 1 else 'browsers were'} logged out.")
    return 0


def page_address(port: int) -> str:
    """Ask the server on a port for an address that signs in once."""
    from hansard.http.page_key import key_file

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
