"""What is left of content once a text in it is erased. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from hansard.kernel.blob import canonical_json, is_digest
from hansard.kernel.problem import InvalidInput

MASK = "[redacted]"
NEEDLE_CHARS_MIN = 6
"""Shorter texts are met everywhere by chance."""


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


def mask_content(content: bytes) -> bytes:
    """Erase all text in a blob's content; if it is JSON, its shape is kept."""
    shape = _json(content)
    return MASK.encode() if shape is None else canonical_json(_masked(shape))


def texts_of(content: bytes) -> list[str]:
    """Give the texts that a blob's content holds."""
    shape = _json(content)
    if shape is not None:
        return list(texts_in(shape))
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
    """Give what to look for where else these texts may stand: plain, and as JSON has them."""
    long = {text.strip() for text in texts if len(text.strip()) >= NEEDLE_CHARS_MIN}
    return sorted({form for text in long for form in (text.encode(), orjson.dumps(text)[1:-1])})


def holds_any(content: bytes | None, sought: Sequence[bytes]) -> bool:
    """Whether content holds one of these."""
    return content is not None and any(needle in content for needle in sought)


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return MASK
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return value


def _json(content: bytes) -> dict[str, Any] | list[Any] | None:
    try:
        shape = orjson.loads(content)
    except ValueError:
        return None
    return shape if isinstance(shape, dict | list) else None
