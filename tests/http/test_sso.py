"""Callers with access tokens of an identity provider, and those who make some up."""

import base64
import hmac
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest

from hansard.app import identities
from hansard.app.sso.fetching import IssuerUnreachable
from hansard.app.sso.issuer import LEEWAY_S, TOKEN_CHARS_MAX, Issuer, TokenRefused
from hansard.app.sso.keys import AGAIN_S, FRESH_S, KEPT_S
from hansard.http.rate_limits import FAILURES_AT_ONCE
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import Actor, Stamp
from hansard.sessions.projects import make as make_project
from tests.http.issuing import AUDIENCE, Provider, SigningKey, issuing
from tests.http.serving import (
    Answer,
    Server,
    environment,
    make_token,
    mcp_call,
    serving,
    set_secret,
    store_in,
)
from tests.launcher.programs import PROGRAM, run
from tests.patience import wait_until

STAMP = Stamp(Actor("human", "root", "admin"), to_text(utc_now()))
GROUPS = {
    "team": "agent",
    "admins": "admin",
    "guests": {"role": "viewer", "projects": ["ours"]},
    "nowhere": {"role": "agent", "projects": ["yet-to-come"]},
}
RECORD = {"type": "task", "title": "t", "summary": "s", "body": "b"}


def variables(provider: Provider, **more: str) -> dict[str, str]:
    return {
        "HANSARD_SSO_ISSUER": provider.address,
        "HANSARD_SSO_AUDIENCE": AUDIENCE,
        "HANSARD_SSO_GROUPS": json.dumps(GROUPS),
    } | {f"HANSARD_SSO_{name.upper()}": value for name, value in more.items()}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with issuing() as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("sso")
    with store_in(home) as store:
        make_project(store, "ours", STAMP)
    with serving(home, "--rate-per-minute", "0", **variables(provider)) as running:
        yield running


def call(server: Server, text: str, name: str = "list_projects", arguments: Any = None) -> Answer:
    return mcp_call(server, name, arguments, authorization=f"Bearer {text}")


def who(server: Server, text: str) -> str:
    told = server.request("GET", "/api/v1", authorization=f"Bearer {text}").json()
    return str(told["actor"])


def unsigned(claims: dict[str, Any], alg: str = "none", signature: str = "") -> str:
    parts = ({"alg": alg, "typ": "at+jwt", "kid": "one"}, claims)
    said = [
        base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts
    ]
    return ".".join([*said, signature])


# What is said to who comes without one.


def test_whoever_shows_nothing_is_told_where_to_sign_in(server: Server, provider: Provider) -> None:
    answer = mcp_call(server, "list_projects")
    described = server.request("GET", "/.well-known/oauth-protected-resource/mcp").json()

    challenge = answer.headers["www-authenticate"]
    where = f'resource_metadata="{server.base}/.well-known/oauth-protected-resource/mcp"'
    assert answer.status == 401
    assert where in challenge
    assert 'scope="hansard:read hansard:write"' in challenge
    assert "error=" not in challenge
    assert described["authorization_servers"] == [provider.address]
    assert described["resource"] == AUDIENCE
    assert described["scopes_supported"] == ["hansard:read", "hansard:write", "hansard:admin"]


# Who is let in.


def test_an_access_token_lets_in_an_agent_as_its_groups_say(
    server: Server, provider: Provider
) -> None:
    text = provider.token(sub="u-say", preferred_username="greta")

    written = call(server, text, "create_record", RECORD)

    assert written.status == 200
    assert who(server, text) == "agent:greta"


def test_a_token_made_here_lets_in_as_before(server: Server) -> None:
    text, _ = make_token(server.home, "viewer", name="machine")

    assert call(server, text).status == 200
    assert call(server, f"{text}x").status == 401


def test_groups_bound_the_projects(server: Server, provider: Provider) -> None:
    text = provider.token(sub="u-guest", groups=["guests", "unknown"])

    seen = call(server, text).json()["result"]["structuredContent"]["projects"]
    written = call(server, text, "create_record", RECORD)

    assert [one["id"] for one in seen] == ["ours"]
    assert written.status == 403


@pytest.mark.parametrize(
    ("scope", "operation", "status", "asked"),
    [
        ("hansard:read", "list_projects", 200, None),
        ("hansard:read", "create_record", 403, "hansard:write"),
        ("hansard:admin", "create_record", 200, None),
        ("openid profile", "list_projects", 403, "hansard:read"),
        ("", "list_projects", 403, "hansard:read"),
    ],
)
def test_scopes_bound_what_groups_give(
    server: Server,
    provider: Provider,
    *,
    scope: str,
    operation: str,
    status: int,
    asked: str | None,
) -> None:
    text = provider.token(scope=scope)
    answer = call(server, text, operation, RECORD if operation == "create_record" else None)

    assert answer.status == status
    if asked:
        challenge = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert f'scope="{asked}"' in challenge


@pytest.mark.parametrize("groups", [[], ["unknown"], None, 7, ["nowhere"]])
def test_who_is_in_no_group_of_the_table_is_refused_and_not_asked_to_sign_in_again(
    server: Server, provider: Provider, groups: Any
) -> None:
    answer = call(server, provider.token(sub="u-nobody", groups=groups))

    assert (answer.status, answer.json()["error"]["code"]) == (403, "PERMISSION_DENIED")
    assert answer.headers["www-authenticate"] is None


# Who is not.


def test_nobody_comes_in_with_what_the_provider_did_not_sign_for_us_now(
    server: Server, provider: Provider
) -> None:
    now, good = int(time.time()), provider.token()
    head, body, signature = good.split(".")
    stranger = SigningKey("one")
    public = provider.keys[0].pem()
    other = base64.urlsafe_b64encode(b'{"sub":"admin"}').decode().rstrip("=")
    attacks = {
        "alg none": unsigned(provider.claims()),
        "alg None": unsigned(provider.claims(), "None"),
        "HS256 with the public key": _hmac(provider.claims(), public),
        "HS256 with the key as published": _hmac(
            provider.claims(), json.dumps(provider.keys[0].jwk()).encode()
        ),
        "another's key under the same name": provider.token(key=stranger),
        "a key of its own": provider.token(
            key=stranger, headers={"jwk": stranger.jwk(), "kid": "new"}
        ),
        "a key elsewhere": provider.token(
            key=stranger, headers={"jku": "http://127.0.0.1:1/keys", "kid": "new"}
        ),
        "kid that is a path": provider.token(headers={"kid": "../../../../dev/null"}),
        "kid that is SQL": provider.token(headers={"kid": "x' UNION SELECT 'y"}),
        "unknown kid": provider.token(headers={"kid": "gone"}),
        "what it does not know": provider.token(headers={"crit": ["exp"], "exp": 1}),
        "an ID token's purpose": provider.token(headers={"typ": "logout+jwt"}),
        "wrong audience": provider.token(aud="https://other.example/mcp"),
        "audience that begins alike": provider.token(aud=f"{AUDIENCE}/x"),
        "no audience": provider.token(drop="aud"),
        "wrong issuer": provider.token(iss="https://evil.example"),
        "issuer with a slash": provider.token(iss=f"{provider.address}/"),
        "no issuer": provider.token(drop="iss"),
        "expired": provider.token(exp=now - LEEWAY_S - 5),
        "no end": provider.token(drop="exp"),
        "not yet": provider.token(nbf=now + 3600),
        "made in the future": provider.token(iat=now + 3600),
        "nobody": provider.token(sub=""),
        "a number": provider.token(drop="sub"),
        "bound to a key": provider.token(cnf={"jkt": "x"}),
        "another body": f"{head}.{other}.{signature}",
        "cut": good[:-4],
        "no signature": f"{head}.{body}.",
        "huge": provider.token(padding="x" * TOKEN_CHARS_MAX),
        "no token": "..",
        "deep": unsigned({}, "RS256").replace(".", ".eyJ" + "W" * 100, 1),
        "of ours, by its look": f"hns_{good}",
    }

    told = {name: call(server, text) for name, text in attacks.items()}

    assert {name: answer.status for name, answer in told.items()} == dict.fromkeys(attacks, 401)
    assert all('error="invalid_token"' in one.headers["www-authenticate"] for one in told.values())
    assert call(server, good).status == 200


def _hmac(claims: dict[str, Any], secret: bytes) -> str:
    """Sign with what everybody knows, as if it were a secret; the library refuses to do it."""
    head, body, _ = unsigned(claims, "HS256").split(".")
    made = hmac.digest(secret, f"{head}.{body}".encode(), "sha256")
    return f"{head}.{body}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"


def test_a_shared_secret_among_the_published_keys_checks_nothing(
    server: Server, provider: Provider
) -> None:
    secret = base64.urlsafe_b64encode(b"everybody knows this secret, all 32").decode().rstrip("=")
    provider.extra_keys = [{"kty": "oct", "kid": "shared", "k": secret, "alg": "HS256"}]
    try:
        text = _hmac(provider.claims(), b"everybody knows this secret, all 32")
        assert call(server, text).status == 401
    finally:
        provider.extra_keys = []


def test_in_an_address_or_twice_a_good_token_lets_in_nobody(
    server: Server, provider: Provider
) -> None:
    text = provider.token()

    in_address = server.request("GET", f"/api/v1?access_token={text}")
    no_bearer = server.request("GET", "/api/v1", authorization=f"Basic {text}")

    assert (in_address.status, no_bearer.status) == (401, 401)


# What becomes of those who were let in.


def test_a_name_stays_its_first_bearers_also_if_the_provider_gives_it_to_another(
    server: Server, provider: Provider
) -> None:
    first = provider.token(sub="u-first", preferred_username="anna")
    second = provider.token(sub="u-second", preferred_username="anna")
    renamed = provider.token(sub="u-first", preferred_username="boris")

    assert who(server, first) == who(server, renamed) == "agent:anna"
    assert who(server, second).startswith("agent:anna-")
    with pytest.raises(Exception, match="single sign-on"):
        make_token(server.home, "agent", name="anna")


def test_no_name_of_a_token_and_no_name_that_deceives_is_given(
    server: Server, provider: Provider
) -> None:
    make_token(server.home, "agent", name="builder")

    taken = who(server, provider.token(sub="u-b", preferred_username="builder"))
    reserved = who(server, provider.token(sub="u-c", preferred_username="hansard"))
    deceiving = who(server, provider.token(sub="u-d", preferred_username="x (unproved)\u202e"))

    assert taken.startswith("agent:builder-")
    assert reserved.startswith("agent:hansard-")
    assert deceiving == "agent:x unproved"


def test_whoever_is_barred_is_out_at_once_and_may_be_let_in_again(
    server: Server, provider: Provider
) -> None:
    text = provider.token(sub="u-barred")
    assert call(server, text).status == 200
    identity = identities.id_of(provider.address, "u-barred")

    with store_in(server.home) as store:
        identities.bar(store, identity, STAMP)
    barred = call(server, text)
    with store_in(server.home) as store:
        identities.admit(store, identity, STAMP)

    assert barred.status == 403
    assert call(server, text).status == 200


# Keys.


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def is_good(issuer: Issuer, text: str) -> bool:
    try:
        issuer.check(text, AUDIENCE)
    except TokenRefused:
        return False
    return True


def test_a_key_that_was_exchanged_counts_and_the_one_before_does_not(clock: Clock) -> None:
    with issuing() as provider:
        issuer, old = Issuer(provider.address, timer=clock), provider.keys[0]
        assert is_good(issuer, provider.token())
        provider.keys = [SigningKey("two")]
        clock.now += AGAIN_S

        assert is_good(issuer, provider.token())
        assert not is_good(issuer, provider.token(key=old))


def test_a_key_that_was_taken_away_counts_no_more_after_a_while(clock: Clock) -> None:
    with issuing() as provider:
        issuer, old = Issuer(provider.address, timer=clock), provider.keys[0]
        assert is_good(issuer, provider.token())
        provider.keys = [SigningKey("two")]

        assert is_good(issuer, provider.token(key=old)), "nothing was fetched since"
        clock.now += FRESH_S
        assert not is_good(issuer, provider.token(key=old))


def test_whoever_makes_up_keys_has_them_fetched_once_in_a_while(clock: Clock) -> None:
    with issuing() as provider:
        issuer = Issuer(provider.address, timer=clock)
        made_up = [provider.token(headers={"kid": str(number)}) for number in range(30)]

        assert not any(is_good(issuer, text) for text in made_up)
        assert provider.fetches == 1
        clock.now += AGAIN_S
        assert not any(is_good(issuer, text) for text in made_up)
        assert provider.fetches == 2
        assert is_good(issuer, provider.token())


def test_keys_outlive_a_provider_that_is_away_for_a_while_and_no_longer(clock: Clock) -> None:
    with issuing() as provider:
        issuer = Issuer(provider.address, timer=clock)
        assert is_good(issuer, provider.token())
        provider.is_away = True

        clock.now += KEPT_S - 1
        assert is_good(issuer, provider.token())
        clock.now += AGAIN_S
        for _ in range(2):
            with pytest.raises(IssuerUnreachable):
                issuer.check(provider.token(), AUDIENCE)
        provider.is_away = False
        clock.now += AGAIN_S
        assert is_good(issuer, provider.token())


def test_a_provider_that_goes_by_another_name_is_not_believed(clock: Clock) -> None:
    with issuing() as provider:
        told = {"issuer": "https://evil.example", "jwks_uri": f"{provider.address}/keys"}
        issuer = Issuer(provider.address, fetch=lambda _: told, timer=clock)

        with pytest.raises(IssuerUnreachable):
            issuer.check(provider.token(), AUDIENCE)


@pytest.mark.parametrize("address", ["http://id.example/keys", "file:///etc/passwd", "", 7])
def test_keys_are_fetched_by_tls_only(address: Any, clock: Clock) -> None:
    about = {"issuer": "https://id.example", "jwks_uri": address}
    issuer = Issuer("https://id.example", fetch=lambda _: about, timer=clock)

    with pytest.raises(IssuerUnreachable):
        issuer.published()


def test_while_the_provider_does_not_answer_nobody_new_is_let_in_and_that_is_said(
    tmp_path: Path,
) -> None:
    with issuing() as provider, serving(tmp_path, **variables(provider)) as server:
        provider.is_away = True
        answer = call(server, provider.token())
        ours, _ = make_token(tmp_path, "viewer", name="machine")

        assert (answer.status, answer.json()["error"]["code"]) == (503, "ISSUER_UNREACHABLE")
        assert "identity provider" in answer.json()["error"]["message"]
        assert call(server, ours).status == 200


def test_an_address_that_shows_made_up_tokens_is_told_to_wait(tmp_path: Path) -> None:
    with issuing() as provider, serving(tmp_path, **variables(provider)) as server:
        good = provider.token()
        made_up = provider.token(aud="x")
        first = {call(server, made_up).status for _ in range(FAILURES_AT_ONCE)}

        assert first == {401}
        # While we ask, some are forgiven.
        wait_until(lambda: call(server, made_up).status == 429)
        assert call(server, good).status == 200


# People.


@pytest.mark.parametrize(
    ("people", "actor", "proof"), [("none", "agent:maria", None), ("all", "human:maria", "proved")]
)
def test_an_access_token_proves_no_person_unless_the_settings_say_so(
    tmp_path: Path, people: str, actor: str, proof: str | None
) -> None:
    set_secret(tmp_path, "a secret that is long enough")
    with issuing() as provider, serving(tmp_path, **variables(provider, people=people)) as server:
        text = provider.token(groups=["admins"], scope="hansard:admin")
        told = server.request("GET", "/api/v1", authorization=f"Bearer {text}").json()

    assert (told["actor"], told["proof"]) == (actor, proof)


# Settings.


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("issuer", "http://id.example", "https"),
        ("issuer", "", "sso_issuer is not"),
        ("audience", "", "sso_audience is missing"),
        ("client", AUDIENCE, "client id"),
        ("groups", "", "let in nobody"),
        ("groups", "{", "JSON"),
        ("groups", '{"a": "owner"}', "role"),
        ("groups", '{"a": {"role": "agent", "projects": []}}', "projects"),
    ],
)
def test_what_would_not_be_safe_does_not_start(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    given = variables(Provider("https://id.example")) | {f"HANSARD_SSO_{name.upper()}": value}

    ran = run(
        [PROGRAM, "serve", "--port", "0"],
        env=environment(tmp_path) | given, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.returncode != 0
    assert said in ran.stderr


def test_the_table_of_groups_is_read_from_the_config_file(tmp_path: Path) -> None:
    with issuing() as provider:
        config = tmp_path / "config.toml"
        config.write_text(
            f'sso_issuer = "{provider.address}"\nsso_audience = "{AUDIENCE}"\n'
            '[sso_groups]\n"team" = { role = "viewer" }\n'
        )
        with serving(tmp_path, HANSARD_CONFIG=str(config)) as server:
            text = provider.token()
            assert call(server, text).status == 200
            assert call(server, text, "create_record", RECORD).status == 403
            checked = server.run("sso", "check", "--sso-issuer", provider.address)
            assert checked.returncode != 0, "a flag without the rest is refused"


def test_jwt_stays_the_library_that_refuses_what_we_rely_on() -> None:
    with pytest.raises(jwt.PyJWTError):
        jwt.decode(unsigned({"sub": "x"}), algorithms=["RS256"], key="")
