"""Which roles and projects a person's groups give. Pure: no store, no network, no clock."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hansard.app.oauth import SCOPES
from hansard.kernel.event import ROLES, Role
from hansard.kernel.problem import InvalidInput

GROUPS_MAX = 1_000
"""The most groups of one person, and of the table; more are ignored, or refused."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A role, in the projects of these names; `None` is all, those yet to come too."""

    role: Role
    projects: tuple[str, ...] | None = None


Table = Mapping[str, Grant]
"""What access each group gives."""


def read_table(text: str) -> Table:
    """Read the table of the settings: a role for each group, or a role and projects."""
    if not text:
        return {}
    try:
        read = json.loads(text)
    except ValueError:
        raise _wrong("is not JSON, nor a table of the config file") from None
    if not isinstance(read, dict) or len(read) > GROUPS_MAX:
        raise _wrong(f"is no table of up to {GROUPS_MAX} groups")
    return {group: _grant(group, given) for group, given in read.items()}


def _grant(group: str, given: Any) -> Grant:
    if isinstance(given, str):
        given = {"role": given}
    if not isinstance(given, dict) or given.keys() - {"role", "projects"}:
        raise _wrong(f"gives {group[:100]} something else than a role and projects")
    if given.get("role") not in ROLES:
        raise _wrong(f"gives {group[:100]} no role; a role is one of {', '.join(ROLES)}")
    role, projects = cast("Role", given["role"]), given.get("projects")
    if projects is None:
        return Grant(role)
    is_list = isinstance(projects, list) and all(isinstance(one, str) for one in projects)
    if not is_list or not projects:
        raise _wrong(f"must list the projects of {group[:100]}, or leave them out for all")
    return Grant(role, tuple(projects))


def _wrong(what: str) -> InvalidInput:
    return InvalidInput(
        f"sso_groups {what}",
        hint='In the config file, [sso_groups]: team = { role = "agent", projects = ["x"] }',
        argument="sso_groups",
    )


def granted(groups: Collection[str], table: Table, otherwise: Grant | None) -> Grant | None:
    """Give the access of somebody in these groups; `None` if there is none.

    Of several grants the highest role counts, and only where it was given: a viewer of everything
    who is an admin of one project is no admin of everything.
    """
    given = [grant for group, grant in table.items() if group in groups]
    if not given:
        return otherwise
    role = max((grant.role for grant in given), key=ROLES.index)
    places = [grant.projects for grant in given if grant.role == role]
    if any(place is None for place in places):
        return Grant(role)
    return Grant(role, tuple(dict.fromkeys(one for place in places for one in place or ())))


def claimed(claims: Mapping[str, Any], name: str) -> Any:
    """Find a claim by its name, or by a path of names such as `realm_access.roles`."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def groups_in(claims: Mapping[str, Any], name: str) -> list[str] | None:
    """List the groups that a claim names; `None` if nothing is said of groups."""
    found = claimed(claims, name)
    if isinstance(found, str):
        return [found]
    if not isinstance(found, Sequence):
        return None
    return [one for one in found[:GROUPS_MAX] if isinstance(one, str)]


def scope_role(claims: Mapping[str, Any]) -> Role | None:
    """Give the highest role that an access token's scopes allow; `None` if none is ours."""
    said = claims.get("scope", claims.get("scp", ""))
    given = set(said.split() if isinstance(said, str) else said if isinstance(said, list) else ())
    reached = [role for role in ROLES if SCOPES[role] in given]
    return reached[-1] if reached else None


def lower(one: Role, other: Role) -> Role:
    """Give the lower of two roles."""
    return min(one, other, key=ROLES.index)
