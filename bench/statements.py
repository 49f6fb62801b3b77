"""What a call asks of PostgreSQL: its statements and their round trips.

Once all is warm, and after another server has written to the same project, so that nothing that was
remembered of it holds.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.table import print_table
from bench.world import locations
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from tests.engines.wire import Asked, Wire
from tests.records.chats import Chat

CHILDREN = 30
WARM = 3


def calls(app: Application) -> dict[str, Callable[[int], object]]:
    """Give the calls that are counted, each told how often it has been asked before."""
    chat = Chat(app)
    top = chat.create("The parent")["id"]
    for number in range(CHILDREN):
        chat.create(f"Child {number}", parent=top)
    chat.activate(top)
    moved = [chat.create(f"Moved {number}")["id"] for number in range(WARM + 2)]

    def decide(number: int) -> object:
        why = "because it was measured and found to hold"
        return chat.ask("record_decision", title=f"D {number}", target=f"t{number}", rationale=why)

    def write_file(number: int) -> object:
        return chat.ask("file_op", action="create", path=f"a{number}.txt", content="text\n")

    def save(number: int) -> object:
        return chat.ask("workflow_checkpoint_save", context={"step": number})

    return {
        "create_record": lambda n: chat.create(f"Another {n}"),
        "update_record": lambda n: chat.update(top, body=f"Body {n}\n"),
        "transition": lambda n: chat.move_state(moved[n], "LATER", reason="not now"),
        "record_decision": decide,
        "file_op": write_file,
        "workflow_checkpoint_save": save,
        "activate, 30 children": lambda _: chat.activate(top),
        "get_project_overview": lambda _: chat.ask("get_project_overview"),
        "search_decisions": lambda _: chat.ask("search_decisions", query="measured"),
        "search": lambda _: chat.ask("search", query="parent"),
    }


def main(*, shows: str | None = None) -> None:
    """Print the table; `shows` prints the statements of one call as well."""
    with locations() as found, tempfile.TemporaryDirectory() as folder:
        if "postgresql" not in found:
            return
        settings = Settings(store=found["postgresql"], workspace=folder, embedder="none")
        app, other = start(settings), start(settings)
        wire, rows = Wire(), dict[str, list[Any]]()
        try:
            counted, elsewhere = calls(app), Chat(other)
            with wire.counting():
                for name, call in counted.items():
                    for number in range(WARM):
                        call(number)
                    asked = wire.of(partial(call, WARM))
                    rows[name] = [name, *_counts(asked, shows=name == shows)]
                for name, call in counted.items():
                    elsewhere.create(f"By another server, before {name}")
                    asked = wire.of(partial(call, WARM + 1))
                    rows[name] += _counts(asked, shows=name == shows)
        finally:
            app.close()
            other.close()
    columns = ["call", "statements", "round trips", "after another wrote", "round trips"]
    print_table("PostgreSQL: what one call asks", columns, [*rows.values()])


def _counts(asked: Asked, *, shows: bool) -> list[int]:
    if shows:
        print("\n".join(text[:150] for text in [*asked.statements, ""]))
    return [len(asked.statements), asked.round_trips]


if __name__ == "__main__":
    import sys

    main(shows=sys.argv[1] if sys.argv[1:] else None)
