"""Two processes that append to one chat."""

import subprocess
import sys
from pathlib import Path

import pytest

from hansard.app import start
from hansard.app.settings import Settings
from hansard.app.start import catalog
from tests.conftest import a_caller
from tests.entities.asking import CHAT, Asking
from tests.launcher.programs import Popen
from tests.patience import PATIENCE_S

COUNT = 40
ROOT = Path(__file__).parents[2]


@pytest.mark.holds("ENT-chat-2")
@pytest.mark.parametrize("compare", ["", "compare"])
def test_two_processes_append_and_no_message_is_lost(tmp_path: Path, compare: str) -> None:
    chosen = Settings(store=str(tmp_path / "store"))
    at = Asking(start.start(chosen, known=catalog(chosen)), a_caller())
    chat = at.create("chatThread", CHAT)["id"]

    chatters: list[Popen[str]] = [
        Popen(
            [
                sys.executable,
                "-m",
                "tests.entities.chatting",
                *(chosen.store, chat, sender, str(COUNT), compare),
            ],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for sender in ("left", "right")
    ]
    for chatter in chatters:
        assert chatter.stdout
        assert chatter.stdout.readline() == "ready\n"
    conflicts = [int(chatter.communicate("go\n", timeout=PATIENCE_S)[0]) for chatter in chatters]

    thread = at.thread(at.get(chat)["threadId"])
    told = [one["payload"]["content"] for turn in thread["turns"] for one in turn["partials"]]
    for sender in ("left", "right"):
        mine = [one for one in told if one.startswith(sender)]
        assert mine == [f"{sender} {number}" for number in range(COUNT)]
    assert len(told) == 2 * COUNT
    assert [chatter.returncode for chatter in chatters] == [0, 0]
    assert compare or conflicts == [0, 0]
    at.app.close()
