"""`hansard token`: creates, lists and revokes tokens for HTTP."""

import os
import sys
from datetime import timedelta
from typing import Annotated, Any

import typer

from hansard.app import tokens
from hansard.app.application import Application
from hansard.app.settings import TOKEN_VARIABLE, load
from hansard.app.start import start
from hansard.cli.cli_session import looking
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.person_proof import person
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import ROLES, Proof, Stamp
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.kernel.store import Store

DAYS_MAX = 36_500

AsRole = Annotated[str, typer.Option("--role", help=f"One of {', '.join(ROLES)}.")]
Name = Annotated[str | None, typer.Option("--name", help="What its entries are signed with.")]
Human = Annotated[bool, typer.Option("--human", help="For a person rather than an agent.")]
Projects = Annotated[
    list[str] | None, typer.Option("--project", help="A project it may see; by default, all.")
]
Days = Annotated[int | None, typer.Option("--expires", help="After how many days it ends.")]
Renews = Annotated[
    str | None,
    typer.Option("--renews", metavar="ID", help="A token that ended, of the same name and bearer."),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="As `hansard token list` shows it.")]


@settings_flags
def create(
    flags: Flags,
    role: AsRole,
    *,
    context: typer.Context,
    name: Name = None,
    human: Human = False,
    project: Projects = None,
    expires: Days = None,
    renews: Renews = None,
    json: Json = False,
) -> None:
    """Make a token and print it, this once."""
    if role not in ROLES:
        raise InvalidInput(f"A role is one of {', '.join(ROLES)}", argument="role")
    if expires is not None and not 0 < expires <= DAYS_MAX:
        raise InvalidInput(f"A token lasts 1 to {DAYS_MAX} days", argument="expires")
    flags = all_flags(flags, context)
    start(load(flags)).close()
    with opened(flags) as (application, _):
        stamp, proof = signed(application)
        wanted = tokens.WantedToken(
            role=role,
            name=name,
            is_human=human,
            projects=project or (),
            expires=to_text(utc_now() + timedelta(days=expires)) if expires else None,
            renews=renews,
        )
        made = _made(application.store, wanted, (stamp, proof), json=json)
    if not json:
        print(f"Made {_line(made)}. It is shown only now: keep it where only its user can read it.")
        print("Clients send it as the header `Authorization: Bearer TOKEN`.")


def _made(
    store: Store, wanted: tokens.WantedToken, signed: tuple[Stamp, Proof | None], *, json: bool
) -> tokens.Token:
    """Make a token once it has been shown: if nobody can have seen it, it is not made."""

    def show(token: tokens.Token, text: str) -> None:
        if json:
            print_json(_shown(token) | {"token": text})
        else:
            print(text)
        sys.stdout.flush()

    try:
        return tokens.create(store, wanted, *signed, show=show)[0]
    except StorageUnavailable as problem:
        if problem.details.get("outcome") == "not_written":
            problem.message += "; the token was not made, and what was shown lets nobody in"
        raise


@settings_flags
def alone(flags: Flags, *, context: typer.Context, json: Json = False) -> None:
    """List the tokens there are, and those that have ended."""
    if context.invoked_subcommand is None:
        _print_list(flags, json=json)


@settings_flags
def list_tokens(flags: Flags, *, json: Json = False) -> None:
    """List the tokens there are, and those that have ended."""
    _print_list(flags, json=json)


def _print_list(flags: Flags, *, json: bool) -> None:
    with opened(flags) as (application, _):
        signed(application)
        known = tokens.every(application.store)
    now = to_text(utc_now())
    paint = painter()
    for one in known:
        if json:
            print_json(_shown(one))
        else:
            line = _line(one)
            print(line if one.is_good(now) else paint(line, "grey"))
    if not known and not json:
        print("No token was made yet.")


@settings_flags
def revoke(flags: Flags, identity: Id, *, context: typer.Context, json: Json = False) -> None:
    """Revoke a token: it lets in nobody from now on, whatever runs."""
    with opened(all_flags(flags, context)) as (application, _):
        stamp, proof = signed(application)
        gone = tokens.revoke(application.store, identity, stamp, proof)
    if json:
        print_json(_shown(gone))
    else:
        print(f"Revoked {_line(gone)}.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Tokens: who may come in over HTTP.", rich_markup_mode=None)
    group.callback(invoke_without_command=True)(alone)
    group.command()(create)
    group.command("list")(list_tokens)
    group.command()(revoke)
    app.add_typer(group, name="token")


def signed(
    application: Application, what: str = "make, list and revoke tokens"
) -> tuple[Stamp, Proof | None]:
    """Say who asks to do what: a person at the terminal, or the bearer of an admin's token."""
    now = to_text(utc_now())
    shown = _shown_token(application.store, now) if looking().actor.kind != "human" else None
    if shown and shown.actor.may("admin") and shown.vouches:
        return Stamp(shown.actor, now), "proved" if shown.is_proved else None
    return person(application, what, f"an admin's {TOKEN_VARIABLE}")


def _shown_token(store: Store, now: str) -> tokens.Token | None:
    """Take an admin's token of all projects as proof, as the server would."""
    found = tokens.find(store, os.environ.get(TOKEN_VARIABLE, ""), now)
    return found if found and found.projects is None else None


def _shown(token: tokens.Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.actor.id,
        "kind": token.actor.kind,
        "role": token.actor.role,
        "projects": list(token.projects) if token.projects is not None else None,
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
    }


def _line(token: tokens.Token) -> str:
    where = ", ".join(token.projects) if token.projects is not None else "all projects"
    line = (
        f"{token.id} {printable(token.actor.id)}: {token.actor.kind}, {token.actor.role}, {where}"
    )
    if token.revoked:
        return f"{line}, revoked {token.revoked[:10]}"
    return f"{line}, until {token.expires[:10]}" if token.expires else line
