"""`hansard metrics`: what was measured, and what it comes to, drawn in the terminal."""

import shutil
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import typer

from hansard.cli.contents.metric_files import export, import_
from hansard.cli.desk import Ask, asking, pages
from hansard.cli.flags import Flags
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.entities.metrics.contract import Group, MetricAnswer, MetricShown
from hansard.entities.metrics.limits import GROUPS_MAX
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import counted

Figure = Literal["count", "sum", "min", "max", "mean", "p50", "p95"]

SPARKS = "▁▂▃▄▅▆▇█"
EIGHTHS = " ▏▎▍▌▋▊▉"
BAR_CHARS_MAX = 60
FIGURE_CHARS = 12
"""Room for a number beside a line or a bar."""


@settings_flags
def alone(flags: Flags, *, context: typer.Context, json: Json = False) -> None:
    """List the metrics there are."""
    if context.invoked_subcommand is None:
        _print_list(flags, json=json)


@settings_flags
def list_metrics(flags: Flags, *, json: Json = False) -> None:
    """List the metrics there are."""
    _print_list(flags, json=json)


def _print_list(flags: Flags, *, json: bool) -> None:
    with asking(flags) as ask:
        for answer in _pages(ask, {}):
            if json:
                for metric in answer.metrics or ():
                    print_json(metric.model_dump(mode="json"))
            else:
                rows = [_row(metric) for metric in answer.metrics or ()]
                print("".join(f"{line}\n" for line in table(rows, painter(), room())), end="")
            if not answer.total and not json:
                print("No metrics yet. The tool metric_record writes them.")


def _row(metric: MetricShown) -> list[Cell]:
    """Give name, count and days; in a pipe the exact times."""
    by = f", by {', '.join(metric.dimensions)}" if metric.dimensions else ""
    days = [at if room() is None else at[:10] for at in (metric.first, metric.last)]
    return [
        (metric.name, "yellow"),
        (f"{counted(metric.count, 'sample')}{by}", None),
        (" to ".join(dict.fromkeys(days)), "grey"),
    ]


@settings_flags
def query(
    flags: Flags,
    *,
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The metric.")],
    bucket: Annotated[
        str | None, typer.Option(metavar="minute|hour|day", help="Sum up by this much time.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="DIMENSION", help="Tell its values apart; may be repeated."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="DIMENSION=VALUE", help="Only these samples; may be repeated."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="From this ISO time on.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before this ISO time.")] = None,
    figure: Annotated[Figure, typer.Option(help="What is drawn.")] = "mean",
    json: Json = False,
) -> None:
    """Sum up a metric and draw it: by time a line for each value, else a bar for each."""
    asked = {
        "name": name,
        "bucket": bucket,
        "by": by,
        "where": dict(_pair(one) for one in where or ()),
        "since": since,
        "until": until,
    }
    with asking(all_flags(flags, context)) as ask:
        groups = [group for answer in _pages(ask, asked) for group in answer.groups or ()]
    if json:
        for group in groups:
            print_json(group.model_dump(mode="json", exclude_none=True))
        return
    paint = painter()
    columns = shutil.get_terminal_size().columns
    for line in chart(groups, figure, columns):
        print(paint(printable(line), "cyan") if line.startswith(" ") else printable(line))
    if not groups:
        print(f"No samples of {printable(name)}. `hansard metrics list` shows what there is.")


def chart(groups: Sequence[Group], figure: Figure, columns: int) -> list[str]:
    """Draw groups: as lines over time where some differ in time, else as bars."""
    if not groups:
        return []
    starts = list(dict.fromkeys(group.start or "" for group in groups))
    labels = list(dict.fromkeys(_label(group) for group in groups))
    if len(starts) == 1 or len(labels) == 1:
        return _bars(groups, figure, columns, by_time=len(starts) > 1)
    return _lines(groups, figure, columns, starts)


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="Look at what was measured, and carry it elsewhere.",
        rich_markup_mode=None,
    )
    group.callback(invoke_without_command=True)(alone)
    commands = {"list": list_metrics, "query": query, "export": export, "import": import_}
    for name, command in commands.items():
        group.command(name)(command)
    app.add_typer(group, name="metrics")


def _pages(ask: Ask, asked: dict[str, Any]) -> Iterator[MetricAnswer]:
    return pages(ask, MetricAnswer, "metric_query", limit=GROUPS_MAX, **asked)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(f"--where {text}: not of the form DIMENSION=VALUE", argument="where")
    return key, value


def _bars(groups: Sequence[Group], figure: Figure, columns: int, *, by_time: bool) -> list[str]:
    labels = [_moment(group.start) if by_time else _label(group) for group in groups]
    width = max(map(len, labels))
    room = max(1, min(BAR_CHARS_MAX, columns - width - FIGURE_CHARS - 2))
    largest = max(abs(_figure(group, figure)) for group in groups) or 1.0
    title = f"{figure} {_label(groups[0])}" if by_time else figure
    lines = [" " * (width + FIGURE_CHARS + 2) + title]
    for label, group in zip(labels, groups, strict=True):
        value = _figure(group, figure)
        bar = _bar(abs(value) / largest * room)
        lines.append(f"{label:<{width}} {value:>{FIGURE_CHARS}.6g} {bar}")
    return lines


def _bar(chars: float) -> str:
    """Draw a bar of a length in characters, to an eighth."""
    eighths = round(chars * 8)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _lines(groups: Sequence[Group], figure: Figure, columns: int, starts: list[str]) -> list[str]:
    """Draw a line for each set of dimensions, all to the same scale."""
    series: dict[str, dict[str, float]] = {}
    for group in groups:
        series.setdefault(_label(group), {})[group.start or ""] = _figure(group, figure)
    width = max(map(len, series))
    room = max(1, min(len(starts), columns - width - FIGURE_CHARS - 3))
    values = [value for one in series.values() for value in one.values()]
    low, high = min(values), max(values)
    scale = f"{figure}, {low:.6g} to {high:.6g}, {_moment(starts[0])} to {_moment(starts[-1])}"
    lines = [" " * (width + 1) + scale]
    for label, one in series.items():
        drawn = "".join(_spark(value, low, high) for value in _folded(one, starts, room))
        newest = one[max(one)]
        lines.append(f"{label:<{width}} {drawn} {newest:>{FIGURE_CHARS}.6g}")
    return lines


def _folded(one: dict[str, float], starts: list[str], room: int) -> list[float | None]:
    """Give what stands in each column: the largest of its buckets, `None` where there is none."""
    columns: list[float | None] = [None] * room
    for number, start in enumerate(starts):
        column = number * room // len(starts)
        before, value = columns[column], one.get(start)
        if value is not None:
            columns[column] = value if before is None else max(before, value)
    return columns


def _spark(value: float | None, low: float, high: float) -> str:
    if value is None:
        return " "
    share = (value - low) / (high - low) if high > low else 0.5
    return SPARKS[min(len(SPARKS) - 1, int(share * len(SPARKS)))]


def _figure(group: Group, figure: Figure) -> float:
    return float(getattr(group, figure))


def _label(group: Group) -> str:
    return " ".join(
        f"{key}={'-' if value is None else value}" for key, value in group.dimensions.items()
    )


def _moment(start: str | None) -> str:
    """Shorten a time by what no bucket has: seconds."""
    return (start or "")[:16].replace("T", " ")
