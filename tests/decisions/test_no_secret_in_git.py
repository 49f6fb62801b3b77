"""No secret of a known shape reaches the store or Git by what is decided, with whatever tool."""

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.decisions.git.decision_log import publish_now, repository_in
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx
from hansard.recorder.contents import redaction
from tests.conftest import SteppingClock
from tests.decisions.parties import Party, a_party
from tests.recorder.test_recorder_redaction import CASES

SECRET = "the secret of these tests"
WHY = "Because it was measured twice."


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        store=str(tmp_path / "store"),
        workspace=str(tmp_path),
        embedder="none",
        review_window_s=0,
        project="default",
    )


@pytest.fixture
def app(
    settings: Settings, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    """A store in a folder, as the program opens it."""
    monkeypatch.setenv("HANSARD_SECRET", SECRET)
    opened = start(settings, clock=clock)
    yield opened
    opened.close()


def secret_in(rule: str, text: str) -> bytes:
    """Give what of a text is the secret."""
    raw = text.encode()
    [shape] = [one for one in redaction.RULES if one.name == rule]
    found = next(redaction._matches(shape, raw, raw.lower()))
    return found["secret"]


def said(text: str) -> dict[str, object]:
    """Say something secret in each field there is."""
    line = {} if "\n" in text or len(text) > 200 else {"title": text, "target": f"x {text[:150]}"}
    lines = f"First line of it\n{text}\nand the last line"
    return {"title": "T", "target": text[:8], **line, "rationale": lines, "consequences": [lines]}


def everything_kept(app: Application, git: Path) -> bytes:
    """Read all entries, all contents, all files and all objects of Git."""

    def work(tx: ReadTx) -> list[bytes]:
        entries = [entry.payload or b"" for entry in tx.entries(limit=10_000)]
        return entries + [content(tx, digest) for digest in tx.digests(limit=10_000)]

    kept = app.store.read("default", work)
    publish_now(app.store, git, "default")
    objects = subprocess.run(
        ["git", "--git-dir", repository_in(git, "default"), "cat-file", "--batch-all-objects",
         "--batch", "--unordered"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    assert objects
    files = [path.read_bytes() for path in git.parent.rglob("*") if path.is_file()]
    return b"\n".join([*kept, objects, *files])


def write_through_every_tool(bot: Party, admin: Party, text: str, number: int) -> list[list[str]]:
    """Record, supersede, propose, edit, reject and accept it."""
    told = []

    def ask(party: Party, tool: str, **arguments: object) -> dict[str, object]:
        answer = party.ask(tool, **arguments)
        told.append(answer["redacted"])
        return answer

    about = {"target": f"target {number}"}
    made = ask(bot, "record_decision", **said(text) | about)["decision_id"]
    ask(bot, "supersede_decision", old_decision_ids=[made], **said(text) | about)
    about = {"target": f"draft {number}"}
    first = bot.propose(f"draft {number}", f"Plain {number}")
    ask(bot, "propose_decision", proposal_id=first, **said(text) | about)
    admin.accept(first)
    about = {"target": f"second {number}"}
    second = ask(bot, "propose_decision", **said(text) | about)["proposal_id"]
    ask(admin, "reject_proposal", proposal_id=second, reason=f"It says\n{text}\nin the open")
    return told


@pytest.mark.slow("writes every known shape through every tool, then reads the whole store")
@pytest.mark.holds("DEC-secrets-1")
def test_after_writing_every_known_shape_neither_the_store_nor_git_holds_one(
    app: Application, clock: SteppingClock, tmp_path: Path
) -> None:
    bot = a_party(app, "agent")
    admin = a_party(app, "human", "admin", secret=SECRET)

    for number, (rule, text) in enumerate(CASES):
        clock.now += timedelta(seconds=1)
        for redacted in write_through_every_tool(bot, admin, text, number):
            assert redacted, (rule, text)

    kept = everything_kept(app, tmp_path / "store" / "git")
    left = [rule for rule, text in CASES if secret_in(rule, text) in kept]
    assert left == []
    assert b"[redacted: github_token]" in kept


@pytest.mark.holds("DEC-secrets-1")
def test_the_caller_is_told_what_was_left_out(app: Application) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    bot = a_party(app, "agent")

    answer = bot.ask(
        "record_decision", title=f"Use {token}", target="ci", rationale=f"{token} works well"
    )
    shown = bot.get(answer["decision_id"])["decision"]

    assert answer["redacted"] == ["github_token"]
    assert shown["title"] == "Use [redacted: github_token]"
    assert shown["rationale"] == "[redacted: github_token] works well"


def test_what_holds_no_secret_is_kept_word_for_word(app: Application) -> None:
    bot = a_party(app, "agent")
    words = "The password of this account is changed by the admin, see TOKEN=$CI_TOKEN_7"

    answer = bot.ask("record_decision", title="T", target="ci", rationale=words)

    assert "redacted" not in answer
    assert bot.get(answer["decision_id"])["decision"]["rationale"] == words
