"""What remains of content after a text in it is erased. Pure."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import orjson

from hansard.kernel.blob import canonical_json, is_digest
from hansard.kernel.problem import InvalidInput

MASK = "[redacted]"
_GIVEN = re.compile(r"[A-Za-z]{1,40}::[A-Za-z0-9]{20}|[0-9]{4}(-[0-9]{2}){2}T[0-9:.]{8,15}Z")
"""A value that Hansard itself has assigned: the id of an entity, or a time."""

NEEDLE_CHARS_MIN = 6
"""Shorter texts occur everywhere by chance."""


def mask_fields(payload: bytes, fields: Sequence[str]) -> tuple[bytes, list[str]]:
    """Erase the text in some fields of a payload; returns what is left, and what was erased.

    A field within a field is named with a dot between them.
    """
    whole = orjson.loads(payload)
    erased: list[str] = []
    for field in fields:
        *way, last = field.split(".")
        place: Any = whole
        for step in way:
            place = place.get(step) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            known = ", ".join(sorted(whole))
            raise InvalidInput(f"The entry has no field {field}", hint=f"It has: {known}")
        texts = list(texts_in(place[last]))
        if not texts:
            raise InvalidInput(f"The field {field} holds no text, and only text can be erased")
        if any(is_digest(text) for text in texts):
            raise InvalidInput(
                f"The field {field} names a blob", hint="Erase it with `hansard redact blob DIGEST`"
            )
        erased += texts
        place[last] = _masked(place[last])
    return canonical_json(whole), erased


def mask_content(content: bytes, names: Collection[str] = ()) -> bytes:
    """Erase all text in a blob's content; if it is JSON, its shape is kept.

    `names` are words that say what kind of thing something is; without these, and the ids and times
    that Hansard assigned, what is left could be neither read nor continued.
    """
    shape = _json(content)
    if shape is None:
        return MASK.encode()
    return canonical_json(_masked(shape, lambda text: is_name(text, names)))


def is_name(text: str, names: Collection[str]) -> bool:
    """Whether nobody wrote this text: it is one of these words, or an id or time of ours."""
    return text in names or _GIVEN.fullmatch(text) is not None


def texts_of(content: bytes, names: Collection[str] = ()) -> list[str]:
    """Give the texts that a blob's content holds, without what stays when they are erased."""
    shape = _json(content)
    if shape is not None:
        return [text for text in texts_in(shape) if not is_name(text, names)]
    try:
        return [content.decode()]
    except UnicodeDecodeError:
        return []


def texts_in(value: Any) -> Iterator[str]:
    """Go through the texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)


def needles(texts: Sequence[str]) -> list[bytes]:
    """Give what to search for where else these texts may occur: plain, and as JSON escapes them."""
    long = {text.strip() for text in texts if len(text.strip()) >= NEEDLE_CHARS_MIN}
    return sorted({form for text in long for form in (text.encode(), orjson.dumps(text)[1:-1])})


def holds_any(content: bytes | None, sought: Sequence[bytes]) -> bool:
    """Whether content holds one of these."""
    return content is not None and any(needle in content for needle in sought)


def _masked(value: Any, stays: Callable[[str], bool] = lambda _: False) -> Any:
    if isinstance(value, str):
        return value if stays(value) else MASK
    if isinstance(value, list):
        return [_masked(item, stays) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item, stays) for key, item in value.items()}
    return value


def _json(content: bytes) -> dict[str, Any] | list[Any] | None:
    try:
        shape = orjson.loads(content)
    except ValueError:
        return None
    return shape if isinstance(shape, dict | list) else None
