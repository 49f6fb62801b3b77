"""Plain tables for people and for diffs."""

from collections.abc import Sequence

Cell = str | float | int | None
"""What a table can show; `None` is a measurement that was not made."""


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print rows under their heads, the first column to the left and numbers to the right."""
    shown = [list(head), *([_shown(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in shown) for column in range(len(head))]
    print(f"\n{title}")
    for number, row in enumerate(shown):
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(["", row[0].ljust(widths[0]), *cells]).rstrip())
        if number == 0:
            print("  ".join(["", *("-" * width for width in widths)]))


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.1f}" if abs(cell) < 100 and cell != int(cell) else f"{cell:,.0f}"
