"""Tokens: who calls over HTTP, with which role, and which projects they see.

A token's text is shown once, when it is made. The journal of the catalog keeps a digest of it, so
it is known only to the store it was made for, and is not found in a copy of that store.
"""

import hmac
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar, Literal

from hansard.app import identities, people, sign_ins
from hansard.kernel.engine import Found, ReadTx, Row, Table, WriteTx
from hansard.kernel.event import Actor, Event, Proof, Role, Stamp
from hansard.kernel.operation import Capability
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import Derivation, View
from hansard.sessions import projects

PREFIX = "hns"
"""The prefix of a token's text, by which scanners recognize leaked secrets."""

ID_BYTES = 4
SECRET_BYTES = 32
"""256 random bits: nothing slower than one hash is needed to keep them from being guessed."""

NAME_CHARS_MAX = 100
TOKENS_MAX = 10_000

RESERVED = frozenset({"stdio", "http", "page", "cli", "hansard"})
"""Names reserved for callers without a token."""


class RateLimited(Problem):
    """The caller asks more often, or sends more, than it may."""

    code, http_status = "RATE_LIMITED", 429
    hint = "Wait for as long as Retry-After says, then go on"


class TokenCreated(Event):
    """A token was made."""

    kind: ClassVar[str] = "tokens.token_created.v1"

    id: str
    name: str
    digest: str
    actor_kind: Literal["agent", "human"]
    role: Role
    projects: list[str] | None
    """Which projects it sees; `None` is all, those yet to come too."""
    expires: str | None
    proof: Proof | None = None
    """Whether the person who made it was proved; `None` of others, and of older entries."""

    def summary(self) -> str:
        """Name the token and its role."""
        return f"Token {self.id} ({self.name}) made with the role {self.role}"

    def subject(self) -> str:
        """Give the token's id."""
        return self.id


class TokenRevoked(Event):
    """A token was taken back."""

    kind: ClassVar[str] = "tokens.token_revoked.v1"

    id: str
    proof: Proof | None = None

    def summary(self) -> str:
        """Name the token."""
        return f"Token {self.id} revoked"

    def subject(self) -> str:
        """Give the token's id."""
        return self.id


VERSION = 1
TOKENS = Table("tokens", version=VERSION)
"""In the catalog: every token there ever was, by id."""


def _created(event: TokenCreated, derivation: Derivation) -> None:
    derivation.put(TOKENS, event.id, _row(event, derivation.entry.at))


def _row(event: TokenCreated, at: str) -> Row:
    return event.model_dump(mode="json") | {"created": at, "revoked": None}


def _revoked(event: TokenRevoked, derivation: Derivation) -> None:
    row = derivation.get(TOKENS, event.id)
    assert row is not None, "a token was revoked that was never made"
    derivation.put(TOKENS, event.id, row | {"revoked": derivation.entry.at})


_VIEW = View("tokens", VERSION, (TOKENS,), on={TokenCreated: _created, TokenRevoked: _revoked})


def capability() -> Capability:
    """Make the capability: it offers no operation, since no agent hands out tokens."""
    return Capability("tokens", (), (TokenCreated, TokenRevoked), (_VIEW,))


@dataclass(frozen=True, slots=True)
class Token:
    """What a token lets its bearer do."""

    id: str
    actor: Actor
    projects: tuple[str, ...] | None
    created: str
    expires: str | None
    revoked: str | None
    is_proved: bool = False
    """Whether it was made by a person who proved the secret, or with a token that was."""
    vouches: bool = field(default=False, compare=False)
    """Whether its bearer needs no further proof: it was proved, or the store knows no secret to
    prove."""
    sign_in: str | None = field(default=None, compare=False)
    """The sign-in on the page that let its bearer in, if it was not a token's text."""

    def is_good(self, now: str) -> bool:
        """Whether it still lets in."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def sees(self, project: str) -> bool:
        """Whether a project is one of its own."""
        return self.projects is None or project in self.projects


@dataclass(frozen=True, slots=True)
class WantedToken:
    """A token to be made."""

    role: Role
    name: str | None = None
    is_human: bool = False
    projects: Sequence[str] = ()
    """`None` means all."""
    expires: str | None = None
    renews: str | None = None
    """The id of an ended token with the same bearer, whose name the new one keeps."""


def create(
    store: Store,
    wanted: WantedToken,
    stamp: Stamp,
    proof: Proof | None = None,
    *,
    show: Callable[[Token, str], None] = lambda *_: None,
) -> tuple[Token, str]:
    """Make a token; gives its text, which nobody can find out again.

    `show` gets it before it is made: a token whose text went nowhere must never let anybody in. So
    whatever interrupts this leaves nothing, and the name free.
    """
    if not stamp.actor.may("admin"):
        raise PermissionDenied("Making a token needs the role admin", role=stamp.actor.role)
    identity = secrets.token_hex(ID_BYTES)
    text = f"{PREFIX}_{identity}_{secrets.token_urlsafe(SECRET_BYTES)}"
    made = _drawn(store, wanted, identity, text, proof)
    name = made.name

    def require_allowed(tx: ReadTx) -> None:
        there = [_token(found.row) for found in _scan(tx)]
        if len(there) >= TOKENS_MAX:
            raise InvalidInput(f"A store has at most {TOKENS_MAX} tokens", argument="name")
        if identities.is_derived(store) and identities.has_name(tx, name):
            raise InvalidInput(
                f"Somebody who comes by single sign-on is called {name}",
                hint="Choose another name",
                argument="name",
            )
        _require_free(name, [one for one in there if one.actor.id == name], wanted, stamp.at)

    def work(tx: WriteTx) -> Token:
        require_allowed(tx)
        store.record(tx, made, stamp)
        row = tx.get(TOKENS, identity)
        assert row is not None, "a token was made and is not there"
        return _token(row)

    if _keeps_tokens(store):
        store.read(CATALOG, require_allowed)
    show(_token(_row(made, stamp.at)), text)
    return store.write(CATALOG, work), text


def _drawn(
    store: Store, wanted: WantedToken, identity: str, text: str, proof: Proof | None
) -> TokenCreated:
    seen = {projects.require(store, project).key for project in wanted.projects}
    return TokenCreated(
        id=identity,
        name=_checked_name(wanted.name or f"token-{identity}"),
        digest=_digest(text),
        actor_kind="human" if wanted.is_human else "agent",
        role=wanted.role,
        projects=sorted(seen) or None,
        expires=wanted.expires,
        proof=proof,
    )


def _require_free(name: str, before: Sequence[Token], wanted: WantedToken, now: str) -> None:
    """Refuse a name that was another's: kept answers, a project and authorship go with it."""
    if any(one.is_good(now) for one in before):
        raise InvalidInput(
            f"A token is called {name} already",
            hint="Choose another name, or revoke that one first",
            argument="name",
        )
    renewed = any(one.id == wanted.renews for one in before)
    if wanted.renews is not None and not renewed:
        raise InvalidInput(
            f"No token {wanted.renews[:100]} of the name {name} has ended",
            hint="`hansard token list` shows their ids and names",
            argument="renews",
        )
    if before and not renewed:
        raise InvalidInput(
            f"An earlier token was called {name}, and its work belongs to that name",
            hint=f"Choose another name; or, for the same bearer, --renews {before[-1].id}",
            argument="name",
        )


def revoke(store: Store, identity: str, stamp: Stamp, proof: Proof | None = None) -> Token:
    """Revoke a token, from the next request on; doing it again has no effect."""
    if not stamp.actor.may("admin"):
        raise PermissionDenied("Revoking a token needs the role admin", role=stamp.actor.role)

    def work(tx: WriteTx) -> Token:
        row = tx.get(TOKENS, identity)
        if row is None:
            raise InvalidInput(
                f"There is no token {identity[:100]}",
                hint="`hansard token list` shows their ids",
                argument="id",
            )
        if row["revoked"] is None:
            store.record(tx, TokenRevoked(id=identity, proof=proof), stamp)
        now = tx.get(TOKENS, identity)
        assert now is not None, "a token was revoked and is gone"
        return _token(now)

    return store.write(CATALOG, work)


def every(store: Store) -> list[Token]:
    """List all tokens, also those no longer valid, oldest first."""
    if not _keeps_tokens(store):
        return []
    tokens = [_token(found.row) for found in store.read(CATALOG, _scan)]
    return sorted(tokens, key=lambda one: (one.created, one.id))


def has_name(tx: ReadTx, name: str) -> bool:
    """Whether a token ever had this name, or none may have it."""
    return name in RESERVED or any(found.row["name"] == name for found in _scan(tx))


def any_made(store: Store) -> bool:
    """Whether a token was ever made here; that it has ended does not make it unmade."""
    return _keeps_tokens(store) and bool(store.read(CATALOG, lambda tx: tx.scan(TOKENS, limit=1)))


def find(store: Store, text: str, now: str) -> Token | None:
    """Find the token that someone showed; `None` if it lets in nobody here, or no more.

    Its id says where to look, and is no secret. The rest is compared by digest and in constant
    time, so that how long a refusal takes tells nothing of it.
    """
    prefix, _, rest = text.partition("_")
    identity, separator, _ = rest.partition("_")
    if prefix != PREFIX or not separator or not (_is_id(identity) and _keeps_tokens(store)):
        return None
    may_know = people.is_derived(store)

    def work(tx: ReadTx) -> tuple[Row | None, bool]:
        return tx.get(TOKENS, identity), may_know and people.known_in(tx) is not None

    row, knows_secret = store.read(CATALOG, work)
    is_same = hmac.compare_digest(row["digest"] if row else _digest(""), _digest(text))
    if row is None or not is_same:
        return None
    token = _token(row, vouches=_is_proved(row) or not knows_secret)
    return token if token.is_good(now) else None


def is_still_good(store: Store, token: Token, now: str) -> bool:
    """Whether a token that was good a while ago still is."""
    if token.sign_in is not None and sign_ins.find(store, token.sign_in) is None:
        return False
    if identities.is_id(token.id):
        return token.is_good(now) and not identities.barred(store, [token.id])
    row = store.read(CATALOG, lambda tx: tx.get(TOKENS, token.id))
    return row is not None and _token(row).is_good(now)


def ended(store: Store, known: Collection[str], now: str) -> set[str]:
    """Say which of these tokens let nobody in any more, and which identities are barred."""
    signed_on = {one for one in known if identities.is_id(one)}

    def work(tx: ReadTx) -> set[str]:
        rows = {one: tx.get(TOKENS, one) for one in known if one not in signed_on}
        return {one for one, row in rows.items() if row is None or not _token(row).is_good(now)}

    ended_tokens = store.read(CATALOG, work) if _keeps_tokens(store) else set()
    return ended_tokens | identities.barred(store, signed_on)


def _keeps_tokens(store: Store) -> bool:
    """Whether the catalog behind a store has this capability; a smaller one may do without."""
    return store.has(TOKENS)


def _scan(tx: ReadTx) -> list[Found]:
    return tx.scan(TOKENS, limit=TOKENS_MAX)


def _is_proved(row: Row) -> bool:
    return row.get("proof") == "proved"


def _token(row: Row, *, vouches: bool = False) -> Token:
    return Token(
        id=row["id"],
        actor=Actor(row["actor_kind"], row["name"], row["role"]),
        projects=tuple(row["projects"]) if row["projects"] is not None else None,
        created=row["created"],
        expires=row["expires"],
        revoked=row["revoked"],
        is_proved=_is_proved(row),
        vouches=vouches,
    )


def _checked_name(name: str) -> str:
    if not 0 < len(name) <= NAME_CHARS_MAX or not name.isprintable() or name != name.strip():
        raise InvalidInput(
            f"A token's name has 1 to {NAME_CHARS_MAX} printable characters", argument="name"
        )
    if set(name) & set("()"):
        raise InvalidInput(
            "A token's name has no parentheses: in them stands what a client calls itself",
            argument="name",
        )
    if name in RESERVED:
        raise InvalidInput(f"{name} is what callers without a token are called", argument="name")
    return name


def _is_id(text: str) -> bool:
    return len(text) == 2 * ID_BYTES and set(text) <= set("0123456789abcdef")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
