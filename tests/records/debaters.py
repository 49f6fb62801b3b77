"""A process with some chats that change the same records in every way there is, and log it.

A body is lines, each with a word of its own. A chat takes a line away only if it was shown it: in a
record, in a diff, or by having written it. So a line that is gone, and that whoever wrote next was
never shown, was buried.
"""

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.records.contract import NotActivated
from hansard.sessions.contract import SessionNotFound

WORD = re.compile(r"<[^<>]+>")
FILLER = "so that a few lines are more than a small budget holds " * 3
LINES_MAX = 12

Json = dict[str, Any]


class Debater:
    """One chat, what it was shown, and the text it would go on from."""

    def __init__(self, app: Any, name: str, records: list[str], lines: Any) -> None:
        self.app, self.name, self.records, self.lines = app, name, records, lines
        self.chance = random.Random(name)
        self.caller = Caller(Actor("agent", name, "agent"), seat=Seat())
        self.seen: set[str] = set()
        self.texts: dict[str, str] = {}
        self.count = 0

    def ask(self, operation: str, **arguments: Any) -> Json:
        answer = self.app.call(operation, arguments, self.caller)
        shown: Json = answer.model_dump(mode="json", exclude_none=True)
        # Whatever an answer holds was shown, in whatever form it came.
        self.seen |= set(WORD.findall(json.dumps(shown, ensure_ascii=False)))
        return shown

    def note(self, record: str, how: str, given: Json, answer: Json) -> None:
        entry = {"record": record, "how": how, "by": self.name, "seen": sorted(self.seen)}
        applied = {"version": answer["record"]["version"], "replaced": answer.get("replaced")}
        self.lines.write(json.dumps(entry | applied | {"title": "body" not in given}) + "\n")

    def act(self) -> None:
        """Do one thing."""
        record = self.chance.choice(self.records)
        acts = [
            self.look,
            self.update,
            self.update,
            self.update,
            self.sync,
            self.rename,
            self.leave,
        ]
        weights = [4, 6, 6, 6, 3, 3, 1]
        [act] = self.chance.choices(acts, weights)
        try:
            act(record)
        except (NotActivated, SessionNotFound):
            self.look(record)

    def look(self, record: str) -> None:
        shown = self.ask("activate", id=record, budget_tokens=1_000)
        self.texts[record] = shown["context"]["target"]["body"]

    def sync(self, _: str) -> None:
        # It learns of what it is told, and goes on from the texts it had: that is a bad habit.
        self.ask("sync_session", budget_tokens=self.chance.choice([1_000, 8_000]))

    def leave(self, _: str) -> None:
        """End the session, or just begin another."""
        if self.chance.random() < 0.5 and self.caller.seat and self.caller.seat.sessions:
            self.ask("close_session")
        self.caller = Caller(self.caller.actor, seat=Seat())
        self.texts = {}

    def rename(self, record: str) -> None:
        self.count += 1
        self.write(record, {"title": f"{self.name} {self.count}"})

    def update(self, record: str) -> None:
        if record not in self.texts:
            self.look(record)
        self.write(record, {"body": self.changed(self.texts[record])})

    def changed(self, text: str) -> str:
        """Add a line somewhere, and take away one that was shown, if there are many."""
        lines = text.splitlines(keepends=True)
        self.count += 1
        word = f"<{self.name}.{self.count}>"
        self.seen.add(word)
        lines.insert(self.chance.randint(0, len(lines)), f"{word} {FILLER}\n")
        while len(lines) > LINES_MAX:
            lines.pop(self.chance.randrange(len(lines)))
        return "".join(lines)

    def write(self, record: str, given: Json) -> None:
        """Change a record, and decide what there is to decide, one way or another."""
        accept = {"accept": "merge"} if self.chance.random() < 0.3 else {}
        answer = self.ask("update_record", id=record, **given, **accept)
        way = "merge" if accept else "plain"
        while met := answer.get("conflict"):
            way = self.chance.choice(["merge", "force", "blind", "old", "give up"])
            if way == "give up":
                return
            decision = {
                "merge": {"accept": "merge"},
                "force": {"force": True, "force_version": met["version"]},
                "blind": {"force": True},
                "old": {"force": True, "force_version": met["version"] - 1},
            }[way]
            answer = self.ask("update_record", id=record, **given, **decision)
        if "receipt" in answer:
            self.note(record, way, given, answer)
        self.texts[record] = answer["record"].get("body") or given.get("body") or self.texts.get(
            record, ""
        )  # fmt: skip


def main(store: str, log: str, names: str, count: int, records: list[str]) -> None:
    """Let chats of these names do so many things between them."""
    app = start(Settings(store=store))
    chance = random.Random(names)
    # All begin at once, or the first would be done before the last has started.
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    with Path(log).open("w") as lines:
        debaters = [Debater(app, name, records, lines) for name in names.split(",")]
        for _ in range(count):
            chance.choice(debaters).act()
    app.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:])
