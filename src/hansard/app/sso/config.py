"""The single sign-on settings, checked once when a server starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast
from urllib.parse import urlsplit

from hansard.app.settings import LOOPBACK, Settings, client_secret
from hansard.app.sso.granting import Grant, Table, read_table
from hansard.kernel.event import Role
from hansard.kernel.problem import InvalidInput

People = Literal["none", "page", "all"]

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class SignOn:
    """Which provider vouches, for whom, and what access that gives."""

    issuer: str
    audience: str
    table: Table
    otherwise: Grant | None
    """The role of a person who is in no group of the table."""
    groups_claim: str = "groups"
    name_claim: str = "preferred_username"
    asks_scopes: bool = True
    people: People = "none"
    client: str = ""
    """The page's id at the provider; without it nobody signs in there."""
    client_secret: str | None = field(default=None, repr=False)
    visit_s: float = 8 * HOUR_S


def sign_on(settings: Settings, environment: Mapping[str, str] | None = None) -> SignOn | None:
    """Read the settings of single sign-on; `None` if it is off. Refuses what would not be safe."""
    if not settings.sso_issuer:
        _require_unset(settings)
        return None
    _require_address("sso_issuer", settings.sso_issuer)
    if not settings.sso_audience:
        raise InvalidInput(
            "sso_audience is missing: without it, tokens for other servers would let in here",
            hint="Set it to the address by which clients reach this server's /mcp",
            argument="sso_audience",
        )
    if settings.sso_audience == settings.sso_client:
        raise InvalidInput(
            "sso_audience is the page's own client id: what the provider tells the page about "
            "somebody would then let in as an access token",
            hint="Register the page and the server apart",
            argument="sso_client",
        )
    table = read_table(settings.sso_groups)
    role = None if settings.sso_role == "none" else cast("Role", settings.sso_role)
    if not table and role is None:
        raise InvalidInput(
            "Single sign-on would let in nobody: no group has a role",
            hint="Give groups roles in [sso_groups] of the config file, or everybody by sso_role",
            argument="sso_groups",
        )
    if settings.sso_hours < 1:
        raise InvalidInput("sso_hours is at least 1", argument="sso_hours")
    return SignOn(
        issuer=settings.sso_issuer,
        audience=settings.sso_audience,
        table=table,
        otherwise=Grant(role) if role else None,
        groups_claim=settings.sso_groups_claim,
        name_claim=settings.sso_name_claim,
        asks_scopes=settings.sso_scopes == "required",
        people=cast("People", settings.sso_people),
        client=settings.sso_client,
        client_secret=client_secret(environment),
        visit_s=settings.sso_hours * HOUR_S,
    )


def is_safe_address(url: str) -> bool:
    """Whether what is read there cannot be changed in transit: it uses TLS, or this machine."""
    parts = urlsplit(url)
    if not parts.hostname or parts.username is not None:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)


def _require_address(name: str, url: str) -> None:
    if not is_safe_address(url) or "?" in url or "#" in url:
        raise InvalidInput(
            f"{name} is not an https address",
            hint="Copy it from the provider, as its tokens name it in `iss`",
            argument=name,
        )


def _require_unset(settings: Settings) -> None:
    for name in ("sso_audience", "sso_client", "sso_groups"):
        if getattr(settings, name):
            raise InvalidInput(
                f"{name} is set, and sso_issuer is not: nobody would be let in by it",
                hint="Set sso_issuer to the provider's address, or leave both out",
                argument="sso_issuer",
            )
