"""The application as a caller with a token sees it: only the projects of that token."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from hansard.app.application import Application
from hansard.app.home_projects import NamedHome
from hansard.app.tokens import ID_BYTES, Token
from hansard.kernel.operation import Caller, Home, Result
from hansard.kernel.problem import PermissionDenied
from hansard.kernel.session_holder import Holder
from hansard.sessions.naming import DEFAULT_PROJECT

OWN_NAME_CHARS_MAX = 40
"""Of a name, in the id of its bearer's own project."""


@dataclass(frozen=True, slots=True)
class TokenCaller(Caller):
    """The caller who showed a token."""

    token: Token | None = None


def caller_with(token: Token, *, secret: str | None = None, **came: Any) -> TokenCaller:
    """Build the caller of one request: the one that the token names.

    Where the store knows a secret, a token that anybody could make before that proves no more than
    its maker did. `came` is what else came along.
    """
    given: dict[str, Any] = {
        "actor": token.actor,
        "secret": secret,
        "is_vouched": token.vouches,
        "projects": token.projects,
        "token": token,
        "scope": (token.actor.id,),
        "holder": Holder(via="http", token=token.id),
    }
    return TokenCaller(**given | came)


class Bounded(Application):
    """The application for callers with tokens: they learn nothing about projects not theirs."""

    def __init__(self, whole: Application) -> None:
        """Wrap an application, on the same store."""
        super().__init__(
            whole.catalog,
            whole.store,
            home=whole.home,
            read_only=whole.read_only,
            limit=whole.limit,
        )
        self._whole = whole
        self._homes: dict[str, Home] = {}

    def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Result:
        """Do one operation for a caller, where its token reaches."""
        token = caller.token if isinstance(caller, TokenCaller) else None
        if token is None:
            return self._whole.call(name, arguments, caller)
        operation = self.catalog.find(name)
        if token.projects is not None and operation.in_catalog and name != "list_projects":
            raise PermissionDenied(
                f"{operation.name} is about the whole store, and this token is for some projects",
                hint="Use a token that was made without --project",
            )
        return self._whole.call(name, arguments, replace(caller, home=self.home_of(token)))

    def home_for(self, caller: Caller) -> Home:
        """Give the project of a caller's calls that name none: its token's own."""
        return self.home_of(caller.token if isinstance(caller, TokenCaller) else None)

    def home_of(self, token: Token | None) -> Home:
        """Give the project of calls that name none: one that the token sees.

        Where none was chosen, a caller who may see all projects has one of their own.
        """
        if token is None:
            return self.home
        if token.id not in self._homes:
            self._homes[token.id] = self._home_for(token)
        return self._homes[token.id]

    def _home_for(self, token: Token) -> Home:
        if token.projects is None:
            return self.home if self.home.is_chosen else NamedHome(own_project(token.actor.id))
        is_own = self.home.find(self.store) in token.projects
        return self.home if is_own else NamedHome(token.projects[0])


def own_project(name: str) -> str:
    """Name the default project for this name; no two names share one."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in name)
    if plain == name and len(name) <= OWN_NAME_CHARS_MAX:
        return f"{DEFAULT_PROJECT}-{name}"
    digest = sha256(name.encode()).hexdigest()[: 2 * ID_BYTES]
    return f"{DEFAULT_PROJECT}-{plain[:OWN_NAME_CHARS_MAX]}-{digest}"
