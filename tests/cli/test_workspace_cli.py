"""A workspace goes on wherever its folder goes: agents in their own processes, and the command."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Hansard, Ran
from tests.mcp.processes import StdioServer

WHO = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
Json = dict[str, Any]


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *WHO, *arguments], cwd=folder, check=True, capture_output=True)


class Machine:
    """A store, and whoever works with it in some folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.hansard = Hansard(folder)

    @contextmanager
    def agent(self, workspace: Path) -> Iterator["Agent"]:
        """Let an agent work in a folder, through a server of its own."""
        settings = {"store": str(self.hansard.store), "workspace": str(workspace)}
        settings |= {"project": "shop", "embedder": "none"}
        with StdioServer("tests.clients.stdio_command", settings) as server:
            server.open()
            yield Agent(server)
            assert server.end() == 0

    def run(self, *arguments: str, at: Path) -> Ran:
        """Run the command in a folder."""
        return self.hansard(*arguments, HANSARD_WORKSPACE=str(at), HANSARD_PROJECT="shop")

    def told(self, *arguments: str, at: Path) -> Json:
        """Run the command, and give what it answers to programs."""
        ran = self.run(*arguments, "--json", at=at)
        assert (ran.code, ran.err) == (0, ""), ran
        answer: Json = json.loads(ran.out)
        return answer


class Agent:
    """Somebody who changes files through a server."""

    def __init__(self, server: StdioServer) -> None:
        self._server = server

    def ask(self, name: str, **arguments: Any) -> Json:
        """Call a tool; gives what it answers."""
        answer = self._server.call(name, **arguments)["result"]
        assert not answer.get("isError"), answer
        found: Json = answer["structuredContent"]
        return found

    def write(self, path: str, content: str, action: str = "edit") -> Json:
        """Give a file a content."""
        [result] = self.ask("file_op", path=path, action=action, content=content)["results"]
        found: Json = result
        return found


@pytest.fixture
def first(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "first")


@pytest.fixture
def work(first: Machine) -> Path:
    """A repository in which an agent has made a file and changed it, all of it committed."""
    folder = first.folder / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    with first.agent(folder) as agent:
        agent.ask("record_session_start", title="Open the shop")
        agent.write("till.py", "coins = 1\nnotes = 2\n", "create")
        agent.write("till.py", "coins = 10\nnotes = 2\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "A till")
    return folder


def goes_on(machine: Machine, folder: Path) -> None:
    """See that all that was recorded of the file is known here, told, and can be taken back."""
    before = machine.told("why", "till.py:1", at=folder)
    with machine.agent(folder) as agent:
        changed = agent.write("till.py", "coins = 10\nnotes = 20\n")
        [line] = agent.ask("why", path="till.py", line=1)["lines"]
        seen = agent.ask("get_evolution", path="till.py")["revisions"]
        undone = agent.ask("undo", entry=f"s:{line['seq']}")

    assert [one["session_title"] for one in before["lines"]] == ["Open the shop"]
    assert line["session_title"] == "Open the shop"
    assert changed["revision"] == seen[0]["revision"] == len(seen)
    assert [one["source"] for one in seen[::-1]][:2] == ["executed", "executed"]
    assert undone["counts"] == {"edit": 1}
    assert (folder / "till.py").read_text() == "coins = 1\nnotes = 20\n"


@pytest.mark.slow("an agent's server is started several times")
@pytest.mark.holds("FIL-copy-1")
@pytest.mark.parametrize("how", ["moved", "copied", "cloned"])
def test_a_folder_goes_on_wherever_it_goes(first: Machine, work: Path, how: str) -> None:
    there = first.folder / "elsewhere"
    if how == "moved":
        work.rename(there)
    elif how == "copied":
        shutil.copytree(work, there)
    else:
        git(first.folder, "clone", "-q", str(work), str(there))

    goes_on(first, there)

    if how != "moved":
        assert (work / "till.py").read_text() == "coins = 10\nnotes = 2\n"


@pytest.mark.slow("an agent's server is started several times")
@pytest.mark.holds("FIL-copy-1")
@pytest.mark.parametrize("by", ["bundle", "backup"])
def test_another_machine_goes_on_from_a_bundle_or_a_backup(
    first: Machine, work: Path, tmp_path: Path, by: str
) -> None:
    second = Machine(tmp_path / "second")
    there = second.folder / "work" / "the-shop"
    there.parent.mkdir()
    git(second.folder, "clone", "-q", str(work), str(there))
    if by == "bundle":
        made = first.run("export", "shop", str(tmp_path / "shop.hansard"), at=work)
        taken = second.run("import", str(tmp_path / "shop.hansard"), at=there)
    else:
        made = first.run("backup", str(tmp_path / "backups"), at=work)
        taken = second.run("restore-backup", str(tmp_path / "backups"), at=there)
    assert (made.code, taken.code) == (0, 0), (made, taken)

    goes_on(second, there)


@pytest.mark.slow("an agent's server is started several times")
@pytest.mark.holds("FIL-copy-2")
def test_two_agents_in_two_copies_do_not_touch_each_others_files(
    first: Machine, work: Path
) -> None:
    there = first.folder / "copy"
    shutil.copytree(work, there)

    with first.agent(work) as here, first.agent(there) as other:
        theirs = other.write("till.py", "coins = 10\nnotes = 2\ntheirs = 3\n")
        ours = here.write("till.py", "coins = 10\nnotes = 2\nours = 3\n")
        crossed = [
            here.ask("undo", entry=f"s:{theirs['seq']}"),
            other.ask("restore", entry=f"s:{ours['seq']}"),
        ]
        kept = [(folder / "till.py").read_text() for folder in (work, there)]
        other.ask("undo", entry=f"s:{theirs['seq']}")
    listed = first.told("workspace", at=there)["copies"]

    assert [one["counts"] for one in crossed] == [{"skipped": 1}] * 2
    assert kept == [f"coins = 10\nnotes = 2\n{whose} = 3\n" for whose in ("ours", "theirs")]
    assert (work / "till.py").read_text() == kept[0]
    assert (there / "till.py").read_text() == "coins = 10\nnotes = 2\n"
    assert {one["name"]: one["is_here"] for one in listed} == {"shop": False, "copy": True}


@pytest.mark.slow("an agent's server is started several times")
@pytest.mark.holds("FIL-copy-3")
def test_a_plain_folder_is_shown_and_joined(first: Machine) -> None:
    plain, there = first.folder / "plain", first.folder / "moved"
    plain.mkdir()
    with first.agent(plain) as agent:
        agent.ask("record_session_start", title="Open the shop")
        agent.write("till.py", "coins = 1\nnotes = 2\n", "create")
        agent.write("till.py", "coins = 10\nnotes = 2\n")
    plain.rename(there)

    told = first.run("evolution", at=there)
    [listed] = first.told("workspace", at=there)["copies"]
    joined = first.run("workspace", "join", listed["id"][:8], at=there)

    assert f"hansard workspace join {listed['id'][:8]}" in told.out + told.err
    assert (listed["is_here"], listed["is_marked"], listed["files"]) == (False, False, 1)
    assert joined.code == 0, joined
    goes_on(first, there)
