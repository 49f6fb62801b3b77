"""What the catalog knows of browsers in which somebody signed in."""

from contextlib import nullcontext

import pytest

from hansard.app import identities, sign_ins
from hansard.app.application import Application
from hansard.app.identities import IdentityKnown
from hansard.app.sign_ins import OF_ONE_MAX, SignedIn
from hansard.app.sso.bearers import Bearers
from hansard.app.sso.config import SignOn
from hansard.app.sso.issuer import Issuer
from hansard.app.sso.login import Login, SignInRefused
from hansard.app.tokens import has_name
from hansard.app.verify import verify
from hansard.kernel.event import SYSTEM, Stamp

NOW, LATER = "2026-01-01T12:00:00.000Z", "2026-01-01T20:00:00.000Z"
STAMP = Stamp(SYSTEM, NOW)
ISSUER = "https://id.example"


def come(app: Application, sub: str) -> str:
    """Have somebody come for the first time; gives their id."""
    identity = identities.id_of(ISSUER, sub)
    came = IdentityKnown(id=identity, issuer=ISSUER, sub=sub, name=sub)
    identities.meet(app.store, came, STAMP, has_name)
    return identity


def sign_in(app: Application, identity: str, digest: str, until: str = LATER) -> None:
    event = SignedIn(digest=digest, identity=identity, groups=["team"], until=until)
    sign_ins.begin(app.store, event, STAMP)


def test_a_browser_is_known_until_it_is_signed_out(app: Application) -> None:
    maria = come(app, "maria")
    for digest in ("one", "two"):
        sign_in(app, maria, digest)

    sign_ins.end(app.store, "one", STAMP)
    sign_ins.end(app.store, "one", STAMP)
    sign_ins.end(app.store, "never", STAMP)

    assert sign_ins.find(app.store, "one") is None
    found = sign_ins.find(app.store, "two")
    assert found is not None
    assert (found.identity, found.sub, found.until) == (maria, "maria", LATER)
    assert list(found.groups) == ["team"]


def test_somebody_is_signed_out_everywhere_and_nobody_else_is(app: Application) -> None:
    maria, greta = come(app, "maria"), come(app, "greta")
    for digest in ("one", "two"):
        sign_in(app, maria, digest)
    sign_in(app, greta, "three")

    assert sign_ins.end_all(app.store, maria, STAMP) == 2

    known = [sign_ins.find(app.store, one) is not None for one in ("one", "two", "three")]
    assert known == [False, False, True]


def test_those_that_are_over_or_too_many_make_room(app: Application) -> None:
    maria = come(app, "maria")
    sign_in(app, maria, "over", until="2026-01-01T11:00:00.000Z")
    sign_in(app, maria, "soonest", until="2026-01-01T19:00:00.000Z")
    assert sign_ins.find(app.store, "over") is None

    for number in range(OF_ONE_MAX):
        sign_in(app, maria, f"browser-{number}")

    assert sign_ins.find(app.store, "soonest") is None
    assert sign_ins.find(app.store, f"browser-{OF_ONE_MAX - 1}") is not None
    assert sign_ins.find(app.store, "browser-0") is not None
    assert verify(app.store).findings == ()


@pytest.mark.parametrize(
    ("says_it", "issuer", "is_refused"),
    [
        (True, ISSUER, False),
        (True, None, True),
        (False, None, False),
        (False, ISSUER, False),
        (False, "https://another.example", True),
    ],
)
def test_an_answer_of_another_provider_is_refused(
    app: Application, says_it: bool, issuer: str | None, is_refused: bool
) -> None:
    about = {"issuer": ISSUER, "authorization_response_iss_parameter_supported": says_it}
    config = SignOn(ISSUER, "https://hansard.example/mcp", {}, None, client="page")
    bearers = Bearers(app.store, config, issuer=Issuer(ISSUER, fetch=lambda _: about))

    with pytest.raises(SignInRefused) if is_refused else nullcontext():
        Login(app.store, bearers).require_answer_of_issuer(issuer)
