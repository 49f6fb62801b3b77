"""The formats that can be read: one file each, and this list."""

from pathlib import Path

from hansard.foreign.formats import (
    adr,
    basic_memory,
    beads,
    claude_code,
    codex,
    copilot_cli,
    gemini_cli,
    langgraph,
    mem0,
    memory_service,
    opencode,
    qwen_code,
    server_memory,
)
from hansard.foreign.items import ForeignFormat
from hansard.kernel.problem import InvalidInput
from hansard.kernel.suggestion import did_you_mean

FORMATS: dict[str, ForeignFormat] = {
    one.FORMAT.name: one.FORMAT
    for one in (
        claude_code,
        codex,
        gemini_cli,
        qwen_code,
        copilot_cli,
        opencode,
        server_memory,
        basic_memory,
        mem0,
        beads,
        memory_service,
        langgraph,
        adr,
    )
}


def named(name: str) -> ForeignFormat:
    """Find a format by its name."""
    if name not in FORMATS:
        there = f"There are {', '.join(FORMATS)}"
        raise InvalidInput(
            f"There is no format {name[:100]}", hint=did_you_mean(name, FORMATS) or there
        )
    return FORMATS[name]


def detected(path: Path) -> ForeignFormat:
    """Find out what a file or folder is, by its names and its beginning."""
    found = [one for one in FORMATS.values() if one.fits(path)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found)
        raise InvalidInput(f"{path} could be {names}", hint="Say which, as the first argument")
    raise InvalidInput(
        f"{path} looks like none of the formats that can be read",
        hint=f"Name the format if it is one of {', '.join(FORMATS)}",
    )
