"""The formats that a project can be written in for other programs: one file each, and this list."""

from hansard.foreign.exports import agent_trace, json_lines, vault
from hansard.foreign.exports.writing import Export

EXPORTS: dict[str, Export] = {
    one.EXPORT.name: one.EXPORT for one in (vault, agent_trace, json_lines)
}
