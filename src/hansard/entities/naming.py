"""Ids of entities: their type, and letters and digits that nobody can guess."""

import secrets
import string

from hansard.entities import limits
from hansard.kernel.blob import digest_of

_ALPHANUMERICS = string.ascii_letters + string.digits
SEPARATOR = "::"


def new_id(type_name: str) -> str:
    """Make an id. Called before the transaction, which may run twice."""
    chosen = (secrets.choice(_ALPHANUMERICS) for _ in range(limits.ID_ALPHANUMERICS))
    return f"{type_name}{SEPARATOR}{''.join(chosen)}"


def settings_id(project: str) -> str:
    """Give the id of a project's settings, before they are made as after."""
    return f"settings{SEPARATOR}{digest_of(project.encode())[: limits.ID_ALPHANUMERICS]}"


_SEQ_CHARS = 14


def id_at(seq: int, index: int) -> str:
    """Name a measurement by the entry that holds it and its place there."""
    place = _digits(seq, _SEQ_CHARS) + _digits(index, limits.ID_ALPHANUMERICS - _SEQ_CHARS)
    return f"metric{SEPARATOR}{place}"


def place_of(identifier: str) -> tuple[int, int] | None:
    """Give the entry and the place that the id of a measurement names; `None` if it names none."""
    kind, _, place = identifier.partition(SEPARATOR)
    is_spelled = all(one in _ALPHANUMERICS for one in place)
    if kind != "metric" or len(place) != limits.ID_ALPHANUMERICS or not is_spelled:
        return None
    seq, index = _number(place[:_SEQ_CHARS]), _number(place[_SEQ_CHARS:])
    return (seq, index) if 0 < seq < _SEQ_BELOW else None


_SEQ_BELOW = 2**62
"""No journal is so long; a database would not take a larger number."""


def _digits(number: int, chars: int) -> str:
    digits = ""
    for _ in range(chars):
        number, rest = divmod(number, len(_ALPHANUMERICS))
        digits = _ALPHANUMERICS[rest] + digits
    assert number == 0, "a place does not fit into an id"
    return digits


def _number(digits: str) -> int:
    number = 0
    for one in digits:
        number = number * len(_ALPHANUMERICS) + _ALPHANUMERICS.index(one)
    return number
