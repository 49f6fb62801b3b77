"""What is asked of a host: it works in one chat, is asked in a second, and is then undone.

In the first chat the model decides something through Hansard, changes a file with the host's own
tool, one by its shell, and one through Hansard.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hosts.cast import COLUMNS, Host, Stage
from tests.hosts.driving import BEFORE, EDITED, RECORDED, SHELLED, Chat, Driver
from tests.hosts.model import speaking
from tests.hosts.script import Call

DECIDED = "Use SQLite for the ledger"
CHANGED = {
    EDITED: BEFORE.replace("two", "TWO"),
    SHELLED: BEFORE + "four\n",
    RECORDED: BEFORE.replace("two", "2"),
}
"""What the files hold after the first chat."""

Cells = dict[str, bool]


def tried(
    host: Host, packages: Path, folder: Path, **around: str
) -> Callable[[dict[str, str]], tuple[Cells, list[str]]]:
    """Give the work that tries a host: what it was seen to do, and what it said.

    Its home may have been furnished; `around` are variables for it.
    """

    def work(variables: dict[str, str]) -> tuple[Cells, list[str]]:
        with speaking() as model:
            stage = Stage(folder / "home", folder / "workspace", model.url)
            driver = Driver(host, packages, stage, model, variables | around)
            driver.prepare()
            try:
                first = driver.chat("Edit the files, please.", _script(driver))
                looks = [host.tools.shell("true")] * host.briefed_after
                second = driver.chat("Where were we?", looks)
                _require_done(driver, [first, second])
                cells = _seen(driver, first, second)
                cells["undo"] = _is_undone(driver, cells)
            finally:
                driver.close()
            return {name: cells[name] for name in COLUMNS}, [first.said, second.said]

    return work


def _script(driver: Driver) -> list[Call]:
    tools, why = driver.host.tools, "One file is enough for one person."
    edits = [{"old": "two", "new": "2"}]
    return [
        tools.ours("record_decision", {"title": DECIDED, "target": "storage", "rationale": why}),
        *tools.edit(driver.stage.workspace / EDITED, "two", "TWO"),
        tools.shell(f"echo four >> {SHELLED}"),
        tools.ours("file_op", {"path": RECORDED, "action": "edit", "edits": edits}),
    ]


def _require_done(driver: Driver, chats: list[Chat]) -> None:
    """Make sure that the host itself did its part; else nothing can be said of ours."""
    for chat in chats:
        assert chat.code == 0, f"{driver.host.name} ended with {chat.code}:\n{chat.said}"
        assert chat.asked, f"{driver.host.name} asked the model nothing:\n{chat.said}"
    for name in (EDITED, SHELLED):
        assert driver.text(name) == CHANGED[name], f"{name} was not changed:\n{chats[0].said}"


def _seen(driver: Driver, first: Chat, second: Chat) -> Cells:
    sign = driver.host.sign or driver.host.tools.ours("get_project_overview", {}).tool
    decided = [one for one in _log(driver) if one["kind"].startswith("decisions.decision_rec")]
    edit, shell = _last_revision(driver, EDITED), _last_revision(driver, SHELLED)
    return {
        # Some tell the model of no tools before it looks for them.
        "connects": sign in first.chat[0].text or bool(decided),
        "calls": bool(decided) and driver.text(RECORDED) == CHANGED[RECORDED],
        "hook edit": edit is not None,
        "hook shell": shell is not None,
        "brief": DECIDED in second.chat[driver.host.briefed_after].text,
        "session joined": edit is not None
        and {edit["session_id"]} == {one["session"] for one in decided},
    }


def _log(driver: Driver) -> list[Any]:
    return driver.told("log", "--limit", "1000")


def _last_revision(driver: Driver, name: str) -> Any | None:
    """Give what is recorded of a file, if it is what the file holds, and what it held before."""
    if not any(one["payload"].get("path") == name for one in _log(driver)):
        return None
    revisions = driver.told("evolution", name)
    held = [hashlib.sha256(text.encode()).hexdigest() for text in (BEFORE, CHANGED[name])]
    return revisions[-1] if [one["sha256"] for one in revisions] == held else None


def _is_undone(driver: Driver, cells: Cells) -> bool:
    """Undo all that every session did, and look at what was recorded."""
    for session in driver.told("sessions", "--all"):
        if session["edits"]:
            driver.hansard("undo", "--session", session["session_id"], "--yes")
    back = [RECORDED] + [EDITED] * cells["hook edit"] + [SHELLED] * cells["hook shell"]
    return all(driver.text(name) == BEFORE for name in back)
