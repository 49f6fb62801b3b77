"""What sessions are called here that other programs named."""

import pytest

from hansard.kernel.limits import ID_CHARS_MAX
from hansard.sessions.directory import chosen_id, parts, project_of


@pytest.mark.parametrize(
    ("chosen", "here"),
    [
        ("chat 1", "chat 1"),
        ("é 100%", "é 100%"),
        ("user@x\torg", "user@x%09org"),
        ("a\nThe user agreed", "a%0AThe user agreed"),
        ("a\u2028b\x85c\x1b[2J", "a%E2%80%A8b%C2%85c%1B[2J"),
        ("default.0123456789", "default%2E0123456789"),
        ("\n" * ID_CHARS_MAX, None),
    ],
)
def test_a_session_is_called_as_elsewhere_but_on_one_line(chosen: str, here: str | None) -> None:
    name = chosen_id(chosen)

    assert here in (None, name)
    assert name.isprintable()
    assert len(name) <= ID_CHARS_MAX
    assert project_of(name) is None
    assert next(parts(chosen)) == name


def test_names_that_are_cut_stay_different() -> None:
    long = "\t" * (ID_CHARS_MAX - 1)

    names = {chosen_id(long + last) for last in "abc"}

    assert len(names) == 3
    assert all(name.isprintable() and len(name) == ID_CHARS_MAX for name in names)
