"""Putting a fault into a program that is loaded: its functions get the code that has the fault."""

import gc
from collections import defaultdict
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType

Place = tuple[str, int]
"""Which function of a file: its qualified name and its first line."""

ANONYMOUS = "<lambda>"


class OnImportError(Exception):
    """What differs is done when the file is imported, and that has been done."""


class Loaded:
    """The functions of a program, by the file that they are written in."""

    def __init__(self) -> None:
        """Find them all, once; what is made later is made by what is found now."""
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self._functions[one.__code__.co_filename].append(one)

    def change(self, file: Path, faulty: str) -> None:
        """Have the functions of a file do what another text of it says, or raise."""
        old = compile(file.read_text(), str(file), "exec", dont_inherit=True)
        new = compile(faulty, str(file), "exec", dont_inherit=True)
        codes = dict(_differing(old, new))
        changed = False
        for one in self._functions[str(file)]:
            code = codes.get(_place(one.__code__))
            if code is None:
                continue
            if code.co_freevars != one.__code__.co_freevars:
                raise OnImportError(one.__qualname__)
            one.__code__ = code
            changed = True
        if not changed:
            raise OnImportError(str(file))


def _differing(old: CodeType, new: CodeType) -> Iterator[tuple[Place, CodeType]]:
    """Give the functions that differ, with their new code, of what has both."""
    if _plain(old) != _plain(new):
        raise OnImportError(old.co_qualname)
    for was, now in zip(_within(old), _within(new), strict=True):
        if not was.co_flags & CO_OPTIMIZED:
            yield from _differing(was, now)
        elif was != now:
            if was.co_name.startswith("<") and was.co_name != ANONYMOUS:
                raise OnImportError(was.co_qualname)
            yield from _nested(was, now)


def _nested(old: CodeType, new: CodeType) -> Iterator[tuple[Place, CodeType]]:
    """Give a function, and those within it that were made on import and are still in use."""
    yield _place(old), new
    if len(_within(old)) == len(_within(new)):
        for was, now in zip(_within(old), _within(new), strict=True):
            yield from _nested(was, now)


def _place(code: CodeType) -> Place:
    return code.co_qualname, code.co_firstlineno


def _within(code: CodeType) -> list[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def _plain(code: CodeType) -> tuple[object, ...]:
    """Give what a file or a class does by itself."""
    values = [(type(one), one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, values, code.co_names, len(_within(code))
