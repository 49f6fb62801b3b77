"""What clients call themselves: shown as authors, and never taken for more than it is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.client import Client as McpClient
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Implementation

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.tokens import WantedToken, create, revoke
from hansard.kernel import paging
from hansard.kernel.event import Actor, Entry, Stamp
from hansard.kernel.operation import Caller
from hansard.mcp.answers import RECEIPT_KEY
from hansard.mcp.callers import http_door, stdio_door
from hansard.mcp.client_names import LOOK_AGAIN_S, Client, TokenNames, made_fit
from hansard.mcp.server import HansardServer

ADMIN = Stamp(Actor("human", "maria", "admin"), "2026-01-02T03:04:05.000000Z")
KEYED: Any = {"hansard/idempotency-key": "k-1"}
ERAS = ["legacy", "auto"]


def connect(
    application: Application, era: str, name: str, *, version: str = "1", over_http: bool = False
) -> McpClient:
    door = (http_door if over_http else stdio_door)("", application.store)
    server = HansardServer(application, Settings(toolsets="all"), door)
    return McpClient(server, mode=era, client_info=Implementation(name=name, version=version))


def entries(application: Application) -> list[Entry]:
    return application.store.read("default", lambda tx: list(paging.entries(tx)))


async def signed(application: Application, name: str, **how: object) -> Actor:
    """Have a client of this name write something; gives who it was done by."""
    era = str(how.pop("era", "auto"))
    async with connect(application, era, name, **how) as client:  # type: ignore[arg-type]
        answer = await client.call_tool("audit_event", {"type": "note", "description": "here"})
    assert not answer.is_error
    return entries(application)[-1].actor


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("claude-code", "claude-code"),
        ("@cline/core", "@cline/core"),
        ("Visual Studio Code", "Visual Studio Code"),
        ("codex\nhuman: root", "codex-human- root"),
        ("  tidy \t me  ", "tidy - me"),
        ("cur\u202esor\u200b", "cur-sor"),
        ("c\u0443rsor", "c-rsor"),
        ("x (human:root)", "x -human-root"),
        ("a" * 10_000_000, "a" * 48),
        ("<script>alert(1)</script>", "script-alert-1-/script"),
        ("\x1b[2Jboo", "2Jboo"),
    ],
)
def test_a_name_is_made_fit_to_sign_with(said: str, name: str) -> None:
    assert made_fit(said, "1") == Client(name, "1")


@pytest.mark.parametrize(
    "said",
    [
        *("", " ", "\n", "\u202e", "---", "通义"),
        *("human", "HUMAN", "system", "Agent", "admin", "stdio", "http", "page", "hansard"),
        *("human:root", " Human : root", "system:hansard", "agent:claude-code"),
    ],
)
def test_what_wants_to_be_more_than_a_program_is_no_name(said: str) -> None:
    assert made_fit(said, "1") is None


@pytest.mark.parametrize("version", ["", "1\n2", "\u202e1", "v" * 33, "1 2", "1:2"])
def test_a_version_that_is_none_is_left_out(version: str) -> None:
    assert made_fit("claude-code", version) == Client("claude-code", None)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_name_holds_what_is_not_seen_or_is_ours(said: str) -> None:
    client = made_fit(said, "1")

    if client is not None:
        assert client.name.isascii()
        assert client.name.isprintable()
        assert not set(client.name) & set("():<>")
        assert client.name == client.name.strip()
        assert 0 < len(client.name) <= 48


@pytest.mark.holds("ALL-10.14")
@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("over_http", [False, True])
async def test_an_author_is_the_program_that_the_client_says_it_is(
    application: Application, era: str, *, over_http: bool
) -> None:
    one = await signed(application, "claude-code", era=era, over_http=over_http)
    other = await signed(application, "cursor", era=era, over_http=over_http)

    assert one == Actor("agent", "claude-code", "agent")
    assert other == Actor("agent", "cursor", "agent")


@pytest.mark.holds("ALL-10.15")
@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["human:root", "system", "\u202e", "x" * 100_000, "a\nb"])
async def test_whatever_a_client_calls_itself_it_is_an_agent(
    application: Application, era: str, name: str
) -> None:
    actor = await signed(application, name, era=era)

    assert (actor.kind, actor.role) == ("agent", "agent")
    assert actor.id in {"stdio", "x" * 48, "a-b"}


@pytest.mark.anyio
async def test_a_client_does_not_sign_with_the_name_of_a_token(application: Application) -> None:
    before = await signed(application, "ci-bot")
    made, _ = create(application.store, WantedToken("agent", "ci-bot"), ADMIN)
    revoke(application.store, made.id, ADMIN)

    after = await signed(application, "CI-Bot")

    assert (before.id, after.id) == ("ci-bot", "stdio (CI-Bot)")


def test_a_token_that_was_made_meanwhile_is_soon_known(application: Application) -> None:
    now = 0.0
    names = TokenNames(application.store, timer=lambda: now)
    assert names.sign("stdio", Client("late")) == "late"

    create(application.store, WantedToken("agent", "late"), ADMIN)
    now += LOOK_AGAIN_S

    assert names.sign("stdio", Client("late")) == "stdio (late)"


@pytest.mark.anyio
async def test_a_retry_after_a_restart_finds_its_answer_and_others_do_not(
    application: Application,
) -> None:
    note = {"type": "note", "description": "once"}

    async def ask(name: str, version: str = "1") -> object:
        async with connect(application, "auto", name, version=version) as client:
            answer = await client.call_tool("audit_event", note, meta=KEYED)
        assert answer.meta
        return answer.meta[RECEIPT_KEY]

    first = await ask("claude-code")
    again = await ask("claude-code", version="2")
    other = await ask("cursor")
    nameless = await ask("human")

    assert first == again
    assert len({str(one) for one in (first, other, nameless)}) == 3


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["claude-code", "system"])
async def test_a_key_that_an_older_program_kept_is_still_known(
    application: Application, name: str
) -> None:
    note = {"type": "note", "description": "once"}
    older = Caller(Actor("agent", "stdio", "agent"), session="s", idempotency_key="k-1")
    first = application.call("audit_event", note, older).model_dump(mode="json")
    heads = application.store.engine.heads()

    async with connect(application, "auto", name) as client:
        again = await client.call_tool("audit_event", note, meta=KEYED)
        other = await client.call_tool(
            "audit_event",
            note | {"description": "else"},
            meta=KEYED,
        )

    assert again.meta
    assert again.meta[RECEIPT_KEY] == first["receipt"]
    assert other.structured_content["error"]["code"] == "INVALID_INPUT"
    assert application.store.engine.heads() == heads


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_a_list_of_one_page_refuses_any_cursor(application: Application, era: str) -> None:
    async with connect(application, era, "codex") as client:
        for listed in (client.list_tools, client.list_resources, client.list_resource_templates):
            with pytest.raises(MCPError) as refused:
                await listed(cursor="WzEsIiJd")
            assert refused.value.error.code == INVALID_PARAMS
