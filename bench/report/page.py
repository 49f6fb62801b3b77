"""The page and its charts, made of one result."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bench.report.figures import LOAD, Figure, Section, section_of
from bench.report.goals import judged

BEGIN, END = "<!-- made by `make bench`: begin -->", "<!-- made by `make bench`: end -->"
ORDER = (
    "start",
    "commands",
    "calls",
    "files",
    "langgraph",
    "growth",
    "growth_large",
    "callers",
    "http",
    "memory",
    "peers",
)
COLORS = ("#2f6f4f", "#b5803a", "#5b7fa6", "#8a5a83", "#777777", "#a65b5b", "#4f9ea0", "#333333")
IDLE_LOAD_MAX = 1.5
ROW, BAR, LEFT, WIDTH = 22, 14, 250, 760


def write(page: Path, charts: Path, result: Mapping[str, Any]) -> None:
    """Put tables into the page, between its marks, and draw a chart for each section."""
    sections = {
        name: section_of(name, result["sections"][name])
        for name in ORDER
        if name in result["sections"]
    }
    text = page.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = [_about(result), _goals(sections), *(_section(one) for one in sections.values())]
    made = "\n\n".join(parts)
    page.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}")
    charts.mkdir(parents=True, exist_ok=True)
    for section in sections.values():
        if chart := _chart(section):
            (charts / f"{section.name}.svg").write_text(chart)


def _about(result: Mapping[str, Any]) -> str:
    machine = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    versions = ", ".join(f"{name} {value}" for name, value in sorted(result["versions"].items()))
    lines = [
        f"Last taken on {result['taken']}. Machine: {machine}.",
        "Sections may be of different runs: compare within one only.",
        *_shared(result["machine"]),
        f"Versions: {versions}.",
    ]
    if missing := result.get("missing"):
        told = "; ".join(f"{name} ({why})" for name, why in sorted(missing.items()))
        lines.append(f"Could not be run there: {told}.")
    return "\n\n".join(lines)


def _shared(machine: Mapping[str, str]) -> list[str]:
    """Say plainly that a busy machine stretched what is on this page."""
    if float(machine.get(LOAD, 0)) <= IDLE_LOAD_MAX:
        return []
    return [
        (
            "**Other programs were using this machine**: times on the wall are upper bounds, and "
            "goals that compare them with a sync of the disk say little. Read processor times."
        )
    ]


def _goals(sections: Mapping[str, Section]) -> str:
    rows = [
        [says, f"{ratio:.2f}", f"{most:.2f}", f"missed: {bound}" if bound else "reached"]
        for says, ratio, most, bound in judged(sections)
    ]
    return "## Goals\n\n" + _table(["goal", "measured", "at most", ""], rows)


def _section(section: Section) -> str:
    whos = list(dict.fromkeys(one.who for one in section.figures))
    rows = [
        [what, who, *_cells(one)]
        for what in dict.fromkeys(one.what for one in section.figures)
        for who in whos
        if (one := section.find(what, who))
    ]
    head = ["", "", "wall ms", "processor ms", "fsyncs", "bytes"]
    chart = f"\n\n![{section.title}](benchmarks/{section.name}.svg)" if _chart(section) else ""
    return f"## {section.title}\n\n{section.note}\n\n{_table(head, rows)}{chart}"


def _cells(one: Figure) -> list[str]:
    size = "" if one.size_bytes is None else f"{one.size_bytes:,}"
    return [_number(one.wall_ms), _number(one.cpu_ms), _number(one.syncs), size]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _chart(section: Section) -> str:
    """Draw bars of the wall time, each beside the longest of what it is compared with."""
    timed = [one for one in section.figures if one.wall_ms is not None]
    if not timed:
        return ""
    whos = list(dict.fromkeys(one.who for one in timed))
    color = {who: COLORS[number % len(COLORS)] for number, who in enumerate(whos)}
    drawn: list[str] = []
    y = 30
    for what in dict.fromkeys(one.what for one in timed):
        group = [one for one in timed if one.what == what]
        longest = max(one.wall_ms or 0 for one in group) or 1
        drawn.append(f'<text x="8" y="{y + 11}" font-weight="bold">{escape(what)}</text>')
        for one in group:
            width = max(1.0, (one.wall_ms or 0) / longest * (WIDTH - LEFT - 150))
            drawn.append(
                f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" '
                f'fill="{color[one.who]}"/><text x="{LEFT + width + 6:.1f}" y="{y + 11}">'
                f"{_number(one.wall_ms)} ms {escape(one.who)}</text>"
            )
            y += ROW
        y += 6
    title = f'<text x="8" y="16" font-size="14">{escape(section.title)}: wall time, p50</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 4}" '
        f'viewBox="0 0 {WIDTH} {y + 4}" font-family="sans-serif" font-size="12" fill="#222">'
        f'<rect width="100%" height="100%" fill="#fff"/>{title}{"".join(drawn)}</svg>\n'
    )
