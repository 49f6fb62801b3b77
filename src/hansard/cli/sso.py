"""`hansard sso`: who signed in, who is barred, and whether it is set up correctly."""

from typing import Annotated, Any

import typer

from hansard.app import identities, sign_ins
from hansard.app.settings import load
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.cli.token import signed
from hansard.kernel.problem import InvalidInput

WHAT = "list, bar and admit identities"

Id = Annotated[str, typer.Argument(metavar="ID", help="As `hansard sso list` shows it.")]


@settings_flags
def alone(flags: Flags, *, context: typer.Context, json: Json = False) -> None:
    """List everybody who ever came by single sign-on."""
    if context.invoked_subcommand is None:
        _print_list(flags, json=json)


@settings_flags
def list_identities(flags: Flags, *, json: Json = False) -> None:
    """List everybody who ever came by single sign-on, the earliest first."""
    _print_list(flags, json=json)


def _print_list(flags: Flags, *, json: bool) -> None:
    with opened(flags) as (application, _):
        signed(application, WHAT)
        known = identities.every(application.store)
    paint = painter()
    for row in known:
        if json:
            print_json(row)
        else:
            print(paint(_line(row), "grey") if row["barred"] else _line(row))
    if not known and not json:
        print("Nobody came by single sign-on yet.")


@settings_flags
def bar(flags: Flags, identity: Id, *, context: typer.Context, json: Json = False) -> None:
    """Bar somebody on every server, whatever the identity provider says."""
    with opened(all_flags(flags, context)) as (application, _):
        stamp, proof = signed(application, WHAT)
        row = identities.bar(application.store, identity, stamp, proof)
        # A person who is admitted again signs in again.
        sign_ins.end_all(application.store, identity, stamp)
        _told(row, json=json)


@settings_flags
def admit(flags: Flags, identity: Id, *, context: typer.Context, json: Json = False) -> None:
    """Let somebody in again who was barred."""
    with opened(all_flags(flags, context)) as (application, _):
        stamp, proof = signed(application, WHAT)
        _told(identities.admit(application.store, identity, stamp, proof), json=json)


@settings_flags
def check(flags: Flags, *, json: Json = False) -> None:
    """Ask the identity provider what a server would ask it, and say what is wrong."""
    from hansard.app.sso.config import sign_on
    from hansard.app.sso.issuer import Issuer

    config = sign_on(load(flags))
    if config is None:
        raise InvalidInput(
            "Single sign-on is off", hint="Set sso_issuer to the provider's address", argument="sso"
        )
    issuer = Issuer(config.issuer)
    keys = len(issuer.published())
    if json:
        print_json({"issuer": config.issuer, "keys": keys, "audience": config.audience})
        return
    print(f"{config.issuer} answers, and publishes {keys} keys.")
    print(f"Access tokens must be for {config.audience}.")
    if config.client:
        print(f"People sign in on the page at {issuer.endpoint('authorization_endpoint')}.")
    for group, grant in config.table.items():
        where = ", ".join(grant.projects) if grant.projects is not None else "all projects"
        print(f"{printable(group)}: {grant.role}, {printable(where)}")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Single sign-on: who came, and who may.", rich_markup_mode=None)
    group.callback(invoke_without_command=True)(alone)
    group.command("list")(list_identities)
    group.command()(bar)
    group.command()(admit)
    group.command()(check)
    app.add_typer(group, name="sso")


def _told(row: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json(row)
    else:
        print(f"{_line(row)}.")


def _line(row: dict[str, Any]) -> str:
    line = f"{row['id']} {printable(row['name'])}, since {row['since'][:10]}"
    return f"{line}, barred {row['barred'][:10]}" if row["barred"] else line
