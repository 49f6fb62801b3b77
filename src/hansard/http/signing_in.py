"""Sign-in on the page: redirects to the identity provider, and recognizes the cookie."""

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape

import anyio.to_thread
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from hansard.app.oauth import MCP
from hansard.app.openapi import BASE, MARK
from hansard.app.sso.login import Journey, Login, SignInRefused
from hansard.app.tokens import Token
from hansard.http.rate_limits import Failures
from hansard.http.responses import SAFETY, base_of
from hansard.kernel.problem import PermissionDenied, Problem

LOGIN = "/login"
BACK = "/login/back"

JOURNEY_S = 600
"""How long somebody may take at the provider."""

CODE_CHARS_MAX = 4_096
SAFE_METHODS = ("GET", "HEAD")
_WORD = re.compile("[a-z_]{1,60}")

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:26rem;padding:0 1rem;"
    "color:#1c1c1a;background:#fbfbf9}a{display:inline-block;padding:.6rem 1rem;border-radius:6px;"
    "background:#1c1c1a;color:#fbfbf9;text-decoration:none}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}"
    "a{background:#eee;color:#161616}}"
)
_CSP = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)


class SigningIn:
    """Signs people in, and recognizes them later."""

    def __init__(self, login: Login, *, cookie: Callable[[], str], failures: Failures) -> None:
        """Sign people in; `cookie` names the cookie of the page, whose name this one's begins."""
        self._login = login
        self._cookie = cookie
        self._failures = failures

    def routes(self) -> list[Route]:
        """List what is answered where."""
        return [Route(LOGIN, self._begin), Route(BACK, self._return)]

    def token(self, request: HTTPConnection) -> Token | None:
        """Find who signed in in the browser that asks; `None` if nobody, or nobody who may.

        A browser sends its cookie with any site's request: a change needs the
        page's mark too, which another site's page cannot send. Programs do not come by a cookie.
        """
        path: str = request.scope["path"]
        cookie = request.cookies.get(self._name())
        if not cookie or path == MCP or not (path == "/" or path.startswith(BASE)):
            return None
        if request.scope["method"] not in SAFE_METHODS and MARK not in request.headers:
            return None
        try:
            return self._login.find(cookie)
        except PermissionDenied:  # barred by now, or without a role; signing in again says which
            return None

    def sign_out(self, token: Token, response: Response) -> None:
        """Sign the browser out, on every server."""
        self._login.sign_out(token)
        response.delete_cookie(self._name(), httponly=True, samesite="lax")

    def offer(self) -> Response:
        """Show a person who is not signed in where to do so."""
        return _page("Hansard", "The official record of what agents and people did here.")

    def _name(self) -> str:
        return f"{self._cookie()}_who"

    async def _begin(self, request: Request) -> Response:
        base = base_of(request)
        if base is None:
            return _page("Not signed in", "This address cannot be returned to.", status=400)
        journey = Journey.begun()
        try:
            to = await anyio.to_thread.run_sync(self._login.address, journey, f"{base}{BACK}")
        except Problem as problem:
            return _told(problem)
        response = RedirectResponse(to, 303, SAFETY)
        name = f"{self._name()}_way"
        _set(response, name, str(journey), life_s=JOURNEY_S, path=LOGIN, base=base)
        return response

    async def _return(self, request: Request) -> Response:
        base, asked = base_of(request), request.query_params
        way = f"{self._name()}_way"
        journey = Journey.read(request.cookies.get(way))
        try:
            if base is None or journey is None or not journey.is_answered_by(asked.get("state")):
                self._failures.count(request)
                raise SignInRefused("This sign-in was not begun in this browser, or too long ago")
            cookie = await anyio.to_thread.run_sync(self._let_in, journey, base, dict(asked))
        except Problem as problem:
            response = _told(problem)
        else:
            response = RedirectResponse("/", 303, SAFETY)
            life_s = self._login.visit_s
            _set(response, self._name(), cookie, life_s=life_s, path="/", base=base)
        response.delete_cookie(way, LOGIN, httponly=True, samesite="lax")
        return response

    def _let_in(self, journey: Journey, base: str, asked: dict[str, str]) -> str:
        self._login.require_answer_of_issuer(asked.get("iss"))
        code = asked.get("code", "")
        if "error" in asked or not 0 < len(code) <= CODE_CHARS_MAX:
            said = _WORD.fullmatch(asked.get("error", ""))
            raise SignInRefused(
                f"The identity provider let nobody in ({said[0] if said else 'no reason given'})"
            )
        return self._login.sign_in(journey, code, f"{base}{BACK}")


def _set(response: Response, name: str, value: str, *, life_s: float, path: str, base: str) -> None:
    """Set a cookie that comes along when one follows a link here, which changes nothing.

    Elsewhere than on this machine it travels, so it does under TLS only.
    """
    is_secure = base.startswith("https")
    response.set_cookie(
        name, value, int(life_s), path=path, httponly=True, samesite="lax", secure=is_secure
    )


def _told(problem: Problem) -> Response:
    said = f"{problem.message}.", problem.recovery_hint
    return _page("Not signed in", *said, status=problem.http_status)


def _page(title: str, *said: str | None, status: int = 200) -> Response:
    """Write a page that runs nothing: the page's own files are for those who are signed in."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in said if line)
    text = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f'<h1>{escape(title)}</h1>{lines}<p><a href="{LOGIN}">Sign in</a></p></html>'
    )
    return HTMLResponse(text, status, SAFETY | {"Content-Security-Policy": _CSP})
