"""`hansard init` where every host has files already, with remarks and servers of others.

What it changes is kept as a diff for people to read. After a change that is meant,
`HANSARD_TEST_WRITES=1 pytest tests/cli/setup/test_every_host.py` writes it anew.
"""

import os
from pathlib import Path

import pytest

from hansard.cli.setup import entries
from hansard.cli.setup.document import document
from hansard.cli.setup.host_files import ALL
from tests.cli.setup.person import PROGRAM, Person

FOLDER = Path(__file__).with_name("every_host")
SHOWN_PROGRAM = "/opt/hansard/bin/hansard"
WRITES = os.environ.get("HANSARD_TEST_WRITES") == "1"

SCOPES = {"project": [], "user": ["--user"]}
WINDOWS_LINES = ".cursor/mcp.json"
"""The file whose lines end as on Windows; Git would not keep them so."""


def lay_out(person: Person, scope: str) -> Path:
    """Give somebody the files of every host."""
    base, source = person.repository, FOLDER / "project"
    if scope == "user":
        base, source = person.home, FOLDER / "home"
    for path in filter(Path.is_file, source.rglob("*")):
        name = str(path.relative_to(source))
        name = name.replace("dot_", ".", 1) if name.startswith("dot_") else name
        text = path.read_text()
        person.has({name: text.replace("\n", "\r\n") if name == WINDOWS_LINES else text}, base)
    return base


def own_entries(base: Path) -> dict[str, int]:
    """Count the entries that run Hansard, by file."""
    found = {}
    for path in filter(Path.is_file, base.rglob("*.*")):
        keys = [host.keys for host in ALL.values() if path.suffix in (".json", ".jsonc", ".toml")]
        for key in dict.fromkeys(keys if ".local" not in path.parts else ()):
            held = document(path.name, path.read_text())
            if isinstance(held.at(*key), dict):
                names = entries.own_names(entries.servers_in(held, key))
                found[str(path.relative_to(base))] = len(names)
    return found


@pytest.mark.parametrize("scope", SCOPES)
def test_what_is_changed_is_as_people_have_read_it(person: Person, scope: str) -> None:
    lay_out(person, scope)

    ran = person("init", "--print", *ALL, *SCOPES[scope])

    shown = ran.out.replace(PROGRAM, SHOWN_PROGRAM).replace(str(person.home), "~")
    shown = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
    kept = FOLDER / f"{scope}.diff"
    if WRITES:
        kept.write_text(shown)
    assert (ran.code, ran.err) == (0, "")
    assert shown == kept.read_text()


@pytest.mark.parametrize("scope", SCOPES)
def test_each_is_connected_once_and_set_free_to_the_byte(person: Person, scope: str) -> None:
    base = lay_out(person, scope)
    before, words = person.files(base), ["--yes", *ALL, *SCOPES[scope]]

    first = person("init", *words)
    written, counted = person.files(base), own_entries(base)
    again = person("init", *words)
    same = person.files(base)
    out = person("init", "--uninstall", *words)
    after = person.files(base)

    assert (first.code, again.code, out.code) == (0, 0, 0)
    assert counted
    assert set(counted.values()) == {1}
    assert written == same
    assert "Nothing was changed." in again.out
    after.pop(".hansard.toml", None)
    assert after == before
