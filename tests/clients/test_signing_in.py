"""People sign in on the page by a real OpenID provider, and are known on every server."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest

from hansard.app.sso.login import Journey, digest_of
from tests.clients.node import BIN, HERE
from tests.http.issuing import AUDIENCE
from tests.http.serving import Server, mcp_call, serving, store_in
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.clients

SECRET = "a secret that is only for tests / with odd: characters"
PEOPLE = {"maria": ["team", "choir"], "greta": ["team"], "nobody": ["choir"]}
RECORD = {"type": "task", "title": "t", "summary": "s", "body": "b"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    command = [str(BIN / "node"), str(HERE / "oidc_provider.mjs"), json.dumps(PEOPLE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()


@contextmanager
def served(home: Path, issuer: str, *flags: str) -> Iterator[Server]:
    variables = {
        "HANSARD_SSO_ISSUER": issuer,
        "HANSARD_SSO_AUDIENCE": AUDIENCE,
        "HANSARD_SSO_GROUPS": json.dumps({"team": "agent"}),
        "HANSARD_SSO_PEOPLE": "page",
        "HANSARD_SSO_CLIENT": "the-page",
        "HANSARD_SSO_CLIENT_SECRET": SECRET,
    }
    with serving(home, *flags, **variables) as running:
        yield running


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signing-in")


@pytest.fixture(scope="module")
def servers(home: Path, issuer: str) -> Iterator[tuple[Server, Server]]:
    """Run two servers of one store."""
    with served(home, issuer) as one, served(home, issuer) as other:
        yield one, other


@dataclass
class Somebody:
    """A person with a browser, who is known to the provider."""

    name: str
    at_provider: httpx2.Client = field(
        default_factory=lambda: httpx2.Client(trust_env=False, headers={"connection": "close"})
    )
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, server: Server, path: str, **headers: str) -> tuple[int, str | None, str]:
        """Ask as a browser does; gives the status, where to go then, and the text."""
        answer = server.request("GET", path, None, cookie=self.cookie, **headers)
        for one in answer.headers.get_all("set-cookie") or []:
            name, _, value = one.partition(";")[0].partition("=")
            self.cookies.pop(name, None)
            if value != '""':
                self.cookies[name] = value
        return answer.status, answer.headers["location"], answer.body.decode()

    def post(self, server: Server, operation: str, arguments: Any, **headers: str) -> Any:
        body = json.dumps(arguments).encode()
        usual = {"content_type": "application/json", "cookie": self.cookie} | headers
        return server.request("POST", f"/api/v1/{operation}", body, **usual)

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def who(self, server: Server) -> str | None:
        """Say whom a server takes this browser for."""
        answer = server.request("GET", "/api/v1", cookie=self.cookie)
        return str(answer.json()["actor"]) if answer.status == 200 else None

    def way_back(self, address: str) -> str:
        """Sign in at the provider; gives the path with which it sends the browser back."""
        while urlsplit(address).path != "/login/back":
            answer = self.at_provider.get(address)
            if prompt := re.search(r'name="prompt" value="(\w+)"', answer.text):
                form = {"prompt": prompt[1], "login": self.name, "password": "any"}
                answer = self.at_provider.post(str(answer.url), data=form)
            assert answer.status_code == 303, answer.text
            address = str(answer.url.join(answer.headers["location"]))
        parts = urlsplit(address)
        return f"{parts.path}?{parts.query}"

    def sign_in(self, server: Server) -> tuple[int, str]:
        """Go the whole way; gives how the last page answered."""
        status, address, _ = self.get(server, "/login")
        assert (status, bool(address)) == (303, True)
        assert address is not None
        status, address, text = self.get(server, self.way_back(address))
        return status, address or text


MARK = {"x_hansard_page": "1"}


def test_whoever_signs_in_is_let_in_on_every_server_and_writes_as_a_person(
    servers: tuple[Server, Server],
) -> None:
    maria, (one, other) = Somebody("maria"), servers
    assert "Sign in" in maria.get(one, "/")[2]

    assert maria.sign_in(one) == (303, "/")

    assert maria.who(one) == maria.who(other) == "human:maria"
    assert "Sign in" not in maria.get(other, "/")[2]
    written = maria.post(other, "create_record", RECORD, **MARK)
    assert written.status == 200, written.body
    assert maria.post(other, "verify", {}, **MARK).status == 403, "a group's role is all she has"


def test_the_server_that_sends_away_need_not_be_the_one_that_is_returned_to(
    servers: tuple[Server, Server],
) -> None:
    maria, (one, other) = Somebody("maria"), servers
    address = maria.get(one, "/login")[1]
    assert address is not None

    # Behind a proxy both are reached by one name.
    answer = maria.get(other, maria.way_back(address), host=urlsplit(one.base).netloc)

    assert answer[:2] == (303, "/")
    assert maria.who(one) == "human:maria"


def test_signing_out_counts_on_every_server_and_for_that_browser_only(
    servers: tuple[Server, Server],
) -> None:
    maria, again, (one, other) = Somebody("maria"), Somebody("maria"), servers
    maria.sign_in(one)
    again.sign_in(one)

    assert maria.post(one, "leave", {}, **MARK).status == 200

    assert maria.who(one) is None
    assert maria.who(other) is None
    assert again.who(other) == "human:maria"


def test_whoever_is_barred_is_let_in_no_more_from_the_next_request_on(
    servers: tuple[Server, Server], home: Path
) -> None:
    from hansard.app import identities
    from tests.http.test_sso import STAMP

    greta, (one, other) = Somebody("greta"), servers
    greta.sign_in(one)
    assert greta.who(other) == "human:greta"
    with store_in(home) as store:
        [identity] = [row["id"] for row in identities.every(store) if row["name"] == "greta"]
        identities.bar(store, identity, STAMP)

    assert greta.who(one) is None
    assert greta.who(other) is None
    status, text = greta.sign_in(other)
    assert status == 403
    assert "barred" in text


def test_another_sites_page_cannot_have_a_browser_write_for_who_signed_in(
    servers: tuple[Server, Server],
) -> None:
    maria, (one, _) = Somebody("maria"), servers
    maria.sign_in(one)
    elsewhere = {"origin": "https://elsewhere.example", "content_type": "text/plain"}

    assert maria.post(one, "create_record", RECORD).status == 401
    assert maria.post(one, "create_record", RECORD, **elsewhere).status in {401, 403}
    assert maria.post(one, "create_record", RECORD, **elsewhere, **MARK).status == 403
    assert maria.post(one, "leave", {}).status == 401
    assert mcp_call(one, "list_projects", cookie=maria.cookie, **MARK).status == 401
    assert maria.who(one) == "human:maria"


def test_a_way_back_that_was_not_begun_here_lets_in_nobody(
    servers: tuple[Server, Server],
) -> None:
    maria, victim, (one, _) = Somebody("maria"), Somebody("victim"), servers
    address = maria.get(one, "/login")[1]
    assert address is not None
    back = maria.way_back(address)
    forged = f"{back.partition('?')[0]}?{urlencode({'code': 'x', 'state': 'y'})}"

    assert victim.get(one, back)[0] == 403, "nobody is signed in as somebody else by a link"
    victim.cookies = {name: str(Journey.begun()) for name in maria.cookies}
    assert victim.get(one, back)[0] == 403
    assert maria.get(one, forged)[0] == 403
    assert victim.who(one) is None


def test_a_way_back_can_be_gone_once(servers: tuple[Server, Server]) -> None:
    maria, (one, _) = Somebody("maria"), servers
    address = maria.get(one, "/login")[1]
    assert address is not None
    back, before = maria.way_back(address), dict(maria.cookies)
    assert maria.get(one, back)[0] == 303

    maria.cookies = before

    assert maria.get(one, back)[0] == 403


def test_a_code_without_the_verifier_it_was_asked_with_is_worth_nothing(
    servers: tuple[Server, Server],
) -> None:
    maria, (one, _) = Somebody("maria"), servers
    address = maria.get(one, "/login")[1]
    assert address is not None
    asked = parse_qs(urlsplit(address).query)
    assert asked["code_challenge_method"] == ["S256"]
    [name] = maria.cookies
    journey = Journey.read(maria.cookies[name])
    assert journey is not None
    maria.cookies[name] = str(Journey(journey.state, journey.nonce, Journey.begun().verifier))

    assert maria.get(one, maria.way_back(address))[0] == 403


def test_an_answer_to_another_sign_in_is_refused(servers: tuple[Server, Server]) -> None:
    maria, (one, _) = Somebody("maria"), servers
    address = maria.get(one, "/login")[1]
    assert address is not None
    [name] = maria.cookies
    journey = Journey.read(maria.cookies[name])
    assert journey is not None
    maria.cookies[name] = str(Journey(journey.state, Journey.begun().nonce, journey.verifier))

    assert maria.get(one, maria.way_back(address))[0] == 403


def test_whoever_has_no_role_here_is_told_so(servers: tuple[Server, Server]) -> None:
    status, text = Somebody("nobody").sign_in(servers[0])

    assert status == 403
    assert "role" in text


def test_the_store_keeps_no_cookie_and_no_group_that_means_nothing_here(
    servers: tuple[Server, Server], home: Path
) -> None:
    from hansard.kernel.store import CATALOG

    maria = Somebody("maria")
    maria.sign_in(servers[0])
    [cookie] = maria.cookies.values()

    with store_in(home) as store:
        entries = store.read(CATALOG, lambda tx: tx.entries(limit=100_000))

    text = b"\n".join(entry.payload or b"" for entry in entries)
    assert cookie.encode() not in text
    assert digest_of(cookie).encode() in text
    assert b"choir" not in text


def test_a_real_access_token_lets_in_an_agent_and_an_id_token_does_not(
    servers: tuple[Server, Server], issuer: str
) -> None:
    maria, (one, _) = Somebody("maria"), servers
    given = tokens_of(maria, issuer, resource=AUDIENCE)
    other = tokens_of(maria, issuer, resource="https://another.example/mcp")

    def status(text: str) -> int:
        return mcp_call(one, "list_projects", authorization=f"Bearer {text}").status

    assert status(given["access_token"]) == 200
    assert status(given["id_token"]) == 401
    assert status(other["access_token"]) == 401


def tokens_of(person: Somebody, issuer: str, *, resource: str) -> dict[str, str]:
    """Have the provider give tokens to a program, as a host that speaks MCP does."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    verifier = Journey.begun().verifier
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
    back = "http://127.0.0.1:1/login/back"
    scope = "openid hansard:read hansard:write"
    asked = {"response_type": "code", "client_id": "an-agent", "redirect_uri": back,
             "scope": scope, "resource": resource, "code_challenge": challenge,
             "code_challenge_method": "S256"}  # fmt: skip
    query = urlsplit(person.way_back(f"{issuer}/auth?{urlencode(asked)}")).query
    [code] = parse_qs(query)["code"]
    form = {"grant_type": "authorization_code", "client_id": "an-agent", "code": code,
            "redirect_uri": back, "code_verifier": verifier, "resource": resource}  # fmt: skip
    answer = person.at_provider.post(f"{issuer}/token", data=form, timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    given: dict[str, str] = answer.json()
    return given
