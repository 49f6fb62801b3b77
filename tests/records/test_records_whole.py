"""A body is given whole or not at all, and a page of one is never called a body."""

import pytest

from hansard.app.application import Application
from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.kernel.truncation import cut
from hansard.records import limits
from tests.depth import deep
from tests.records.chats import Chat, refused

SCRIPTS = {
    "latin": "Grüße aus Åland, naïve café.\n",
    "cjk": "設計理由會保存在這裡。日本語も。\n",
    "arabic": "هذا سجلٌّ يبقى بعد المحادثة.\n",
    "emoji": "👩🏽‍🚀🇨🇭✈️ and 🏳️‍🌈\r\n",
    "combining": "e\u0301 o\u0308 q\u0323\u0307 \u200b\u202eab\u202c\t\n",
}
"""Each with what is easily lost: carriage returns, joiners, marks that are not composed."""

EACH_SCRIPT = [
    "combining",
    *(
        pytest.param(script, marks=pytest.mark.slow("a mebibyte of yet another script"))
        for script in deep(["cjk", "emoji"], [one for one in SCRIPTS if one != "combining"])
    ),
]


def of_exactly(bytes_max: int, text: str) -> str:
    """Repeat a text and fill it up with letters to so many bytes."""
    body = text * (bytes_max // len(text.encode()))
    return body + "x" * (bytes_max - len(body.encode()))


@pytest.mark.holds("REC-whole-4")
@pytest.mark.parametrize("script", EACH_SCRIPT)
def test_a_body_of_exactly_the_limit_comes_back_to_the_byte(app: Application, script: str) -> None:
    chat = Chat(app)
    body = of_exactly(BODY_BYTES_MAX, SCRIPTS[script])
    record = chat.create("Full", body=body)["id"]
    child = chat.create("Child", record, body=body)["id"]

    context = chat.activate(child)["context"]

    assert len(body.encode()) == BODY_BYTES_MAX
    assert context["target"]["body"].encode() == body.encode()
    assert context["parent"]["body"].encode() == body.encode()
    then = chat.ask("activate", id=record, as_of=f"t:{chat.tick()}")["context"]["target"]
    assert then["body"] == body


@pytest.mark.holds("REC-whole-4")
def test_a_longer_body_is_refused_and_the_limit_is_named(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("Full")["id"]

    for body in ("x" * (BODY_BYTES_MAX + 1), "é" * (BODY_BYTES_MAX // 2) + "x"):
        with refused("INVALID_INPUT") as problem:
            chat.update(record, body=body)
        assert str(BODY_BYTES_MAX) in problem.message
        with refused("INVALID_INPUT"):
            chat.create("Too long", body=body)
    assert chat.tick() == 1


def test_a_merge_that_would_be_longer_is_refused_and_changes_nothing(app: Application) -> None:
    half = "x" * (BODY_BYTES_MAX // 2)
    first, second = Chat(app), Chat(app)
    record = first.create("Shared", body="a\nb\nc\n")["id"]
    second.activate(record)
    first.update(record, body=f"{half}\na\nb\nc\n")

    with refused("INVALID_INPUT") as problem:
        second.update(record, body=f"a\nb\nc\n{half}\n", accept="merge")

    assert str(BODY_BYTES_MAX) in problem.message
    assert Chat(app).activate(record)["context"]["target"]["version"] == 2


@pytest.mark.holds("REC-whole-3")
@pytest.mark.parametrize("script", EACH_SCRIPT)
def test_a_body_is_paged_by_characters_and_put_together_again(
    app: Application, script: str
) -> None:
    chat = Chat(app)
    body = SCRIPTS[script] * 40
    record = chat.create("Long", body=body)["id"]

    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = chat.ask("get_record_body", id=record, offset=offset, limit=97)
        assert (page["id"], page["version"], page["offset"]) == (record, 1, offset)
        assert page["total_chars"] == len(body)
        assert "body" not in page
        pages.append(page["text"])
        offset = page.get("next_offset")

    assert "".join(pages) == body
    assert all(len(page) == 97 for page in pages[:-1])


@pytest.mark.holds("REC-whole-3")
def test_a_page_is_of_any_version_and_never_beyond_its_limit(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("Long", body="a" * (limits.BODY_PAGE_CHARS + 1))["id"]
    chat.update(record, body="b")

    then = chat.ask("get_record_body", id=record, as_of="t:1")

    assert (len(then["text"]), then["next_offset"]) == (limits.BODY_PAGE_CHARS,) * 2
    assert chat.ask("get_record_body", id=record)["text"] == "b"
    beyond = chat.ask("get_record_body", id=record, offset=5)
    assert (beyond["text"], "next_offset" in beyond) == ("", False)
    with refused("RECORD_NOT_FOUND"):
        chat.ask("get_record_body", id="R999")
    for wrong in ({"offset": -1}, {"limit": 0}, {"limit": BODY_BYTES_MAX + 1}):
        with refused("INVALID_INPUT"):
            chat.ask("get_record_body", id=record, **wrong)


LONG = "What was found, in more words than an overview has room for. " * 20


@pytest.mark.parametrize("shown_by", ["get_project_overview", "activate"])
def test_a_summary_that_was_cut_to_be_shown_is_not_written_back(
    app: Application, shown_by: str
) -> None:
    chat = Chat(app)
    root = chat.create("Root")["id"]
    record = chat.create("Child", root, summary=LONG, state="LATER", reason="not now")["id"]
    chat.activate(record)
    if shown_by == "activate":
        [shown] = chat.activate(root, budget_tokens=1_000)["context"]["children"]["other"]
    else:
        [shown] = chat.ask("get_project_overview")["later_records"]

    with refused("INVALID_INPUT") as problem:
        chat.update(record, summary=shown["summary"])
    with refused("INVALID_INPUT"):
        chat.update(record, summary=shown["summary"].replace("found", "seen"), force=True)

    assert "characters left out]" in shown["summary"]
    assert problem.details["argument"] == "summary"
    assert Chat(app).activate(record)["context"]["target"]["summary"] == LONG


def test_a_body_with_a_gap_does_not_take_the_place_of_the_whole(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("Long", body=LONG)["id"]

    with refused("INVALID_INPUT"):
        chat.update(record, body=cut(LONG, 200))
    chat.update(record, body=f"{LONG}\nAn answer was: {cut(LONG, 200)}")

    assert chat.ask("get_record_history", id=record)["total"] == 2
