"""Checks JSON from callers before any model sees it."""

import math
from typing import Any

from hansard.kernel.limits import ID_CHARS_MAX, INTEGER_BITS_MAX, NESTING_MAX
from hansard.kernel.problem import InvalidInput

_INTEGER_MAX = 2**INTEGER_BITS_MAX - 1
_INTEGER_MIN = -(2 ** (INTEGER_BITS_MAX - 1))


def check_values(value: object) -> None:
    """Refuse what has no exact form in JSON, what is nested too deep, and text that is not text."""
    if not _is_plain(value, NESTING_MAX + 1):
        _find_fault(value)


def _is_plain(value: Any, levels: int) -> bool:
    """Whether nothing is to be refused, as for most values; it does not say where."""
    kind = type(value)
    if kind is str:
        return bool(value.isascii())
    if kind is int:
        return bool(_INTEGER_MIN <= value <= _INTEGER_MAX)
    if kind is dict:
        value = [*value, *value.values()]
    elif kind is not list:
        return value is None or kind is bool or kind is bytes
    # Most are text, for which a call would take longer than the question.
    return levels > 0 and all(
        one.isascii() if type(one) is str else _is_plain(one, levels - 1) for one in value
    )


def _find_fault(value: object) -> None:
    # The object of all arguments is not counted: each argument may use the whole depth.
    pending: list[tuple[object, str, int]] = [(value, "", -1)]
    while pending:
        item, path, depth = pending.pop()
        if isinstance(item, dict | list):
            if depth >= NESTING_MAX:
                raise InvalidInput(f"Nested deeper than {NESTING_MAX} levels", limit=NESTING_MAX)
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
            pending.extend((inner, f"{path}.{key}", depth + 1) for key, inner in pairs)
            if isinstance(item, dict):
                pending.extend((key, f"{path} (a key)", depth + 1) for key in item)
        else:
            _check_leaf(item, path.removeprefix("."))


def check_handle(handle: str, argument: str) -> None:
    """Refuse what no engine takes as a key, in a handle that came outside the arguments."""
    if "\0" in handle or len(handle) > ID_CHARS_MAX:
        raise InvalidInput(
            f"{argument}: an id has at most {ID_CHARS_MAX} characters, and no NUL among them",
            argument=argument,
        )
    _check_leaf(handle, argument)


def without_nul(text: str) -> str:
    """Refuse, in a model, a text that becomes part of a key and holds what no engine takes."""
    if "\0" in text:
        raise ValueError("holds a NUL character, which stored text may not")
    return text


def _check_leaf(item: object, path: str) -> None:
    if isinstance(item, float) and not math.isfinite(item):
        raise InvalidInput(f"{path}: {item} is not a JSON number", argument=path)
    if isinstance(item, int) and not _INTEGER_MIN <= item <= _INTEGER_MAX:
        raise InvalidInput(
            f"{path}: an integer of more than {INTEGER_BITS_MAX} bits", argument=path
        )
    if isinstance(item, str) and not item.isascii():
        try:
            item.encode()
        except UnicodeEncodeError:
            raise InvalidInput(
                f"{_printable(path)}: holds a lone surrogate, which is not text",
                argument=_printable(path),
            ) from None


def _printable(path: str) -> str:
    return path.encode(errors="replace").decode()
