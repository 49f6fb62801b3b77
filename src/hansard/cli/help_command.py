"""`hansard help`: every command on one screen, settings on another.

Light: no command is loaded to be named.
"""

from collections.abc import Collection, Iterator

from hansard.app.settings import declarations
from hansard.cli.terminal.layout import Paint, paragraph, room, table
from hansard.cli.terminal.text import painter

INTRODUCTION = "Hansard: the official record of what your agents thought, decided and did."

USAGE = "Alone it says where you were; started by a client, it serves MCP on stdio."

GROUPS: dict[str, dict[str, str]] = {
    "Look": {
        "status": "where you were, what holds, what waits for you",
        "top, sessions": "who is at what right now; who is there, and was",
        "records": "the tree of questions, findings and tasks",
        "decisions": "what holds, and what led to it",
        "story, timeline, log": "what a session did, told or by entry; the journal",
        "evolution, why": "a file as it grew; why a line is there",
        "search": "everything at once",
        "checkpoints": "saved working contexts",
        "entities, metrics": "threads, documents and runs; what was measured",
        "projects, workspace": "what the store holds; the folders it records",
    },
    "Write": {
        "records new": "a record; also: records edit, records move-state",
        "decisions record": "a decision; also: supersede, accept, reject",
        "watch, hook": "record what others change in the workspace",
    },
    "Bring back": {
        "undo": "take back an entry, a step or a session, only that",
        "restore": "bring files to where they stood at a moment",
        "replay": "a session as one HTML file that anyone can open",
    },
    "Keep": {
        "doctor": "whether all is well, and what to do if not",
        "verify, anchor": "prove that nothing was lost or changed",
        "backup, copy-store": "copy the store; take it elsewhere",
        "restore-backup, repair": "bring a copy back; mend a store",
        "export, import": "a project as a file",
        "push, pull, exchange": "a project to another store, and back",
        "import-from, export-to": "what other programs keep, and what they can read",
        "gc, redact, rebuild": "free room; take words out; derive tables again",
    },
    "Serve": {
        "init, hosts": "connect the clients of this machine; who is",
        "serve, open": "MCP over HTTP and the page; look at the page",
        "token, sso, secret": "who may come in; what proves a person",
        "demo, completion": "an example to look around in; Tab for your shell",
        "call, export-schema": "any operation by its name; the contract, for programs",
    },
}
"""What each command is for, by what one wants to do."""

MORE = (
    ("hansard COMMAND --help", "what a command takes"),
    ("hansard help settings", "every setting: flag, variable, default"),
    ("hansard help start", "how to connect a client"),
)


def names_in(label: str) -> list[str]:
    """Give the commands that a row of the help is about."""
    return [name.split()[0] for name in label.split(", ")]


def overview(known: Collection[str], paint: Paint, columns_max: int | None) -> Iterator[str]:
    """Name every command on one screen."""
    yield INTRODUCTION
    yield from paragraph(USAGE, columns_max)
    groups = {title: _rows(rows, known) for title, rows in GROUPS.items()}
    groups["More"] = dict(MORE)
    wide = max(len(label) for rows in groups.values() for label in rows)
    for title, rows in groups.items():
        yield paint(title, "yellow")
        cells = [[(f"  {label:<{wide}}", "cyan"), (says, None)] for label, says in rows.items()]
        yield from table(cells, paint, columns_max)


def _rows(rows: dict[str, str], known: Collection[str]) -> dict[str, str]:
    """Leave out what does not exist."""
    shown = {
        ", ".join(one for one in label.split(", ") if one.split()[0] in known): says
        for label, says in rows.items()
    }
    return {label: says for label, says in shown.items() if label}


def settings(paint: Paint, columns_max: int | None) -> Iterator[str]:
    """Describe every setting."""
    yield from paragraph(
        "A flag counts before a variable, a variable before the config file. Flags stand before "
        "the command or after it; in the config file a setting has the name of its flag, with _.",
        columns_max,
    )
    for declared in declarations():
        yield ""
        value = str(declared.default).lower()
        default = f" (default: {value})" if value not in ("", "false") else ""
        yield f"{paint(declared.flag, 'cyan')}  {paint(declared.variable, 'grey')}"
        choices = f" One of: {', '.join(declared.choices)}." if declared.choices else ""
        yield from paragraph(f"{declared.help}{choices}{default}", columns_max, "    ")


def print_overview(known: Collection[str]) -> None:
    """Print the help of the program."""
    for line in overview(known, painter(), room()):
        print(line)


def print_settings() -> None:
    """Print the help of the settings."""
    for line in settings(painter(), room()):
        print(line)
