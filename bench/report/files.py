"""A recorded file change, beside the same change made durably, and committed to Git."""

import os
import random
import subprocess
import tempfile
from itertools import count
from pathlib import Path

from bench.recorder import call, edited, module, opened, write_plainly
from bench.report.figures import Figure, Section, Subject, in_turn, size_of

CALLS = 40
GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0")


def changing() -> Section:
    """Edit a file of some 10 KB again and again, in each way."""
    section = Section(
        "files",
        "A recorded change of a 10 KB file",
        "`plain` is write, fsync, rename, fsync of the folder, and keeps no record. `git` is "
        "`git add` and `git commit` of each edit, in which Git syncs what it is set to by default.",
    )
    with tempfile.TemporaryDirectory() as folder:
        app, caller, workspace = opened(Path(folder))
        chance, numbers = random.Random(1), count()
        texts = {"Hansard": module(chance), "plain": module(chance), "git": module(chance)}
        repository = Path(folder) / "repository"
        subprocess.run([*GIT, "init", "-q", str(repository)], check=True)
        call(app, caller, "file_op", path="a", action="create", content=texts["Hansard"])

        def edit(who: str) -> str:
            texts[who] = edited(chance, texts[who], next(numbers))
            return texts[who]

        def recorded() -> None:
            call(app, caller, "file_op", path="a", action="edit", content=edit("Hansard"))

        def committed() -> None:
            (repository / "a").write_text(edit("git"))
            subprocess.run([*GIT, "-C", str(repository), "add", "a"], check=True)
            command = [*GIT, "-C", str(repository), "commit", "-q", "-m", "edit"]
            subprocess.run(command, check=True)

        subjects = {
            "Hansard": Subject(recorded, pid=os.getpid()),
            "plain": Subject(
                lambda: write_plainly(workspace / "plain", edit("plain")), pid=os.getpid()
            ),
            "git": Subject(committed, _with_children),
        }
        section.figures += in_turn("edit", subjects, calls=CALLS)
        made = 3 * CALLS + 1
        app.close()
        after = {"Hansard": size_of(Path(folder) / "store"), "git": size_of(repository)}
        section.figures += [
            Figure("kept of an edit", who, size_bytes=size // made) for who, size in after.items()
        ]
    return section


def _with_children() -> float:
    """Give what this process and those that it has waited for took of a processor."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
