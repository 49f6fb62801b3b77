"""`hansard secret`: set or change the secret by which people prove to be people."""

import getpass
import sys

import typer

from hansard.app import people
from hansard.app.settings import SECRET_CHARS_MIN, load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.opening import opened
from hansard.cli.options import settings_flags
from hansard.cli.proving import person
from hansard.kernel.problem import InvalidInput


@settings_flags
def secret(flags: Flags) -> None:
    """Set the secret of this store, or change it. Asks for the present one first, without echo."""
    if not sys.stdin.isatty():
        raise InvalidInput("The secret is typed, on a terminal", argument="secret")
    start(load(flags)).close()
    with opened(flags) as (application, _):
        stamp, _ = person(application, "set the secret")
        new = getpass.getpass("New secret: ")
        if len(new) < SECRET_CHARS_MIN:
            raise InvalidInput(f"A secret has at least {SECRET_CHARS_MIN} characters")
        if getpass.getpass("Again: ") != new:
            raise InvalidInput("The two differ; nothing was changed")
        people.keep(application.store, new, stamp, anew=True)
    print("The secret is set. Set up servers with it by HANSARD_SECRET or secret_file.")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(secret)
