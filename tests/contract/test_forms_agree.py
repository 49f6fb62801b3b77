"""Text and structured content of an answer say the same, and neither what the caller has sent.

Some hosts show a model only the one, some only the other, and a model pays for each word of it.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.operation import Result
from hansard.mcp.answers import succeeded
from tests.conftest import a_caller
from tests.contract.everything_asked import (
    SECRET,
    Asking,
    ask_nearly_everything,
    ask_the_end,
)

Json = dict[str, Any]

OWN_SESSION = ("session_id", "sessionId")
"""Said in the text to whom nothing else tells it."""

FLAGS = {
    "already_loaded": "already loaded",
    "is_current": "this session",
    "preview": "Would",
    "recordedLater": "recorded later",
}
"""What is true is said in words."""

WORDED = {
    "SKIPPED_UNCHANGED": "unchanged, so not saved",
    "SUCCESS": "is critical from now on",
    "begun": "in progress",
    "SAVED": "saved",
    "added": "+ /",
    "changed": "~ /",
    "text": "",
    "toolRequest": "→",
    "toolResponse": "←",
}
"""States and kinds that are said in other words, or by a sign."""

COUNTED_FROM_ZERO = ("index", "step")

SHOWN_OTHERWISE = {
    "name": "metric_query: the caller has just asked for it",
    "series": "metric_query: how many there are is seen from the groups",
    "total": "metric_query: of one page that holds all of it, the lines say how many",
    "encoding": "utf-8 is what text is",
}
"""Facts that one form gives as a field, where the other gives them away by what it shows."""

SENT = frozenset(
    {
        "body", "consequences", "content", "context", "data", "description", "edits", "events",
        "metadata", "name", "ops", "partials", "rationale", "reason", "samples", "steps", "summary",
        "title", "user_message",
    }
)  # fmt: skip
"""Arguments that hold text or data of the caller's; others name things."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    folder = tmp_path_factory.mktemp("workspace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HANSARD_SECRET", SECRET)
        settings = Settings(
            store="memory:", workspace=str(folder), embedder="none", review_window_s=0
        )
        application = start(settings)
        asking = Asking(application, a_caller(secret=SECRET))
        ask_nearly_everything(asking, folder)
        ask_the_end(asking)
        yield asking
        application.close()


def both_forms(answer: Result) -> tuple[Json, str]:
    said = succeeded(answer)
    assert said.structured_content is not None
    [block] = said.content
    return said.structured_content, getattr(block, "text", "")


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Give every value of an answer, with the name it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, key)
    elif value is not None:
        yield key, value


def is_in(key: str, value: Any, text: str) -> bool:
    """Whether a text says a value of the structured content."""
    if isinstance(value, bool):
        return not value or FLAGS.get(key, f'"{key}":true') in text
    if isinstance(value, str):
        worded = WORDED.get(value, value)
        flat = " ".join(text.split())
        ways = (worded, json.dumps(value, ensure_ascii=False)[1:-1], " ".join(worded.split()))
        at = re.match(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", value)
        times = (f"{at[1]}T{at[2]}", f"{at[1]} {at[2]}") if at else ()
        return any(way in text or way in flat for way in (*ways, *times))
    shift = 1 if key in COUNTED_FROM_ZERO else 0
    figures = (str(value), f"{value:,}", f"{value:.2f}", str(value + shift))
    return any(re.search(rf"(?<![\d.]){re.escape(one)}(?!\d)", text) for one in figures)


@pytest.mark.holds("ALL-08.2")
def test_the_text_says_whatever_the_structured_content_says(asked: Asking) -> None:
    unsaid = []
    for name, answer in asked.answers:
        content, text = both_forms(answer)
        unsaid += [
            (name, key, value)
            for key, value in leaves(content)
            if key not in (*OWN_SESSION, *SHOWN_OTHERWISE) and not is_in(key, value, text)
        ]

    assert unsaid == []


NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
ID = re.compile(r"\b(?:[RDPC]\d{3,}|[a-zA-Z]+::\w{20}|\w+\.[0-9a-f]{10}|[0-9a-f]{12})\b")
CURSOR = re.compile(r"cursor=(\S+?)\)?$", re.MULTILINE)


def numbers_in(content: Json) -> set[float]:
    """Give the numbers that structured content says, also by how long its lists are."""
    found = {number(one) for one in NUMBER.findall(json.dumps(content))}

    def add(value: Any) -> None:
        if isinstance(value, list):
            found.add(len(value))
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                add(inner)

    add(content)
    steps = [value for key, value in leaves(content) if key in COUNTED_FROM_ZERO]
    return found | {0, 1} | {step + 1 for step in steps if isinstance(step, int)}


def number(said: str) -> float:
    return float(said.replace(",", ""))


@pytest.mark.holds("ALL-08.2")
def test_the_structured_content_says_whatever_the_text_says(asked: Asking) -> None:
    unsaid = []
    for name, answer in asked.answers:
        content, text = both_forms(answer)
        dumped = json.dumps(content, ensure_ascii=False)
        unsaid += [(name, one) for one in ID.findall(text) if one not in dumped]
        unsaid += [(name, one) for one in CURSOR.findall(text) if one not in dumped]
        known = numbers_in(content)
        rest = CURSOR.sub("", text)
        unsaid += [(name, one) for one in NUMBER.findall(rest) if number(one) not in known]

    assert unsaid == []


def texts_sent(arguments: Json) -> Iterator[str]:
    for name, value in arguments.items():
        if name in SENT:
            yield from (text for _, text in leaves(value) if isinstance(text, str) and " " in text)


def test_no_write_is_answered_with_what_was_sent(asked: Asking) -> None:
    echoed = []
    for (name, answer), (_, arguments) in zip(asked.answers, asked.asked, strict=True):
        content, text = both_forms(answer)
        is_merge = {"conflict", "merged"} & content.keys()
        if asked.app.catalog.find(name).writes and not is_merge:
            dumped = json.dumps(content, ensure_ascii=False)
            echoed += [
                (name, sent)
                for sent in texts_sent(arguments)
                if sent.strip() in text or sent.strip() in dumped
            ]

    assert echoed == []


def test_no_answer_is_empty_in_either_form(asked: Asking) -> None:
    bare = []
    for name, answer in asked.answers:
        content, text = both_forms(answer)
        if not content or not text:
            bare.append(name)

    assert bare == []


LONG = "word " * 4_000
TEXTS = {"type": "task", "title": "t", "summary": "s"}
DOCUMENT = {"title": "t", "content": LONG}

Write = Callable[[Asking], Json]

LONG_WRITES: dict[str, Write] = {
    "create_record": lambda ask: ask("create_record", **TEXTS, body=LONG),
    "update_record": lambda ask: ask("update_record", id=_made(ask), body=LONG),
    "file_op": lambda ask: ask("file_op", action="create", path="long.txt", content=LONG),
    "record_file_create": lambda ask: ask("record_file_create", path="a.txt", content=LONG),
    "record_session_start": lambda ask: ask("record_session_start", title="t", user_message=LONG),
    "workflow_checkpoint_save": lambda ask: ask("workflow_checkpoint_save", context={"n": LONG}),
    "entity_create": lambda ask: ask("entity_create", type="textDocument", data=DOCUMENT),
    "document_revise": lambda ask: ask(
        "document_revise", id=_document(ask)["entity"]["id"], content=LONG
    ),
    "thread_append": lambda ask: ask(
        "thread_append",
        thread_id=ask("entity_create", type="messageThread", data={"turns": []})["entity"]["id"],
        sender="user",
        partials=[{"type": "text", "payload": {"content": LONG}}],
    ),
}


def _made(ask: Asking) -> str:
    return str(ask("create_record", **TEXTS, body="b")["record"]["id"])


def _document(ask: Asking) -> Json:
    return ask("entity_create", type="textDocument", data=DOCUMENT)


@pytest.mark.parametrize("name", LONG_WRITES)
def test_twenty_thousand_characters_are_written_for_a_line(name: str, tmp_path: Path) -> None:
    application = start(Settings(store="memory:", workspace=str(tmp_path), embedder="none"))
    ask = Asking(application, a_caller())

    LONG_WRITES[name](ask)

    content, text = both_forms(ask.answers[-1][1])
    assert len(json.dumps(content)) < 300
    assert len(text) < 200
    application.close()
