"""The site beside the MCP endpoint: its routes, start-up message and shutdown."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.routing import Route
from starlette.types import ASGIApp

from hansard.app.application import Application
from hansard.app.bounded import Bounded
from hansard.app.openapi import COOKIE
from hansard.app.rate_limit_file import RateLimitFile
from hansard.app.settings import Settings
from hansard.app.sso.bearers import Bearers
from hansard.app.sso.config import sign_on
from hansard.app.sso.login import Login
from hansard.app.start import bytes_used
from hansard.http import logs
from hansard.http.api import Api
from hansard.http.authentication import Authentication
from hansard.http.health import Health
from hansard.http.help_page import Helping
from hansard.http.login_store import store_name, visits_of
from hansard.http.middleware import HttpMiddleware
from hansard.http.page_key import from_here, leave_key
from hansard.http.page_login import PageDoor
from hansard.http.pages import Pages
from hansard.http.push_pull import Exchanging
from hansard.http.rate_limits import Failures, RateLimits
from hansard.http.request_metrics import RequestMetrics
from hansard.http.signing_in import SigningIn
from hansard.http.workers.routing import Lanes
from hansard.http.workers.worker_socket import Worker


class Site:
    """What is offered beside MCP: the page and its API, and what guards and watches them all."""

    def __init__(
        self,
        application: Application,
        settings: Settings | None = None,
        *,
        also: str = "",
        worker: Worker | None = None,
        shared: RateLimitFile | None = None,
    ) -> None:
        """Offer an application, or refuse settings that would let in anyone from anywhere.

        `also` is a line to print at the start, for the operator. `worker` is this
        process's place where several serve together, and `shared` what they count callers by.
        """
        settings = settings or Settings()
        self._also = also
        self._worker = worker
        logs.configure(settings.log, worker.number if worker else None)
        self.door = _door(settings, worker)
        self._store = store_name(settings)
        self._port = 0
        self._key_file: Path | None = None
        self._catalog = application.catalog
        self._gate = Authentication(application.store, settings, _bearers(application, settings))
        rate, quota = settings.rate_per_minute, settings.quota_mib_per_day
        self._rates = RateLimits(rate, quota, shared=shared)
        self._failures = Failures(is_limited=settings.rate_per_minute > 0, shared=shared)
        self._gate.signing_in = self._signing_in(application)
        self._meter = RequestMetrics()
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
        cookie, signing_in = self._cookie, self._gate.signing_in
        self._pages = Pages(
            self.door, cookie=cookie, failures=self._failures, signing_in=signing_in
        )
        self._health = Health(application, self._gate, self._meter, worker)

    def routes(self) -> list[Route]:
        """List what is answered where."""
        # Before the API, which takes every name under its own for an operation's.
        first = [*self._health.routes(), *self._exchanging.routes()]
        if self._gate.signing_in:
            first += self._gate.signing_in.routes()
        return [*first, *self._api.routes(), *self._pages.routes()]

    def around(self, app: ASGIApp, first: Callable[[ASGIApp], ASGIApp]) -> ASGIApp:
        """Guard and watch everything that is served, MCP too, and what is asked `first` of it."""
        guarded = HttpMiddleware(
            app,
            # A person who opens an address of programs gets help before a token is asked for.
            first=lambda inner: first(Helping(inner, self._pages.help_with)),
            catalog=self._catalog,
            gate=self._gate,
            rates=self._rates,
            failures=self._failures,
            meter=self._meter,
        )
        return Lanes(guarded, self._worker, self._cookie) if self._worker else guarded

    def announce(self, base: str, port: int) -> str:
        """Print the page's address, with a token that lets the reader in."""
        self._port = port
        base = from_here(base, port)
        if not self._worker:  # else the supervisor writes the key for all
            self._key_file = leave_key(port, base, self.door.key)
        page = f"The page is at {base}/?token={self.door.issue()} (once; then `hansard open`)"
        return f"{page}\n{self._also}" if self._also else page

    def end(self) -> None:
        """End what would keep the server from ending."""
        self._api.end()
        self._exchanging.end()
        if self._key_file:
            self._key_file.unlink(missing_ok=True)

    def _signing_in(self, application: Application) -> SigningIn | None:
        """Build what signs people in, if the provider knows the page."""
        bearers = self._gate.bearers
        if bearers is None or not bearers.config.client or application.read_only:
            return None
        login = Login(application.store, bearers)
        return SigningIn(login, cookie=self._cookie, failures=self._failures)

    def _cookie(self) -> str:
        """Name the cookie by its store: browsers share cookies between the ports of a host."""
        return f"{COOKIE}_{self._store or self._port}"


def _door(settings: Settings, worker: Worker | None) -> PageDoor:
    """Build the page's login: for several workers, one that any of them leads to."""
    if worker is None:
        return PageDoor(visits_of(settings))
    return PageDoor(visits_of(settings), key=worker.key, mark=worker.mark)


def _bearers(application: Application, settings: Settings) -> Bearers | None:
    """Build the bearers of the identity provider, if the settings name one."""
    config = sign_on(settings)
    if config is None:
        return None
    return Bearers(application.store, config, keeps=not application.read_only)
