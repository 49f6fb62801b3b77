"""What goes on after a redaction: files, repetitions, chats and documents."""

import secrets
from pathlib import Path

import orjson
import pytest

from hansard.app.application import Application
from hansard.app.keeping.redaction import Redaction, WantedErasure, digests_of_path, erase
from hansard.app.verify import verify
from hansard.entities.events import EntityCreated
from hansard.kernel import paging
from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.operation import Caller
from hansard.kernel.problem import BlobRedacted
from hansard.recorder.problems import Irreversible
from tests.app import kept
from tests.app.kept import PERSON, PROJECT
from tests.conftest import a_caller

SECRET = "hunter2-" + secrets.token_hex(20)


def redact(app: Application, *digests: Digest) -> Redaction:
    wanted = WantedErasure(digests=digests)
    return erase(app.store, PROJECT, wanted, reason="a password got in", stamp=PERSON)


def redact_path(app: Application, path: str) -> None:
    redact(app, *app.store.read(PROJECT, lambda tx: digests_of_path(tx, path)))


def test_an_undo_leaves_a_file_whose_content_was_erased_where_it_is(
    app: Application, agent: Caller, files: Path
) -> None:
    made = app.call("file_op", {"action": "create", "path": "a", "content": "old\n"}, agent)
    redact_path(app, "a")

    back = app.call("undo", {"of_session": made.model_dump()["session_id"]}, agent).model_dump()

    # What it holds is kept nowhere else: deleted, nothing would bring it back.
    assert (files / "a").read_text() == "old\n"
    assert [(one["action"], "redacted" in one["reason"]) for one in back["files"]] == [
        ("skip", True)
    ]


def test_a_sealed_file_whose_copy_was_erased_is_let_go_of_by_nobody_unasked(
    app: Application, agent: Caller, files: Path
) -> None:
    secret = "TOKEN=" + "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + "\n"
    made = app.call("file_op", {"action": "create", "path": ".env", "content": secret}, agent)
    redact_path(app, ".env")

    with pytest.raises(Irreversible):
        app.call("file_op", {"action": "edit", "path": ".env", "content": "x\n"}, agent)
    app.call("undo", {"of_session": made.model_dump()["session_id"]}, agent)

    assert (files / ".env").read_text() == secret


def test_what_stands_in_for_a_body_is_written_into_no_file(
    app: Application, agent: Caller, files: Path
) -> None:
    text = f"All about {SECRET}\n"
    app.call("create_record", kept.RECORD | {"body": text}, agent)
    app.call("file_op", {"action": "create", "path": "a", "content": text}, agent)
    edited = app.call("file_op", {"action": "edit", "path": "a", "content": "mine\n"}, agent)
    redact(app, digest_of(text.encode()))

    entry = f"s:{edited.model_dump()['receipt']['seq']}"
    app.call("undo", {"entry": entry}, agent)
    app.call("restore", {"path": "a", "point": entry, "to": "before"}, agent)

    assert (files / "a").read_text() == "mine\n"
    with pytest.raises(BlobRedacted):
        app.call("get_evolution", {"path": "a", "revision": 1}, agent)


def test_a_repetition_is_not_answered_by_what_stands_in_for_its_answer(app: Application) -> None:
    asked = kept.RECORD | {"body": f"All about {SECRET}"}
    app.call("create_record", asked, a_caller(idempotency_key="key"))

    redact(app, digest_of(str(asked["body"]).encode()))

    with pytest.raises(BlobRedacted):
        app.call("create_record", asked, a_caller(idempotency_key="key"))


def test_a_chat_and_a_document_go_on_after_what_they_said_was_erased(
    app: Application, agent: Caller
) -> None:
    chat = made(app, agent, "chatThread", {"name": f"About {SECRET}", "participantId": "p"})
    document = made(app, agent, "textDocument", {"title": "T", "content": f"It is {SECRET}"})
    contents = [
        orjson.loads(one.body or b"")["content"]
        for one in app.store.read(PROJECT, lambda tx: list(paging.entries(tx)))
        if one.kind == EntityCreated.kind
    ]

    done = redact(app, *contents)

    assert not [place for place in done.also if place.startswith("blob")]
    said = {"sender": "p", "partials": [{"type": "text", "payload": {"content": "more"}}]}
    app.call("thread_append", {"chat_id": chat["id"], **said}, agent)
    app.call("entity_update", {"id": chat["id"], "data": {"name": "clean"}}, agent)
    shown = app.call("entity_get", {"id": chat["id"]}, agent).model_dump()["entity"]
    assert (shown["name"], shown["participantId"]) == ("clean", "[redacted]")
    app.call("document_revise", {"id": document["id"], "content": "clean"}, agent)
    assert verify(app.store).findings == ()


def made(app: Application, caller: Caller, kind: str, data: dict[str, str]) -> dict[str, str]:
    answer = app.call("entity_create", {"type": kind, "data": data}, caller).model_dump()
    entity: dict[str, str] = answer["entity"]
    return entity
