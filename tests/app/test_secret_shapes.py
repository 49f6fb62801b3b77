"""Every known shape of a secret, in every text of every tool: not in Git, masked or told of."""

import random
import re
import string
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import projects_of
from hansard.decisions.git.decision_log import publish_now, repository_in
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Written
from hansard.kernel.problem import Problem
from hansard.mcp.answers import succeeded
from hansard.recorder.contents import redaction
from tests.app.isolation import PLAIN
from tests.conftest import a_caller
from tests.contract.everything_asked import SECRET, Asking, Json, ask_nearly_everything
from tests.depth import deep
from tests.recorder.test_recorder_redaction import CASES

TOKEN = "gh" + "p_" + "a1B2" * 9
KEEP = {"records", "checkpoints", "entities"}
"""What these are given comes back byte for byte."""

LONG = {
    *("body", "rationale", "consequences", "content", "description", "user_message", "summary"),
    *("output", "note", "data", "input"),
}
"""Arguments that may have several lines."""

NO_WORDS = {
    *("activate", "deactivate", "move_record", "sync_session", "branch_session", "record_step"),
    *("workflow_mark_critical", "workflow_checkpoint_delete", "accept_proposal", "entity_delete"),
    *("undo", "restore", "sync_git_history", "record_file_delete", "record_file_move"),
}
"""Tools that write, and are told no text that is kept: names of things, numbers, choices."""


def secret_in(rule: str, text: str) -> str | None:
    """Give what of a text is the secret, as its rule has it."""
    raw = text.encode()
    [shape] = [one for one in redaction.RULES if one.name == rule]
    found = next(redaction._matches(shape, raw, raw.lower()), None)
    return found["secret"].decode() if found else None


def another(rule: str, text: str, chance: random.Random) -> tuple[str, str]:
    """Make another secret of the same shape; gives the text with it, and the secret."""
    secret = secret_in(rule, text)
    assert secret
    alphabets = ("0123456789", "abcdef", "ABCDEF", "234567", string.ascii_letters)
    for _ in range(1_000):
        tail = re.sub(
            r"[0-9A-Za-z]",
            lambda one: chance.choice(next(a for a in alphabets if one[0] in a)),
            secret[-10:-2],
        )
        new = secret[:-10] + tail + secret[-2:]
        if rule == "private_key":
            body = "".join(chance.choice(string.ascii_letters) for _ in range(60))
            new = re.sub(r"\n[^-]+\n", f"\n{body}\n", secret)
        changed = text.replace(secret, new)
        if new != secret and secret_in(rule, changed) == new:
            return changed, new.split("\n")[1] if rule == "private_key" else new
    raise AssertionError(f"no other {rule} can be made of {text}")


@dataclass
class Careless(Asking):
    """Asks with a secret of one shape in every text, another one for every tool."""

    rule: str = ""
    shape: str = ""
    planted: dict[str, set[str]] = field(default_factory=dict)
    """By tool, the secrets that it was told and took."""
    told: dict[str, set[str]] = field(default_factory=dict)
    """By tool, what its answers called what they were told."""

    def __call__(self, name: str, /, **arguments: Any) -> Json:
        chance = random.Random(f"{self.rule} {name} {self.shape}")
        text, secret = another(self.rule, self.shape, chance)
        for in_line in (f"\n{text}\n", text, ""):
            ended = partial(self._ended, lines=f"\n{text}\n", in_line=in_line)
            given = {key: ended(key, value) for key, value in arguments.items()}
            if given == arguments:
                break
            try:
                shown = super().__call__(name, **given)
            except Problem as problem:
                if problem.code != "INVALID_INPUT":
                    raise
            else:
                self._note(name, secret)
                return shown
        return super().__call__(name, **arguments)

    def _note(self, name: str, secret: str) -> None:
        if not self.app.catalog.find(name).writes:
            return
        answer = self.answers[-1][1]
        assert isinstance(answer, Written)
        words = succeeded(answer).content[0].text  # type: ignore[union-attr]
        assert self.rule in words, (name, self.rule, words)
        kinds = ("redacted", "secrets")
        said = {kind for kind in kinds if self.rule in (getattr(answer, kind) or ())}
        files = getattr(answer, "results", None) or [answer]
        said |= {"redacted"} if any(self.rule in (one.redacted or ()) for one in files) else set()
        self.planted.setdefault(name, set()).add(secret)
        self.told.setdefault(name, set()).update(said)

    def _ended(self, key: str, value: Any, *, lines: str, in_line: str) -> Any:
        """End a text of many lines with some more; have a text of one line be another."""
        ended = partial(self._ended, lines=lines, in_line=in_line)
        if isinstance(value, dict):
            return {name: ended(name, inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [ended(key, inner) for inner in value]
        if not isinstance(value, str) or key in PLAIN - {"cites"}:
            return value
        return f"{value}{lines}" if key in LONG or in_line == lines else in_line or value


def ask_the_rest(asking: Careless) -> None:
    """Tell those tools a text that are told none otherwise."""
    asking("workflow_checkpoint_save", context={"note": "x"}, metadata={"name": "Last"})
    sample = {"name": "ms", "value": 1, "dimensions": {"host": "one"}}
    asking("metric_record", samples=[sample])
    asking("audit_event", type="note", description="Cites", cites=["something"])
    asking("save_session", summary="So far")


def everything_kept(app: Application, store: Path) -> bytes:
    """Read all entries, contents and raw files of a store."""

    def work(tx: ReadTx) -> list[bytes]:
        entries = [entry.payload or b"" for entry in tx.entries(limit=10_000)]
        return entries + [content(tx, digest) for digest in tx.digests(limit=10_000)]

    projects = projects_of(app.store.engine)
    parts = [part for project in projects for part in app.store.engine.read(project, work)]
    files = [path.read_bytes() for path in store.rglob("*") if path.is_file()]
    return b"\n".join([*parts, *files])


def everything_in_git(app: Application, git: Path) -> bytes:
    """Read all objects of all repositories of decisions."""
    parts = []
    for project in projects_of(app.store.engine)[1:]:
        publish_now(app.store, git, project)
        repository = repository_in(git, project)
        if repository.is_dir():
            every = ["cat-file", "--batch-all-objects", "--batch", "--unordered"]
            ran = subprocess.run(
                ["git", "--git-dir", repository, *every], capture_output=True, check=True
            )
            parts.append(ran.stdout)
    return b"\n".join(parts)


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    monkeypatch.setenv("HANSARD_SECRET", SECRET)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "work").mkdir()
    app = start(
        Settings(
            store=str(tmp_path / "store"),
            workspace=str(tmp_path / "work"),
            embedder="none",
            review_window_s=0,
        )
    )
    yield app
    app.close()


def capability_of(app: Application, tool: str) -> str:
    operation = app.catalog.find(tool)
    return next(one.name for one in app.catalog.capabilities if operation in one.operations)


@pytest.mark.slow("tells every tool secrets of many shapes, or of all, and reads the whole store")
@pytest.mark.holds("ALL-07.11", "DEC-secrets-1")
@pytest.mark.parametrize("rule", sorted({rule for rule, _ in CASES})[:: deep(3, 1)])
def test_no_shape_reaches_git_and_each_is_masked_or_told_of(
    opened: Application, tmp_path: Path, rule: str
) -> None:
    shape = next(text for one, text in CASES if one == rule)
    asking = Careless(opened, a_caller(secret=SECRET), rule=rule, shape=shape)

    ask_nearly_everything(asking, tmp_path / "work")
    ask_the_rest(asking)

    git = everything_in_git(opened, tmp_path / "store" / "git")
    kept = everything_kept(opened, tmp_path / "store")
    for tool, secrets in asking.planted.items():
        is_kept = any(one.encode() in kept for one in secrets)
        keeps = capability_of(opened, tool) in KEEP
        assert is_kept == keeps, (tool, "kept" if is_kept else "masked")
        assert asking.told[tool] == {"secrets" if keeps else "redacted"}, tool
        assert not any(one.encode() in git for one in secrets), tool
    writing = {one.name for one in opened.catalog if one.writes}
    ends = {"close_session", "record_session_end"}
    too_long = {"metric_record"} if "\n" in shape or len(shape) > 100 else set()
    assert writing - NO_WORDS - ends - too_long <= set(asking.planted)


@pytest.mark.holds("ALL-07.11")
def test_what_is_kept_is_kept_word_for_word_and_what_is_masked_says_so(
    opened: Application,
) -> None:
    caller = a_caller()
    body = f"First\n{TOKEN}\nlast"
    record = {"type": "t", "title": "T", "summary": "s", "body": body}

    made: Any = opened.call("create_record", record, caller)
    saved: Any = opened.call("workflow_checkpoint_save", {"context": {"api_key": TOKEN}}, caller)
    ended: Any = opened.call("close_session", {"summary": f"Used {TOKEN}"}, caller)
    shown: Any = opened.call("activate", {"id": made.record.id}, a_caller())

    assert shown.context.target.body == body
    assert (made.secrets, made.redacted) == (["github_token"], None)
    assert "github_token" in saved.secrets
    assert (ended.secrets, ended.redacted) == (None, ["github_token"])


def test_where_redaction_is_off_nothing_is_taken_out_or_told(tmp_path: Path) -> None:
    app = start(Settings(store=str(tmp_path / "store"), redact="off", embedder="none"))
    decision = {"title": TOKEN, "target": "t", "rationale": "Because it was measured."}

    made: Any = app.call("record_decision", decision, a_caller())

    shown: Any = app.call("get_decision", {"decision_id": made.decision_id}, a_caller())
    assert (shown.decision.title, made.redacted) == (TOKEN, None)
    app.close()
