"""Secrets are known by their shape, and nothing of them is recorded.

The strings are put together here, so that no scanner takes this file for a leak.
"""

import random
import string
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.recorder.contents import redaction
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import (
    contents,
    create,
    edit,
    evolution,
    op,
    read,
    sha256,
    story,
    timeline,
)

CHANCE = random.Random(7)


def made(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Make something random that looks the same in every run."""
    return "".join(CHANCE.choice(alphabet) for _ in range(length))


HEX = "0123456789abcdef"
SECRETS: dict[str, list[str]] = {
    "aws_access_key": ["AK" + "IA" + made(16, "ABCDEFGHIJ234567")],
    "private_key": [
        f"-----BEGIN {kind}PRIVATE " + f"KEY-----\n{made(60)}\n-----END {kind}PRIVATE " + "KEY-----"
        for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")
    ],
    "github_token": [
        *(f"gh{kind}_" + made(36) for kind in "pousr"), "github_" + "pat_" + made(82)
    ],
    "gitlab_token": ["gl" + "pat-" + made(20)],
    "slack_token": ["xo" + f"xb-{made(12, HEX)}-{made(24)}", "xa" + f"pp-1-{made(10)}-{made(20)}"],
    "slack_webhook": ["https://hooks.sla" + f"ck.com/services/T{made(8)}/B{made(8)}/{made(24)}"],
    "stripe_key": ["sk" + f"_live_{made(24)}", "rk" + f"_test_{made(24)}"],
    "stripe_webhook": ["wh" + f"sec_{made(32)}"],
    "google_api_key": ["AI" + f"za{made(35)}"],
    "google_oauth": ["GOC" + f"SPX-{made(28)}"],
    "anthropic_key": ["sk-" + f"ant-api03-{made(80)}"],
    "openai_key": ["sk-" + f"proj-{made(60)}", "sk-" + made(48)],
    "huggingface_token": ["hf" + f"_{made(34, string.ascii_letters)}"],
    "npm_token": ["np" + f"m_{made(36)}"],
    "pypi_token": ["py" + f"pi-AgEIcHlwaS5vcmc{made(60)}"],
    "docker_token": ["dc" + f"kr_pat_{made(27)}"],
    "sendgrid_key": ["S" + f"G.{made(22)}.{made(43)}"],
    "twilio_key": ["S" + f"K{made(32, HEX)}"],
    "mailgun_key": ["ke" + f"y-{made(32, HEX)}"],
    "telegram_token": [f"{made(9, '123456789')}:" + f"AA{made(33)}"],
    "digitalocean_token": ["do" + f"p_v1_{made(64, HEX)}"],
    "shopify_token": ["sh" + f"pat_{made(32, HEX)}"],
    "vault_token": ["hv" + f"s.{made(40)}"],
    "age_key": ["AGE-SEC" + f"RET-KEY-1{made(58, string.ascii_uppercase + string.digits)}"],
    "jwt": ["ey" + f"J{made(20)}.ey" + f"J{made(40)}.{made(43)}"],
    "azure_key": ["Account" + f"Key={made(86)}=="],
    "password_in_url": ["postgres://app:" + "tr0ub4dor" + "@db/main"],
    "environment_secret": ["DB_" + "PASSWORD=hunter22", "export STRIPE_" + "TOKEN=a1b2c3d4"],
    "assigned_secret": [
        "PASSWORD" + "=Tr0ub4dor&3xyz", 'db_password: "' + 'horse-7-staple"',
        "client_" + "secret = '" + made(20) + "'", '"apiKey": "' + made(24) + '"',
        "AUTH_" + "TOKEN=" + made(30),
    ],
}  # fmt: skip
CASES = [(rule, text) for rule, texts in SECRETS.items() for text in texts]

HARMLESS = [
    "password = os.environ['PASSWORD']",
    "password: str | None = None",
    "token = request.headers.get('X-Token')",
    'api_key = "your-api-key-here"',
    "SECRET_KEY = ${SECRET_KEY}",
    "password: <change me>",
    "def reset_password(token: str, password: str) -> None:",
    "secret = get_secret(name)",
    "the password of this account is changed by the admin",
    "tokens: list[str] = tokenize(text)",
    "https://example.org:8080/path?x=1@y",
    "git@github.com:anna/project.git",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 5f2d1a9c8b7e6f4d3c2b1a0f9e8d7c6b5a4f3e2d",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjAN\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjAN\n-----END CERTIFICATE-----",
    "MAX_TOKENS=200000",
    "API_KEY_HEADER=x-api-key",
    "TOKEN=$CI_TOKEN_7",
    "AKIA is how access keys begin",
    "task-list-of-things-that-are-still-to-be-done-today",
    "eyJ is base64 for an opening brace",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
]


@pytest.mark.parametrize(("rule", "text"), CASES, ids=[rule for rule, _ in CASES])
def test_a_secret_is_known_by_its_shape(rule: str, text: str) -> None:
    content = f"first line\n{text}\nlast line\n"

    assert rule in redaction.rules_matched(content.encode())


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in redaction.RULES} == set(SECRETS)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_is_recorded(text: str) -> None:
    assert redaction.rules_matched(text.encode()) == []


def test_our_own_source_holds_no_secret() -> None:
    root = Path(__file__).parents[2] / "src"
    found = {str(path): redaction.rules_matched(path.read_bytes()) for path in root.rglob("*.py")}

    assert {path: rules for path, rules in found.items() if rules} == {}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_text_in_utf_16_is_read_too(encoding: str) -> None:
    bom = {"utf-16-be": b"\xfe\xff", "utf-16-le": b"\xff\xfe"}.get(encoding, b"")
    content = bom + SECRETS["github_token"][0].encode(encoding)

    assert redaction.rules_matched(content) == ["github_token"]


def test_a_masked_text_says_what_was_there() -> None:
    secret = SECRETS["github_token"][0]

    assert redaction.mask(f"use {secret} for it") == "use [redacted: github_token] for it"
    assert redaction.mask("nothing to hide") == "nothing to hide"


# In the record.

SECRET = SECRETS["github_token"][0]
OTHER = SECRETS["github_token"][1]
ENV = f"TOKEN_FOR_GIT={SECRET}\n"


@pytest.mark.holds("FIL-secret-1", "FIL-secret-3", "FIL-secret-6")
def test_a_content_with_a_secret_is_recorded_by_its_digest_alone(
    app: Application, agent: Caller, files: Path
) -> None:
    result = create(app, agent, ".env", ENV)

    assert contents(files) == {".env": ENV.encode()}
    assert (result.sha256, result.size) == (sha256(ENV), len(ENV))
    assert "github_token" in (result.redacted or [])
    shown = evolution(app, agent, path=".env", revision=1)
    assert shown.content is None
    assert (shown.revisions or [])[0].redacted == result.redacted
    assert read(app, agent, ".env").content == ENV


@pytest.mark.holds("FIL-secret-2")
def test_redaction_can_be_switched_off(open_app: OpenApp, agent: Caller) -> None:
    app = open_app(redact="off")

    create(app, agent, ".env", ENV)

    assert evolution(app, agent, path=".env", revision=1).content == ENV


def test_a_diff_with_a_secret_in_it_is_not_shown(app: Application, agent: Caller) -> None:
    create(app, agent, ".env", ENV)
    edit(app, agent, ".env", "TOKEN_FOR_GIT=\n")

    assert "not recorded" in str(evolution(app, agent, path=".env", to=2).diff)


def test_what_happened_to_it_is_recorded_all_the_same(
    app: Application, agent: Caller, files: Path
) -> None:
    create(app, agent, ".env", ENV)
    (files / ".env").write_text(ENV + "# a person's\n")
    op(app, agent, "move", ".env", to=".env.old")
    op(app, agent, "delete", ".env.old")

    kinds = [item.kind for item in timeline(app, agent) if item.path]
    assert kinds == ["file_create", "external_change", "file_move", "file_delete"]


@pytest.mark.holds("FIL-secret-4")
@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_no_byte_of_a_secret_is_anywhere_in_the_store(
    open_app: OpenApp, files: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app, agent = open_app(), a_caller()
    answers = [use_secrets(app, agent, files, number) for number in range(3)]
    app.store.rebuild(app.default_project)

    found = [path.name for path in (tmp_path / "store").rglob("*")
             if path.is_file() and SECRET.encode() in path.read_bytes()]  # fmt: skip

    assert found == []
    assert SECRET not in caplog.text
    assert SECRET not in "".join(answers)


def use_secrets(app: Application, agent: Caller, files: Path, number: int) -> str:
    """Let a secret go through every door there is; returns all that was answered."""
    path, keyed = (
        f"{number}/.env",
        Caller(agent.actor, seat=agent.seat, idempotency_key=f"k{number}"),
    )
    calls: list[tuple[str, dict[str, Any]]] = [
        ("record_session_start", {"title": f"T {SECRET}", "user_message": f"M {SECRET}"}),
        ("record_plan", {"steps": [f"S {SECRET}"]}),
        ("audit_event", {"type": "note", "description": f"N {SECRET}"}),
        ("file_op", {"path": path, "action": "create", "content": f"{number}\n{ENV}"}),
        ("file_op", {"path": path, "action": "edit", "edits": [{"old": SECRET, "new": OTHER}]}),
        ("file_op", {"path": path, "action": "edit", "edits": [{"old": OTHER, "new": "x"}]}),
        ("file_op", {"path": path, "action": "edit", "content": f"public\n{ENV}"}),
        ("file_op", {"ops": [{"path": f"{path}2", "action": "create", "content": ENV}]}),
        ("file_op", {"path": path, "action": "move", "to": f"{path}3"}),
        ("record_file_create", {"path": f"{path}4", "content": ENV}),
        ("record_file_edit", {"path": f"{path}4", "content": f"x\n{ENV}", "old_content": ENV}),
        ("record_file_move", {"path": f"{path}4", "to": f"{path}5", "old_content": f"x\n{ENV}"}),
        ("record_file_delete", {"path": f"{path}5", "old_content": f"x\n{ENV}"}),
        ("undo", {"entry": "s:9", "preview": True, "diff": True}),
        ("restore", {"preview": True, "diff": True}),
        ("restore", {}),
        ("get_timeline", {}),
        ("get_evolution", {"path": f"{path}3", "to": 1}),
        ("record_session_end", {}),
    ]  # fmt: skip
    said = []
    for name, arguments in calls:
        try:
            said.append(app.call(name, arguments, keyed if number == 1 else agent).text())
        except Exception as refused:  # noqa: BLE001 - what it says is looked at with the rest
            said.append(repr(refused) + str(getattr(refused, "details", "")))
    for path_on_disk in files.rglob("*4"):
        path_on_disk.write_text(f"outside\n{ENV}")
    return "".join(said)


def test_a_secret_in_words_is_masked(app: Application, agent: Caller) -> None:
    app.call("record_session_start", {"title": f"T {SECRET}", "user_message": SECRET}, agent)
    app.call("record_plan", {"steps": [f"S {SECRET}"]}, agent)
    app.call("audit_event", {"type": "note", "description": f"N {SECRET}"}, agent)

    told = story(app, agent).text()
    assert SECRET not in told
    assert told.count("[redacted: github_token]") == 4


@pytest.mark.parametrize("position", [0, 1, 2, 3])
@pytest.mark.parametrize("cut", [0, 1, 5, 39])
def test_what_is_new_in_a_clean_content_is_found_wherever_it_is(position: int, cut: int) -> None:
    lines = ["one\n", "two\n", f"{SECRET[:cut]}\n", "three"]
    lines.insert(position, f"{SECRET[:cut]}")
    clean = "".join(lines)
    lines[position] = SECRET + ("\n" if position % 2 else "")
    content = "".join(lines)

    if not redaction.rules_matched(clean.encode()):
        since = redaction.rules_matched_since(content.encode(), clean.encode())
        assert since == redaction.rules_matched(content.encode())


def test_looking_at_what_changed_finds_what_looking_at_all_does() -> None:
    chance = random.Random(3)
    pieces = [SECRET[:20], SECRET[20:], "\n", "x", " ", "two\n", "PASSWORD=", "a1b2c3d4"]
    for _ in range(3_000):
        clean = "".join(chance.choices(pieces, k=6)).encode()
        at = chance.randrange(len(clean) + 1)
        content = clean[:at] + "".join(chance.choices(pieces, k=2)).encode() + clean[at:]
        if not redaction.rules_matched(clean):
            since = redaction.rules_matched_since(content, clean)
            assert bool(since) == bool(redaction.rules_matched(content)), (clean, content)
