"""`hansard secret`: sets, changes and recovers the secret, and shows who set it."""

import getpass
import sys
from typing import Annotated

import typer

from hansard.app import people, recovery, secret_news
from hansard.app.application import Application
from hansard.app.settings import SECRET_CHARS_MIN
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, all_flags, keep_flags, settings_flags
from hansard.cli.person_proof import claimed, person
from hansard.cli.terminal.text import print_json, printable
from hansard.kernel.engine import Row
from hansard.kernel.problem import InvalidInput

HOUR_S = 3600
WAIT_HOURS_MAX = 30 * 24

Wait = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=WAIT_HOURS_MAX,
        metavar="HOURS",
        help="How long a recovery waits, if this secret is lost; 24 by default.",
    ),
]


@settings_flags
def overview(flags: Flags, *, context: typer.Context, json: Json = False) -> None:
    """Say who set the secret and when, and whether somebody is about to replace it."""
    keep_flags(flags, context=context)
    if context.invoked_subcommand is not None:
        return
    with opened(flags) as (application, _):
        row = people.known(application.store)
        begun = recovery.pending(application.store)
    if json:
        print_json({"secret": _shown(row), "recovery": _shown(begun)})
        return
    print(
        printable(f"The secret was {secret_news.origin(row)}.")
        if row
        else "This store knows no secret: `hansard secret set` asks for one."
    )
    if begun:
        print(printable(f"{secret_news.under_way(begun)}."))


@settings_flags
def set_(flags: Flags, *, context: typer.Context, wait: Wait = None) -> None:
    """Set the secret of this store, or change it. Asks for the present one first, without echo."""
    _require_terminal()
    with opened(all_flags(flags, context), makes_store=True) as (application, _):
        store, before = application.store, people.known(application.store)
        stamp, proof = (
            person(application, "set the secret") if before else claimed("set the secret")
        )
        new = _typed_twice()
        wait_s = wait * HOUR_S if wait else None
        people.set_secret(store, new, stamp, before=before, proof=proof, wait_s=wait_s)
    print("The secret is set, and everybody is told that it is new. Keep it with your passwords.")
    print("Servers need not know it; give one HANSARD_SECRET only for the source's own clients.")


@settings_flags
def recover(
    flags: Flags,
    *,
    context: typer.Context,
    anew: Annotated[
        bool, typer.Option("--anew", help="Begin again, with another secret and the whole wait.")
    ] = False,
) -> None:
    """Replace a secret that is lost: once to begin, and once more after the waiting time.

    Everybody is told meanwhile, and anyone who knows the present secret can cancel it.
    """
    _require_terminal()
    with opened(all_flags(flags, context)) as (application, _):
        if recovery.pending(application.store) and not anew:
            _finish(application)
        else:
            _begin(application)


@settings_flags
def cancel(flags: Flags, *, context: typer.Context) -> None:
    """Keep the present secret: stop a recovery that somebody has begun."""
    with opened(all_flags(flags, context)) as (application, _):
        stamp, _ = person(application, "keep the secret")
        recovery.cancel(application.store, stamp)
    print("The secret stays as it is.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="The secret: by what people prove to be people.", rich_markup_mode=None
    )
    group.callback(invoke_without_command=True)(overview)
    group.command("set")(set_)
    group.command()(recover)
    group.command()(cancel)
    app.add_typer(group, name="secret")


def _begin(application: Application) -> None:
    stamp, _ = claimed("replace the secret", application)
    if not people.known(application.store):
        raise recovery.NoRecovery("This store knows no secret, so none is lost")
    begun = recovery.begin(application.store, _typed_twice(), stamp)
    print(f"The new secret counts from {begun['counts_from']} on. Until then everybody is told.")
    print("Run `hansard secret recover` again then, and type it once more.")


def _finish(application: Application) -> None:
    stamp, _ = claimed("replace the secret", application)
    recovery.finish(application.store, getpass.getpass("New secret: "), stamp)
    print("The new secret counts from now on. The one before counts for nothing.")


def _typed_twice() -> str:
    new = getpass.getpass("New secret: ")
    if len(new) < SECRET_CHARS_MIN:
        raise InvalidInput(f"A secret has at least {SECRET_CHARS_MIN} characters")
    if getpass.getpass("Again: ") != new:
        raise InvalidInput("The two differ; nothing was changed")
    return new


def _require_terminal() -> None:
    if not sys.stdin.isatty():
        raise InvalidInput("The secret is typed, on a terminal", argument="secret")


def _shown(row: Row | None) -> Row | None:
    """Leave out what could help guessing."""
    return row and {name: row[name] for name in row if name not in {"salt", "digest"}}
