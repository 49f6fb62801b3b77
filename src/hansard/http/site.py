"""The page beside the MCP endpoint: its routes, what to say at the start, how to end."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.routing import Route
from starlette.types import ASGIApp

from hansard.app.application import Application
from hansard.app.bounded import Bounded
from hansard.app.openapi import COOKIE
from hansard.app.settings import LOOPBACK, Settings
from hansard.app.sso.bearers import Bearers
from hansard.app.sso.config import sign_on
from hansard.app.sso.login import Login
from hansard.app.start import bytes_used
from hansard.http import logs
from hansard.http.api import Api
from hansard.http.door import PageDoor
from hansard.http.exchanging import Exchanging
from hansard.http.front import HttpFront
from hansard.http.gate import Gate
from hansard.http.health import Health
from hansard.http.helping import Helping
from hansard.http.meter import Meter
from hansard.http.pages import Pages
from hansard.http.rates import Failures, Rates
from hansard.http.signing_in import SigningIn
from hansard.http.visits import state_folder, store_name, visits_of, write_privately


class Site:
    """What is offered beside MCP: the page and its API, and what guards and watches them all."""

    def __init__(
        self, application: Application, settings: Settings | None = None, *, also: str = ""
    ) -> None:
        """Offer an application, or refuse settings that would let in anyone from anywhere.

        `also` is a line to say at the start, for whoever runs the server.
        """
        settings = settings or Settings()
        self._also = also
        logs.configure(settings.log)
        self.door = PageDoor(visits_of(settings))
        self._store = store_name(settings)
        self._port = 0
        self._key_file: Path | None = None
        self._catalog = application.catalog
        self._gate = Gate(application.store, settings, _bearers(application, settings))
        self._rates = Rates(settings.rate_per_minute, settings.quota_mib_per_day)
        self._failures = Failures(is_limited=settings.rate_per_minute > 0)
        self._gate.signing_in = self._signing_in(application)
        self._meter = Meter()
        bounded = Bounded(application)
        self._api = Api(
            bounded,
            self.door,
            cookie=self._cookie,
            failures=self._failures,
            bytes_used=partial(bytes_used, settings),
            signing_in=self._gate.signing_in,
        )
        self._exchanging = Exchanging(application)
        self._pages = Pages(
            self.door,
            cookie=self._cookie,
            failures=self._failures,
            signing_in=self._gate.signing_in,
        )
        self._health = Health(application, self._gate, self._meter)

    def routes(self) -> list[Route]:
        """List what is answered where."""
        # Before the API, which takes every name under its own for an operation's.
        first = [*self._health.routes(), *self._exchanging.routes()]
        if self._gate.signing_in:
            first += self._gate.signing_in.routes()
        return [*first, *self._api.routes(), *self._pages.routes()]

    def around(self, app: ASGIApp, first: Callable[[ASGIApp], ASGIApp]) -> ASGIApp:
        """Guard and watch everything that is served, MCP too, and what is asked `first` of it."""
        return HttpFront(
            app,
            # Whoever opens an address of programs is helped before anyone asks for their token.
            first=lambda inner: first(Helping(inner, self._pages.help_with)),
            catalog=self._catalog,
            gate=self._gate,
            rates=self._rates,
            failures=self._failures,
            meter=self._meter,
        )

    def announce(self, base: str, port: int) -> str:
        """Say where the page is, with a token that lets in whoever reads this."""
        self._port = port
        base = _from_here(base, port)
        self._key_file = _leave_key(port, base, self.door.key)
        page = f"The page is at {base}/?token={self.door.issue()} (once; then `hansard open`)"
        return f"{page}\n{self._also}" if self._also else page

    def end(self) -> None:
        """End what would keep the server from ending."""
        self._api.end()
        self._exchanging.end()
        if self._key_file:
            self._key_file.unlink(missing_ok=True)

    def _signing_in(self, application: Application) -> SigningIn | None:
        """Make what signs people in, where the provider knows the page."""
        bearers = self._gate.bearers
        if bearers is None or not bearers.config.client or application.read_only:
            return None
        login = Login(application.store, bearers)
        return SigningIn(login, cookie=self._cookie, failures=self._failures)

    def _cookie(self) -> str:
        """Name the cookie by its store: browsers share cookies between the ports of a host."""
        return f"{COOKIE}_{self._store or self._port}"


def _bearers(application: Application, settings: Settings) -> Bearers | None:
    """Make what knows whom an identity provider vouches for, where the settings name one."""
    config = sign_on(settings)
    if config is None:
        return None
    return Bearers(application.store, config, keeps=not application.read_only)


def _from_here(base: str, port: int) -> str:
    """Give the address by which this machine reaches the server, which may listen on others too."""
    host = base.removeprefix("http://").rpartition(":")[0]
    if host.strip("[]") in LOOPBACK:
        return base
    return f"http://localhost:{port}" if host in {"0.0.0.0", "[::]"} else base  # noqa: S104


def key_file(port: int) -> Path:
    """Say where a server leaves the key for `hansard open`."""
    return state_folder() / f"page-{port}.json"


def _leave_key(port: int, base: str, key: str) -> Path | None:
    """Write the key where only the same person can read it."""
    path = key_file(port)
    try:
        write_privately(path, json.dumps({"base": base, "key": key}).encode())
    except OSError:  # the printed address still lets in
        return None
    return path
