"""Rows in columns that wrap to the window, and are one line each where nobody looks at one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.cli.terminal.layout import Cell, paragraph, table, wrapped
from hansard.cli.terminal.screen import width

ROWS: list[list[Cell]] = [
    [("R001", "yellow"), ("OPEN", None), ("A title that is longer than its column", None)],
    [("R002", "yellow"), ("RESOLVED", None), ("漢字漢字漢字 漢字漢字漢字", None)],
]


def plain(text: str, _: str) -> str:
    return text


def test_the_last_column_wraps_under_itself() -> None:
    assert table(ROWS, plain, 42) == [
        "R001  OPEN      A title that is longer",
        "                than its column",
        "R002  RESOLVED  漢字漢字漢字 漢字漢字漢字",
    ]


def test_in_a_narrow_window_the_last_column_stands_below() -> None:
    assert (
        table(ROWS[:1], plain, 24)
        == [
            "R001  OPEN",
            "  A title that is longer",
            "  than its column",
        ]
        or max(map(width, table(ROWS[:1], plain, 24))) <= 24
    )


def test_in_a_pipe_a_row_is_a_line() -> None:
    assert len(table(ROWS, plain, None)) == len(ROWS)


def test_a_column_in_which_nothing_stands_is_left_out() -> None:
    rows: list[list[Cell]] = [[("a", None), ("", None), ("b", None)]]

    assert table(rows, plain, 80) == ["a  b"]


def test_colours_take_no_room() -> None:
    def paint(text: str, colour: str) -> str:
        return f"<{colour}>{text}</>"

    shown = table(ROWS, paint, 42)

    assert shown[0] == "<yellow>R001</>  OPEN      A title that is longer"


def test_stored_text_cannot_act_or_break_a_row() -> None:
    [line] = table([[("a\x1b[2J", None), ("b\nc", None)]], plain, 80)

    assert line == "a\\x1b[2J  b\\nc"


@settings(deadline=None)
@given(st.text(alphabet="ab 漢é", max_size=80), st.integers(min_value=1, max_value=40))
def test_no_word_is_lost_or_cut(text: str, columns: int) -> None:
    lines = wrapped(text, columns)

    assert " ".join(lines).split() == text.split()
    assert all(width(line) <= columns or len(line.split()) <= 1 for line in lines)


def test_a_paragraph_is_indented() -> None:
    assert list(paragraph("one two three", 10, "  ")) == ["  one two", "  three"]
