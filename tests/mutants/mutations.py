"""Which small faults a source could have; nothing is run here."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
BOUNDS = ast.Lt | ast.LtE | ast.Gt | ast.GtE
SUMS: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//"}
STEPS: dict[type[ast.stmt], str] = {
    ast.Break: "continue",
    ast.Continue: "break",
    ast.Raise: "pass",
    ast.Delete: "pass",
}
TELLS_NOTHING = {"frozen", "slots", "kw_only"}
"""What a dataclass is declared with and only the type checker holds others to."""
TIMES = ("_S", "_MS")
"""How constants end that say how long something is waited for: no test asserts a time."""
AT_A_TIME = ("_PAGE",)
"""How constants end that say how much is read at a time: what is read is the same, page by page."""
CLOCK = re.compile(r"\bmonotonic\(|\bdeadline\b")
"""What is compared with a moment: whether in that very instant, nobody can tell."""
LARGE = 100
"""A number from here on is doubled: one more of so many changes nothing that is promised."""
TWINS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, order=True)
class Mutation:
    """A fault: from where to where in the source's bytes, and what stands there instead."""

    line: int
    start: int
    end: int
    text: str

    def put_into(self, source: str) -> str:
        """Give the source with the fault."""
        raw = source.encode()
        return (raw[: self.start] + self.text.encode() + raw[self.end :]).decode()

    def told(self, source: str) -> str:
        """Say what was put for what, in a line."""
        was = source.encode()[self.start : self.end].decode()
        return f"{' '.join(was.split())} -> {' '.join(self.text.split())}"


def mutations(source: str) -> list[Mutation]:
    """Give every fault that is known of, in the order of the source."""
    tree = ast.parse(source)
    offsets = _offsets(source)
    same = {id(one) for parent in ast.walk(tree) for one in _equivalent(parent)}
    return sorted(
        Mutation(node.lineno, offsets[node.lineno - 1] + node.col_offset, _end(node, offsets), text)
        for parent in ast.walk(tree)
        if id(parent) not in same
        for node, text in _faults(parent, source)
    )


def _offsets(source: str) -> list[int]:
    """Give where each line begins, in bytes, as the tree counts columns in bytes."""
    offsets = [0]
    for line in source.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    return offsets


def _end(node: ast.expr | ast.stmt, offsets: list[int]) -> int:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return offsets[node.end_lineno - 1] + node.end_col_offset


def _equivalent(node: ast.AST) -> Iterator[ast.AST]:
    """Give what could be otherwise without that anybody could tell; no fault is put there.

    The factors of a number that is written as a product, as `64 * 1024`: it is faulty as a whole.
    Texts by themselves, such as docstrings; how strictly a dataclass is declared, to which the type
    checker holds all code there is; by how many seconds a wait is bounded; how much is read at a
    time; and the `del` of an argument that is not used. Nor is a moment moved by an instant, or a
    `zip` made less strict.
    """
    match node:
        case ast.BinOp() if _product(node) is not None:
            yield from (one for one in ast.walk(node) if one is not node)
        case ast.Delete(targets=targets) if all(isinstance(one, ast.Name) for one in targets):
            yield node
        case ast.Expr(value=ast.Constant() as text):
            yield from (node, text)
        case ast.Call(func=ast.Name(id="dataclass"), keywords=keywords):
            yield from (one.value for one in keywords if one.arg in TELLS_NOTHING)
        case ast.Call(func=ast.Name(id="zip"), keywords=keywords):
            yield from (one.value for one in keywords if one.arg == "strict")
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.endswith(
            (*TIMES, *AT_A_TIME)
        ):
            yield from ast.walk(value)


def _faults(node: ast.AST, source: str) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Give what could stand for a node, or for a part of it."""
    yield from _of_conditions(node, source)
    match node:
        case ast.BinOp() if (product := _product(node)) is not None:
            yield node, _other(product)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SUMS:
            yield node, f"({_of(left, source)}) {SUMS[type(op)]} ({_of(right, source)})"
        case ast.Constant(value=bool() as value):
            yield node, str(not value)
        case ast.Constant(value=int() as value):
            yield node, _other(value)
        case ast.Call(func=ast.Name(id=name) as func) if name in TWINS:
            yield func, TWINS[name]
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            yield value, "None"
        case ast.stmt() if type(node) in STEPS:
            yield node, STEPS[type(node)]
        case ast.Expr(value=ast.Call()):
            yield node, "pass"


def _product(node: ast.AST) -> int | None:
    """Give the number that a product of numbers stands for; `None` if it is something else."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            one, other = _product(left), _product(right)
            return None if one is None or other is None else one * other
    return None


def _other(number: int) -> str:
    return str(number * 2 if number >= LARGE else number + 1)


def _of_conditions(node: ast.AST, source: str) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if not (
            isinstance(op, BOUNDS) and CLOCK.search(_of(node, source))
        ):
            yield node, f"({_of(left, source)}) {COMPARISONS[type(op)]} ({_of(right, source)})"
        case ast.BoolOp(op=op, values=values):
            joined = " or " if isinstance(op, ast.And) else " and "
            yield node, f"({joined.join(f'({_of(one, source)})' for one in values)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, f"({_of(operand, source)})"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield test, f"(not ({_of(test, source)}))"


def _is_nothing(value: ast.expr) -> bool:
    """Whether a value is `None`, or `False`: who asks whether cannot tell them apart."""
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


def _of(node: ast.expr, source: str) -> str:
    text = ast.get_source_segment(source, node)
    assert text is not None
    return text
