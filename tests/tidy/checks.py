"""What the tidy test looks for. Each check takes source text and returns what it found."""

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterable
from functools import cache

Function = ast.FunctionDef | ast.AsyncFunctionDef

BROAD = {"Exception", "BaseException"}

REASON_WORDS_MIN = 3
"""A comment shorter than this names nobody."""

VAGUE_WORDS = {"helper", "helpers", "manager", "managers", "util", "utils"}

IMPURE_MODULES = {"os", "pathlib", "random", "secrets", "socket", "subprocess", "time", "uuid"}

IMPURE_CALLS = {"input", "now", "open", "today", "utcnow"}

# Written in pieces, so that this file does not contain what it looks for.
MACHINE_PATH = re.compile(
    r"(?<![\w.+/-])/(?:work|farm|root|opt/wheels|opt/pypi[\w-]*|tmp/[a-z_]+)/", re.IGNORECASE
)
REGISTRY_HOSTS = (
    "pypi" + ".org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "deb." + "debian.org",
)
LOCKED_LINE = re.compile(r"(?:#.*| {4}#.*|[\w.-]+==.*\\| {4}--hash=sha256:[0-9a-f]{64}(?: \\)?|)")


@cache
def parsed(source: str) -> ast.Module:
    """Parse a text, once for all checks."""
    return ast.parse(source)


def function_lines(source: str) -> dict[str, int]:
    """Give the length of each function, docstring included, by its name and line."""
    return {
        f"{node.name}:{node.lineno}": (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(parsed(source))
        if isinstance(node, Function)
    }


def percentile(values: list[int], share: float) -> int:
    """Give the smallest value that at least this share of the values does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1] if values else 0


def unexplained_broad_excepts(source: str) -> list[str]:
    """Find handlers that catch everything and neither raise it again nor say who does."""
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type):
            comments = _comments(source)
            beside, above = comments.get(node.lineno, ""), comments.get(node.lineno - 1, "")
            reason = beside or (above if _is_comment(source, node.lineno - 1) else "")
            if not _raises_again(node) and len(reason.split()) < REASON_WORDS_MIN:
                found.append(f"line {node.lineno}: a broad except without a reason")
        if isinstance(node, ast.Call) and _called(node) == "suppress" and _any_broad(node.args):
            found.append(f"line {node.lineno}: suppresses everything")
    return found


def prints(source: str) -> list[str]:
    """Find calls of `print`."""
    return [
        f"line {node.lineno}: print()"
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]


def missing_docstring(source: str) -> list[str]:
    """Say whether the module opens without a docstring."""
    # Most begin with it, and need not be parsed for that.
    has_one = source.startswith('"""') or ast.get_docstring(parsed(source))
    return [] if has_one else ["the module does not say what it holds"]


def vague_names(module: str, source: str) -> list[str]:
    """Find names that say nothing, among those of the module, its classes and its functions."""
    names = [module] + [
        node.name for node in ast.walk(parsed(source)) if isinstance(node, Function | ast.ClassDef)
    ]
    return [f"{name} is a vague name" for name in names if _is_vague(name)]


def impurities(source: str) -> list[str]:
    """Find what reaches for the clock, chance, files or processes."""
    found = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += [
                f"line {node.lineno}: imports {name}"
                for name in _imported(node)
                if name.partition(".")[0] in IMPURE_MODULES
            ]
        if isinstance(node, ast.Call) and _called(node) in IMPURE_CALLS:
            found.append(f"line {node.lineno}: calls {_called(node)}()")
    return found


def unexplained_slow_marks(source: str) -> list[str]:
    """Find `pytest.mark.slow` without the reason as its argument."""
    if "mark.slow" not in source:
        return []
    tree = parsed(source)
    explained = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args}
    return [
        f"line {node.lineno}: a slow mark that does not say why"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "slow"
        and ast.unparse(node) == "pytest.mark.slow"
        and id(node) not in explained
    ]


def machine_traces(text: str) -> list[str]:
    """Find paths of a developer's machine and addresses of package registries."""
    return [
        f"line {number}: {line.strip()[:80]}"
        for number, line in enumerate(text.splitlines(), start=1)
        if MACHINE_PATH.search(line) or any(host in line for host in REGISTRY_HOSTS)
    ]


def foreign_lock_lines(text: str) -> list[str]:
    """Find lines of a requirements file that are not a comment, a pinned name or a hash."""
    return [
        f"line {number}: {line[:80]}"
        for number, line in enumerate(text.splitlines(), start=1)
        if "://" in line or not LOCKED_LINE.fullmatch(line)
    ]


def _comments(source: str) -> dict[int, str]:
    """Give each line's comment, less what it says to the linter and the type checker."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    directive = re.compile(r"(?:noqa|type: ignore|pragma)[^\s]*(?: *[A-Z]+\d+,?)*")
    return {
        token.start[0]: directive.sub("", token.string).strip("# -—:")
        for token in tokens
        if token.type == tokenize.COMMENT
    }


def _is_comment(source: str, lineno: int) -> bool:
    return source.splitlines()[lineno - 1].lstrip().startswith("#")


def _is_broad(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    return _any_broad(caught.elts if isinstance(caught, ast.Tuple) else [caught])


def _any_broad(names: list[ast.expr]) -> bool:
    return any(isinstance(name, ast.Name) and name.id in BROAD for name in names)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


def _is_vague(name: str) -> bool:
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    return name.lstrip("_").startswith("handle_") or any(w.lower() in VAGUE_WORDS for w in words)


def public_classes(source: str) -> list[str]:
    """Name the classes of a module that others may use."""
    tops = (node for node in parsed(source).body if isinstance(node, ast.ClassDef))
    return [node.name for node in tops if not node.name.startswith("_")]


def descendants(sources: Iterable[str], bases: set[str]) -> set[str]:
    """Name the public classes that are made from some, or from one that is."""
    made = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for source in sources
        for node in parsed(source).body
        if isinstance(node, ast.ClassDef)
    }
    found = set(bases)
    while more := {name for name, given in made.items() if given & found} - found:
        found |= more
    return {name for name in found - bases if not name.startswith("_")}
