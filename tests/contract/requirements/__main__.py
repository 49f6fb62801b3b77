"""Print how many clauses each milestone has and how many a test holds; `settle` marks new ones."""

import re
import sys
from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.contract.requirements import DONE, MILESTONES, REQUIREMENTS, ROOT
from tests.contract.requirements.holders import find_holders

ROW = "{:<12} {:>7} {:>5}  {}\n"


def main(arguments: list[str]) -> int:
    """Answer the command line. Returns the exit status."""
    if arguments not in ([], ["settle"]):
        sys.stderr.write("usage: python -m tests.contract.requirements [settle]\n")
        return 2
    held = find_holders(ROOT).keys()
    if arguments:
        sys.stdout.writelines(f"held: {id}\n" for id in settle(Path(__file__).parent, held))
    sys.stdout.write(table(held))
    return 0


def table(held: AbstractSet[str]) -> str:
    """One line per milestone, and the sum."""
    lines = [ROW.format("milestone", "clauses", "held", "")]
    for milestone in MILESTONES:
        ids = {r.id for r in REQUIREMENTS if r.milestone == milestone}
        state = "done" if milestone in DONE else ""
        lines.append(ROW.format(milestone, len(ids), len(ids & held), state))
    everything = {r.id for r in REQUIREMENTS}
    lines.append(ROW.format("all", len(everything), len(everything & held), ""))
    return "".join(line.rstrip() + "\n" for line in lines)


def settle(folder: Path, held: AbstractSet[str]) -> list[str]:
    """Write `held` for each `later` in the files of `folder` that a test holds. Returns the ids."""
    settled: list[str] = []

    def mark(match: re.Match[str]) -> str:
        if match["id"] not in held:
            return match[0]
        settled.append(match["id"])
        return f'held({match["gap"]}"{match["id"]}"'

    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        marked = re.sub(r'\blater\((?P<gap>\s*)"(?P<id>[^"]+)"', mark, text)
        if marked != text:
            path.write_text(_with_import(marked), encoding="utf-8")
    return settled


def _with_import(text: str) -> str:
    """The file with only those of `held` and `later` imported that it still uses."""
    used = [name for name in ("held", "later") if f" {name}(" in text]
    return re.sub(r"import .*\bsection\n", f"import {', '.join([*used, 'section'])}\n", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
