"""A process that chats: `python -m tests.entities.chatting STORE CHAT SENDER COUNT [compare]`."""

import sys

from hansard.app import start
from hansard.app.settings import Settings
from hansard.app.start import catalog
from hansard.entities.contract import EntityConflict
from tests.conftest import a_caller
from tests.entities.asking import Asking, said


def main(store: str, chat: str, sender: str, count: str, compare: str = "") -> None:
    """Append messages; with `compare`, only where the chat was read to be, and again if not."""
    chosen = Settings(store=store)
    at = Asking(start.start(chosen, known=catalog(chosen)), a_caller())
    conflicts = 0
    _tell("ready")
    sys.stdin.readline()
    for number in range(int(count)):
        while True:
            expected = {"thread_id": at.get(chat)["threadId"]} if compare else {}
            try:
                at.append_to_chat(chat, sender, said(f"{sender} {number}"), **expected)
                break
            except EntityConflict:
                conflicts += 1
    at.app.close()
    _tell(conflicts)


def _tell(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
