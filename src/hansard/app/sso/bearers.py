"""Callers by single sign-on: the provider says who they are, the table says what they may do."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from hansard.app import identities
from hansard.app.identities import IdentityKnown
from hansard.app.oauth import SCOPES
from hansard.app.sso.config import SignOn
from hansard.app.sso.granting import Grant, claimed, granted, groups_in, lower, scope_role
from hansard.app.sso.issuer import Issuer, TokenRefused
from hansard.app.tokens import Token, has_name
from hansard.kernel.clock import Clock, to_text, utc_now
from hansard.kernel.engine import Row
from hansard.kernel.event import SYSTEM, Actor, ActorKind, Stamp
from hansard.kernel.problem import PermissionDenied
from hansard.kernel.store import Store
from hansard.sessions import projects


class ScopeMissing(PermissionDenied):
    """The access token was not given for anything that this server does."""

    hint = f"Ask the identity provider for the scope {SCOPES['viewer']} or {SCOPES['agent']}"


class NotGranted(PermissionDenied):
    """The identity provider vouches for somebody who has no access here."""

    hint = "Ask whoever runs this server for a group that has a role here"


@dataclass(frozen=True, slots=True)
class Person:
    """Whom the provider vouches for, and of which groups it says they are."""

    sub: str
    name: str
    groups: Collection[str]


class Bearers:
    """Knows whom the provider vouches for."""

    def __init__(
        self,
        store: Store,
        config: SignOn,
        *,
        issuer: Issuer | None = None,
        keeps: bool = True,
        clock: Clock = utc_now,
    ) -> None:
        """Look into a store; a new identity is recorded there, unless the store is read-only."""
        self.config = config
        self.issuer = issuer or Issuer(config.issuer)
        self._store = store
        self._keeps = keeps
        self._clock = clock

    def bearer(self, text: str) -> Token:
        """Find whose access token this is, or refuse it."""
        claims = self.issuer.check(text, self.config.audience)
        if "cnf" in claims:
            raise TokenRefused("The access token is bound to a key, which was not shown")
        grant = self._grant(groups_in(claims, self.config.groups_claim) or ())
        if self.config.asks_scopes:
            reach = scope_role(claims)
            if reach is None:
                raise ScopeMissing("The access token carries no scope of this server")
            grant = Grant(lower(grant.role, reach), grant.projects)
        ends = datetime.fromtimestamp(int(claims["exp"]), UTC)
        is_proved = self.config.people == "all"
        kind: ActorKind = "human" if is_proved else "agent"
        return self._token(self.person(claims), grant, to_text(ends), kind, is_proved=is_proved)

    def visitor(self, person: Person, until: str, *, sign_in: str | None = None) -> Token:
        """Say as what somebody comes who signed in on the page, or refuse: it may have changed."""
        is_proved, grant = self.config.people != "none", self._grant(person.groups)
        token = self._token(person, grant, until, "human", is_proved=is_proved)
        return replace(token, sign_in=sign_in)

    def person(self, claims: Mapping[str, Any]) -> Person:
        """Read who somebody is."""
        named = claimed(claims, self.config.name_claim)
        groups = groups_in(claims, self.config.groups_claim) or []
        return Person(claims["sub"], named if isinstance(named, str) else claims["sub"], groups)

    def _grant(self, groups: Collection[str]) -> Grant:
        grant = granted(groups, self.config.table, self.config.otherwise)
        if grant is None:
            raise NotGranted("None of the groups that the provider names has a role here")
        return grant

    def _token(
        self, person: Person, grant: Grant, until: str, kind: ActorKind, *, is_proved: bool
    ) -> Token:
        row = self._known(person)
        if row["barred"] is not None:
            raise NotGranted(
                "The operator of this server has barred this identity",
                hint="Ask them to let it in again: `hansard sso admit`",
            )
        return Token(
            id=row["id"],
            actor=Actor(kind, row["name"], grant.role),
            projects=self._keys(grant),
            created=row["since"],
            expires=until,
            revoked=None,
            is_proved=is_proved,
            vouches=is_proved,
        )

    def _known(self, person: Person) -> Row:
        identity = identities.id_of(self.config.issuer, person.sub)
        if (row := identities.find(self._store, identity)) is not None:
            return row
        came = IdentityKnown(
            id=identity,
            issuer=self.config.issuer,
            sub=person.sub,
            name=identities.made_fit(person.name, identity),
        )
        now = to_text(self._clock())
        if not self._keeps:
            return came.model_dump() | {"since": now, "barred": None}
        return identities.meet(self._store, came, Stamp(SYSTEM, now), has_name)

    def _keys(self, grant: Grant) -> tuple[str, ...] | None:
        """Give the keys of the projects that are meant, by the names they have now."""
        if grant.projects is None:
            return None
        found = (projects.find(self._store, name) for name in grant.projects)
        keys = tuple(sorted(one.key for one in found if one is not None))
        if not keys:
            raise NotGranted(
                "None of the projects is there yet that these groups have a role in",
                hint="A caller who may see all projects creates them by writing to them once",
            )
        return keys
