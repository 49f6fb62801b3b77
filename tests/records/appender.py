"""A process that appends unique tokens to shared records, and logs what it was answered."""

import json
import random
import sys
from pathlib import Path
from typing import Any

from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat

FORCED_SHARE = 0.1
STALE_SHARE = 0.4
"""How often it writes from what it last saw, rather than look again first."""


def main(store: str, log: str, name: str, count: int, records: list[str]) -> None:
    """Append `count` times to one of the records, chosen at random."""
    chance = random.Random(name)
    app = start(Settings(store=store))
    caller = Caller(Actor("agent", name, "agent"), seat=Seat())
    known: dict[str, str] = {}
    # All begin at once, or the first would be done before the last has started.
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()

    def ask(operation: str, **arguments: Any) -> dict[str, Any]:
        answer = app.call(operation, arguments, caller)
        return answer.model_dump(mode="json", exclude_none=True)

    with Path(log).open("w") as lines:

        def note(**entry: Any) -> None:
            lines.write(json.dumps(entry) + "\n")

        def look(record: str) -> None:
            target = ask("activate", id=record, override=True)["context"]["target"]
            known[record] = target["body"]
            note(op="read", record=record, version=target["version"], body=target["body"])

        for number in range(count):
            record = chance.choice(records)
            roll = chance.random()
            if record not in known or roll > FORCED_SHARE + STALE_SHARE:
                look(record)
            token = f"{name}.{number}"
            body = f"{known[record]}{token}\n"
            forced = roll < FORCED_SHARE
            answer = ask("update_record", id=record, body=body)
            while forced and (met := answer.get("conflict")):
                over = {"force": True, "force_version": met["version"]}
                answer = ask("update_record", id=record, body=body, **over)
            is_applied = "conflict" not in answer
            note(
                op="write", record=record, token=token, forced=forced, applied=is_applied,
                version=answer["record"]["version"], body=body,
            )  # fmt: skip
            if is_applied:
                known[record] = body
    app.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:])
