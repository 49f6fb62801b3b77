"""Two gateways, a person's editor and a shell script at the same files: nobody's work is lost."""

import itertools
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.problems import FileChanged
from hansard.recorder.workspace import linux
from tests.conftest import OpenApp, a_caller
from tests.patience import PATIENCE_S, wait_until
from tests.recorder.asking import edit, evolution, read, sha256

PERSONS, SHARED, SCRIPTS = "persons.txt", "shared.txt", "scripts.txt"
FILES = (PERSONS, SHARED, SCRIPTS)
PAUSE_S = 0.001
"""Between two changes by one hand, so that on a busy machine everybody has a turn."""

SCRIPT = """
i=0
while [ ! -e "$2" ]; do
  i=$((i+1))
  for file in "$@"; do
    case "$file" in *.txt) ;; *) continue ;; esac
    text="script $i $file"
    printf '%s\\n' "$text" > "$file"
    tries=0
    while [ "$(cat "$file")" = "$text" ] && [ ! -e "$2" ] && [ $tries -lt 20 ]; do
      tries=$((tries+1))
    done
    [ "$(cat "$file")" = "$text" ] || printf '%s\\n' "$text" >> "$1"
  done
done
"""
"""Writes into files as a shell does, and notes each text that somebody has replaced."""


class Editor:
    """A person's editor, which saves by exchanging files, and so knows what it has replaced."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.saved: dict[str, list[str]] = {name: [] for name in FILES}
        self.replaced: set[str] = set()

    def save(self, number: int) -> None:
        """Save one file."""
        name = (PERSONS, SHARED)[number % 2]
        text, draft = f"person {number}\n", self.folder / f".draft-{name}"
        draft.write_text(text)
        here = os.open(self.folder, os.O_RDONLY)
        try:
            linux.renameat2(here, draft.name, here, name, linux.RENAME_EXCHANGE)
        finally:
            os.close(here)
        self.saved[name].append(text)
        self.replaced.add(draft.read_text())
        draft.unlink()


class Gateway:
    """An agent that edits through Hansard; a careful one says what it has read."""

    def __init__(self, app: Application, name: str, *, careful: bool) -> None:
        self.app = app
        self.name = name
        self.careful = careful
        self.caller: Caller = a_caller()
        self.acknowledged: dict[str, str] = {}
        self.expected: dict[str, str] = {}
        """By the digest of what it wrote: what it had read."""
        self.outcomes: Counter[str] = Counter()

    def edit(self, number: int) -> None:
        """Edit one file."""
        path, text = FILES[number % 3], f"{self.name} {number}\n"
        try:
            if self.careful:
                seen = read(self.app, self.caller, path).sha256
                edit(self.app, self.caller, path, text, expected_sha256=seen)
                self.expected[sha256(text)] = seen
            else:
                edit(self.app, self.caller, path, text)
        except (FileChanged, StorageUnavailable) as problem:
            self.outcomes[problem.code] += 1
        else:
            self.outcomes["done"] += 1
            self.acknowledged[sha256(text)] = text


def repeat(work: Callable[[int], None], stop: threading.Event, failures: list[str]) -> None:
    try:
        for number in itertools.count():
            if stop.wait(PAUSE_S):
                return
            work(number)
    except Exception as error:  # noqa: BLE001 - the test reports it
        failures.append(repr(error))


def work_together(
    folder: Path,
    hands: list[Callable[[int], None]],
    seconds: float,
    is_enough: Callable[[], bool],
) -> list[str]:
    """Let everybody write for a while, and until it is enough; returns what the script replaced."""
    log, stopped = folder.parent / "replaced", folder.parent / "stopped"
    log.touch()
    stop, failures = threading.Event(), list[str]()
    threads = [threading.Thread(target=repeat, args=(hand, stop, failures)) for hand in hands]
    paths = [str(folder / name) for name in (SHARED, SCRIPTS)]
    with subprocess.Popen(["sh", "-c", SCRIPT, "script", str(log), str(stopped), *paths]) as shell:
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        wait_until(is_enough)
        stop.set()
        stopped.touch()
        for thread in threads:
            thread.join(PATIENCE_S)
        shell.wait(PATIENCE_S)
    assert failures == []
    return [f"{line}\n" for line in log.read_text().splitlines()]


def check_many_hands(open_app: OpenApp, folder: Path, seconds: float) -> None:
    for name in FILES:
        (folder / name).write_text("as it was\n")
    first = Gateway(open_app(), "first", careful=False)
    second = Gateway(open_app(), "second", careful=True)
    editor = Editor(folder)

    def is_enough() -> bool:
        done = [gateway.outcomes["done"] for gateway in (first, second)]
        return all(done) and external(revisions_of(first)) > 0

    replaced = work_together(folder, [first.edit, second.edit, editor.save], seconds, is_enough)

    revisions = revisions_of(first)
    recorded = {digest for chain in revisions.values() for digest, _ in chain}
    # What the agents were told is done is in the record, with its content.
    for gateway in (first, second):
        assert gateway.acknowledged.keys() <= recorded
        assert gateway.outcomes["done"]
    # What a careful agent replaced is what it had read.
    for chain in revisions.values():
        for (before, _), (digest, source) in itertools.pairwise(chain):
            if source == "executed" and digest in second.expected:
                assert second.expected[digest] == before
    # What others wrote and is no longer there is in the record, or they replaced it themselves.
    # Where the editor and the script meet, they lose each other's work without our help.
    now = {(folder / name).read_text() for name in FILES}
    outside = [*editor.saved[PERSONS], *(text for text in replaced if SCRIPTS in text)]
    lost = [
        text
        for text in outside
        if text not in now and text not in editor.replaced and sha256(text) not in recorded
    ]
    seen = external(revisions)
    sys.stdout.write(
        f"first {dict(first.outcomes)}, second {dict(second.outcomes)}, "
        f"{len(outside)} changes from outside, {seen} of them recorded\n"
    )
    assert lost == []
    assert seen


def revisions_of(gateway: Gateway) -> dict[str, list[tuple[str, str]]]:
    """Give the revisions of every file."""
    return {name: shown(gateway.app, gateway.caller, name) for name in FILES}


def external(revisions: dict[str, list[tuple[str, str]]]) -> int:
    """Count the revisions that came from outside."""
    return sum(source == "external" for chain in revisions.values() for _, source in chain)


def shown(app: Application, caller: Caller, path: str) -> list[tuple[str, str]]:
    """Give the digest and source of every revision, oldest first."""
    chain: list[tuple[str, str]] = []
    cursor: dict[str, str] = {}
    while True:
        page = evolution(app, caller, path=path, limit=1000, **cursor)
        chain += [(str(one.sha256), str(one.source)) for one in page.revisions or ()]
        if page.nextCursor is None:
            return chain[::-1]
        cursor = {"cursor": page.nextCursor}


needs_shell = pytest.mark.skipif(
    shutil.which("sh") is None or sys.platform != "linux", reason="needs a shell and renameat2"
)


@pytest.mark.fault("many processes")
@needs_shell
@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_many_hands_lose_nothing_in_two_seconds(open_app: OpenApp, files: Path) -> None:
    check_many_hands(open_app, files, 2.0)


@pytest.mark.fault("many processes")
@needs_shell
@pytest.mark.slow("writes for thirty seconds")
@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_many_hands_lose_nothing_in_thirty_seconds(open_app: OpenApp, files: Path) -> None:
    check_many_hands(open_app, files, 30.0)
