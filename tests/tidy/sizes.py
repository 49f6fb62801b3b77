"""What the source measures, in a table: `python -m tests.tidy.sizes`."""

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

from tests.tidy.checks import BROAD, Function, function_lines, parsed, percentile, public_classes

SOURCE = Path(__file__).parents[2] / "src" / "hansard"
SAID = {
    "`noqa`": r"# noqa",
    "`type: ignore`": r"# type: ignore",
    "`cast`": r"(?<![\w.])cast\(",
    "`getattr`": r"(?<![\w.])getattr\(",
    "`fmt: skip`": r"# fmt: skip",
}
ROOMS = ("cli", "recorder")
DECIDES = ast.If | ast.IfExp | ast.For | ast.While | ast.ExceptHandler | ast.match_case | ast.Assert


def main() -> None:
    """Print it."""
    for name, value in measured({path: path.read_text() for path in SOURCE.rglob("*.py")}):
        print(f"| {name} | {value} |")  # noqa: T201 - the answer


def measured(files: dict[Path, str]) -> Iterator[tuple[str, object]]:
    """Give each measure with its name."""
    texts = files.values()
    lengths = [size for text in texts for size in function_lines(text).values()]
    branches = [branches_of(one) for text in texts for one in functions(text)]
    names = [name for text in texts for name in public_classes(text)]
    yield "files", len(files)
    yield "lines", sum(len(text.splitlines()) for text in texts)
    yield "lines of code, without comments and docstrings", sum(map(lines_of_code, texts))
    shares = [percentile(lengths, share) for share in (0.5, 0.9, 0.95, 0.99, 1.0)]
    yield "lines of a function: median, p90, p95, p99, longest", " / ".join(map(str, shares))
    yield "lines of the longest file", max(len(text.splitlines()) for text in texts)
    mean = statistics.mean(branches)
    yield "cyclomatic complexity: mean, highest", f"{mean:.1f} / {max(branches)}"
    yield "handlers of every exception", sum(map(broad_handlers, texts))
    for said, pattern in SAID.items():
        yield said, sum(len(re.findall(pattern, text)) for text in texts)
    yield "public classes, and names borne twice", f"{len(names)}, {len(names) - len(set(names))}"
    for room in ROOMS:
        inside = [path for path in files if path.is_relative_to(SOURCE / room)]
        shown = [path for path in inside if path.stem != "__init__"]
        direct = [path for path in shown if path.parent == SOURCE / room]
        yield (
            f"files of `{room}/`, and of these in none of its folders",
            (f"{len(shown)}, {len(direct)}"),
        )


def functions(text: str) -> list[Function]:
    """Give the functions of a file, those within others too."""
    return [node for node in ast.walk(parsed(text)) if isinstance(node, Function)]


def branches_of(function: Function) -> int:
    """Count the ways through a function, with what is within it."""
    nodes = list(ast.walk(function))
    joined = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    loops = sum(1 + len(node.ifs) for node in nodes if isinstance(node, ast.comprehension))
    return 1 + joined + loops + sum(isinstance(node, DECIDES) for node in nodes)


def lines_of_code(text: str) -> int:
    """Count the lines that do something."""
    texts = [
        range(node.lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    said = {number for several in texts for number in several}
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(1 for number, line in lines if line and line[0] != "#" and number not in said)


def broad_handlers(text: str) -> int:
    """Count the handlers that catch everything."""
    handlers = [node for node in ast.walk(parsed(text)) if isinstance(node, ast.ExceptHandler)]
    return sum(one.type is None or ast.unparse(one.type) in BROAD for one in handlers)


if __name__ == "__main__":
    main()
