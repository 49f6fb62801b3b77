"""Tokens in the terms of OAuth: scopes, challenges, and the key of a request that holds its token.

MCP and the HTTP API speak them alike.
"""

import re
from collections.abc import Mapping

from hansard.app.settings import LOOPBACK
from hansard.kernel.event import ROLES, Role

SCOPES: Mapping[Role, str] = {
    "viewer": "hansard:read",
    "agent": "hansard:write",
    "admin": "hansard:admin",
}
"""OAuth's names for the roles."""

SCOPE_KEY = "hansard.token"
"""Where the scope of an HTTP request names the token it came with."""

OPERATION_KEY = "hansard.operation"
"""Where it names the operation, once that was read."""

MCP = "/mcp"
"""The path of the protocol, which is what tokens are for."""

METADATA = "/.well-known/oauth-protected-resource"
"""Where RFC 9728 expects the description of how to sign in."""

ENTRY_SCOPE = f"{SCOPES['viewer']} {SCOPES['agent']}"
"""The scope that a caller without a token is told to request: most callers read and write."""

INSUFFICIENT = {"error": "insufficient_scope"}

HOST = re.compile(r"(?P<name>[A-Za-z0-9.\-]{1,253}|\[[0-9A-Fa-f:]{2,45}\])(:[0-9]{1,5})?")


def scopes(role: Role) -> list[str]:
    """List the scopes that a role has: its own and those below."""
    return [SCOPES[one] for one in ROLES[: ROLES.index(role) + 1]]


def challenge(host: str, scope: str, said: Mapping[str, str]) -> str:
    """Word the WWW-Authenticate header: which scope is needed, and where to read more."""
    address = address_of(host)
    where = {"resource_metadata": f"{address}{METADATA}{MCP}"} if address else {}
    parts = {**said, "scope": scope, **where}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())


def address_of(host: str) -> str | None:
    """Build an address from a Host header; on other machines it is a TLS proxy's."""
    found = HOST.fullmatch(host)
    if found is None:
        return None
    scheme = "http" if found["name"].strip("[]").lower() in LOOPBACK else "https"
    return f"{scheme}://{host}"
