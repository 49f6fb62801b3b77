"""Asks for the secret on a terminal, where one is set.

An agent has terminals too, so a terminal proves nothing. The secret is asked for without echo, or
read from a file that the person names for this one command: it is no setting, since a config file
counts for agents as well. The variable that sets a server up with the secret proves nothing either,
since an agent's shell may have inherited it.
"""

import getpass
import os
from dataclasses import replace

from hansard.app import secret_news
from hansard.app.application import Application
from hansard.app.settings import PERSON_VARIABLE, read_secret_file
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import actor, printable
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import Proof, Stamp
from hansard.kernel.operation import Caller
from hansard.kernel.problem import PermissionDenied


class PersonProof:
    """Asks for the secret at most once, and only if something is to be written."""

    def __init__(self, application: Application) -> None:
        """Prove to this application."""
        self._application = application
        self._given: str | None = None
        self._was_asked = False

    def caller(self, caller: Caller, operation: str) -> Caller:
        """Require proof of a person, if the operation writes."""
        if not self._application.catalog.find(operation).writes:
            return caller
        return replace(caller, secret=self.secret(caller))

    def secret(self, caller: Caller) -> str | None:
        """Give what was typed or read; `None` if that is not needed, or not given."""
        claims = caller.actor.kind == "human" and self._application.wants_proof()
        if claims and not self._was_asked:
            for told in secret_news.news(self._application.store, to_text(utc_now())):
                say(printable(told))
            self._given, self._was_asked = _from_file() or _typed(), True
        return self._given


def person(
    application: Application, what: str, instead: str | None = None
) -> tuple[Stamp, Proof | None]:
    """Say who does what only a person may do, and whether that was proved; or refuse."""
    judged = _judged(application)
    if judged.actor.kind != "human":
        secret = ", and give the secret" if application.wants_proof() else ""
        other = f"; or with {instead}" if instead else ""
        raise PermissionDenied(
            f"Only a person may {what}", hint=f"Run it yourself on a terminal{secret}{other}"
        )
    return Stamp(judged.actor, to_text(utc_now())), judged.proof


def moving() -> Caller:
    """Build the caller for moving projects between stores; they are not asked for anything yet."""
    return Caller(actor())


def secret_of_another(whose: str) -> str | None:
    """Ask for the secret of another store, at a terminal; else it may come from a file."""
    given = _from_file()
    if given is None and actor().kind == "human":
        given = getpass.getpass(f"{whose} takes this only from a person. Its secret: ") or None
    return given


def signed(application: Application) -> Stamp:
    """Say who does what an agent may do too: a person only if that was proved."""
    return Stamp(_judged(application).actor, to_text(utc_now()))


def claimed(what: str, application: Application | None = None) -> tuple[Stamp, Proof | None]:
    """Sign for somebody who claims to be a person, without asking for proof.

    If the application's store knows a secret, the signature says that they did not prove it.
    """
    caller = Caller(actor())
    if caller.actor.kind != "human":
        raise PermissionDenied(f"Only a person may {what}", hint="Run it yourself on a terminal")
    judged = application.judged(caller) if application else caller
    return Stamp(judged.actor, to_text(utc_now())), "unproved"


def _judged(application: Application) -> Caller:
    caller = Caller(actor())
    return application.judged(replace(caller, secret=PersonProof(application).secret(caller)))


def _from_file() -> str | None:
    named = os.environ.get(PERSON_VARIABLE)
    return read_secret_file(named, PERSON_VARIABLE) if named else None


def _typed() -> str | None:
    return getpass.getpass("Without the secret, this is done as an agent. Secret: ") or None
