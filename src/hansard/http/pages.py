"""The page's static files, shipped in the package, and its entry."""

import mimetypes
from collections.abc import Callable
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from hansard.app.oauth import SCOPE_KEY
from hansard.app.tokens import RateLimited
from hansard.http.page_login import VISIT_LIFE_S, PageDoor
from hansard.http.rate_limits import Failures
from hansard.http.responses import SAFETY, base_of, refused
from hansard.http.signing_in import SigningIn

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Only our own files are loaded or run, whatever a stored text says."""

INDEX = "index.html"
ASSETS = "assets"
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
"""Assets have a hash of their content in their names."""


class Pages:
    """Serves the page to anyone, since it holds nothing; what it shows comes from the API."""

    def __init__(
        self,
        door: PageDoor,
        *,
        cookie: Callable[[], str],
        failures: Failures,
        signing_in: SigningIn | None = None,
    ) -> None:
        """Serve behind a door; `cookie` names the cookie it gives."""
        self._signing_in = signing_in
        self._door = door
        self._cookie = cookie
        self._failures = failures
        self._files = _read_all()

    def routes(self) -> list[Route]:
        """List what is answered where."""
        return [Route("/", self._index), Route(f"/{ASSETS}/{{name}}", self._asset)]

    def help_with(self, status: int) -> Response:
        """Give the page to somebody who went astray; its address tells it how."""
        return self._file(INDEX, SAFETY, status)

    async def _index(self, request: Request) -> Response:
        token = request.query_params.get("token")
        if token is None:
            return self._offer(request) or self._file(INDEX, SAFETY)
        # Whether it was valid or not, the token must not stay in the address.
        response = RedirectResponse("/", 303, SAFETY)
        if cookie := self._door.enter(token):
            response.set_cookie(
                self._cookie(),
                cookie,
                int(VISIT_LIFE_S),
                httponly=True,
                samesite="strict",
                # Elsewhere than on this machine a cookie travels, so it does under TLS only.
                secure=(base_of(request) or "https").startswith("https"),
            )
            return response
        try:
            self._failures.count(request)
        except RateLimited as problem:
            return refused(problem)
        return response

    def _offer(self, request: Request) -> Response | None:
        """Show a person who is not signed in where to do so, if that is possible."""
        is_let_in = SCOPE_KEY in request.scope or self._door.visit(
            request.cookies.get(self._cookie())
        )
        return None if is_let_in or not self._signing_in else self._signing_in.offer()

    async def _asset(self, request: Request) -> Response:
        return self._file(f"{ASSETS}/{request.path_params['name']}", SAFETY | FOREVER)

    def _file(self, name: str, headers: dict[str, str], status: int = 200) -> Response:
        content = self._files.get(name)
        if content is None:
            return Response("There is no such file.", 404, SAFETY, "text/plain")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(content, status, headers | {"Content-Security-Policy": CSP}, kind)


def _read_all() -> dict[str, bytes]:
    """Read the page's files; they are few and small, and no path of a request meets the disk."""
    root = files("hansard.http") / "page"
    found = {one.name: one.read_bytes() for one in root.iterdir() if one.is_file()}
    assets = root / ASSETS
    if assets.is_dir():
        found |= {
            f"{ASSETS}/{one.name}": one.read_bytes() for one in assets.iterdir() if one.is_file()
        }
    return found
