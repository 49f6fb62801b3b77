"""Rules for text from callers: length in code points after trimming, no NUL, stored as given."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from hansard.kernel import limits


def _within(chars_max: int, *, least: int = 0) -> AfterValidator:
    def check(text: str) -> str:
        if "\0" in text:
            raise ValueError("holds a NUL character, which stored text may not")
        length = len(text.strip())
        if length > chars_max:
            raise ValueError(f"at most {chars_max} characters, not {length}")
        if length < least:
            raise ValueError(f"at least {least} characters" if least > 1 else "must not be empty")
        return text

    return AfterValidator(check)


_BREAK = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters, and everything that ends a line."""

_DASHES = re.compile("-+")


def one_line(text: str) -> str:
    """Write stored text on one line, so that no line break in it can pass for a line of ours."""
    return _BREAK.sub(" ", text)


def counted(count: int, one: str, many: str = "") -> str:
    """Say how many there are of something; more than one is called `many`, else `one` and an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def between_marks(opening: str, text: str, closing: str) -> str:
    """Put stored text between two lines, with more dashes than it has, so that it can end neither.

    Text between them is data, whatever it claims to be.
    """
    dashes = "-" * max(3, 1 + max(map(len, _DASHES.findall(text)), default=0))
    return f"{dashes} {one_line(opening)} {dashes}\n{text}\n{dashes} {closing} {dashes}"


def _unbroken(text: str) -> str:
    if broken := _BREAK.search(text):
        raise ValueError(f"is one line: it may not hold the character U+{ord(broken[0]):04X}")
    return text


def _in_bytes(bytes_max: int) -> AfterValidator:
    def check(text: str) -> str:
        if "\0" in text:
            raise ValueError("holds a NUL character, which stored text may not")
        size = len(text.encode())
        if size > bytes_max:
            raise ValueError(f"at most {bytes_max} bytes, not {size}")
        return text

    return AfterValidator(check)


Title = Annotated[str, _within(limits.TITLE_CHARS_MAX, least=1)]
LineTitle = Annotated[Title, AfterValidator(_unbroken)]
"""A title that lists show a line each."""

Summary = Annotated[str, _within(limits.SUMMARY_CHARS_MAX)]
Description = Annotated[str, _within(limits.DESCRIPTION_CHARS_MAX)]
Label = Annotated[str, _within(limits.LABEL_CHARS_MAX, least=1)]
LineLabel = Annotated[Label, AfterValidator(_unbroken)]
"""A label that lists show beside a title."""

Body = Annotated[str, _in_bytes(limits.BODY_BYTES_MAX)]
Id = Annotated[str, _within(limits.ID_CHARS_MAX, least=1)]
"""An opaque handle: an unknown one is not found, whatever its form."""

Point = Annotated[str, _within(limits.POINT_CHARS_MAX)]
"""A point in a project's past, as `hansard.kernel.as_of` reads it."""


def _query(text: str) -> str:
    if len(text) > limits.QUERY_CHARS_MAX:
        raise ValueError(f"at most {limits.QUERY_CHARS_MAX} characters, not {len(text)}")
    return text


Query = Annotated[str, AfterValidator(_query)]
"""Words to look for: any characters at all."""


def whole_number(value: object) -> object:
    """Take 5.0 for 5: JSON has only numbers, and some clients write every one with a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Cursor = Annotated[
    str, Field(max_length=limits.CURSOR_CHARS_MAX), WithJsonSchema({"type": "string"})
]
Limit = Annotated[
    int,
    Field(ge=1, le=limits.LIST_LIMIT_MAX),
    BeforeValidator(whole_number),
    WithJsonSchema({"type": "integer"}),
]
