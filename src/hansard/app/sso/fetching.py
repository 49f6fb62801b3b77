"""Requests to the identity provider, limited in time, size and place.

Redirects are not followed, so that a secret goes to the configured provider and nowhere else.
"""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

from hansard.app.settings import LOOPBACK
from hansard.app.sso.config import is_safe_address
from hansard.kernel.problem import Problem

WAIT_S = 5.0
"""How long the provider may take for one answer, however slowly it comes."""

ANSWER_BYTES_MAX = 1_000_000
OK = 200


class IssuerUnreachable(Problem):
    """The identity provider does not answer, or not with what it should."""

    code, http_status = "ISSUER_UNREACHABLE", 503
    hint = "Try again; `hansard sso check`, on the server, says more"


def get(url: str, *, bearer: str | None = None) -> dict[str, Any]:
    """Read an object of JSON."""
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    status, answer = _ask("GET", url, headers=headers)
    if status != OK:
        raise _unreachable(url, f"answers {status}")
    return answer


def post(
    url: str, form: Mapping[str, str], basic: tuple[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Post a form; gives the status and the object that came back."""
    return _ask("POST", url, data=dict(form), auth=basic)


def _ask(method: str, url: str, **request: Any) -> tuple[int, dict[str, Any]]:
    if not is_safe_address(url):
        raise _unreachable(url, "has no https address")
    until = time.monotonic() + WAIT_S
    is_here = urlsplit(url).hostname in LOOPBACK
    try:
        with (
            # No proxy from the environment can reach this machine's own addresses.
            httpx2.Client(follow_redirects=False, timeout=WAIT_S, trust_env=not is_here) as client,
            client.stream(method, url, **request) as response,
        ):
            body = _read(response, until)
        answer = httpx2.Response(OK, content=body).json()
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        why = "in time" if isinstance(error, httpx2.TimeoutException | TimeoutError) else ""
        raise _unreachable(url, f"does not answer {why}".rstrip()) from error
    except ValueError as error:
        raise _unreachable(url, "answers with something else than JSON") from error
    if not isinstance(answer, dict):
        raise _unreachable(url, "answers with something else than an object")
    return response.status_code, answer


def _read(response: httpx2.Response, until: float) -> bytes:
    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > ANSWER_BYTES_MAX:
            raise OSError("the answer is too long")
        if time.monotonic() > until:
            raise TimeoutError
    return bytes(body)


def _unreachable(url: str, what: str) -> IssuerUnreachable:
    host = urlsplit(url).hostname if is_safe_address(url) else "an address it names"
    return IssuerUnreachable(f"The identity provider at {host} {what}")
