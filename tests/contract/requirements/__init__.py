"""Every clause of the five source documents and of the contract page, each with an id.

A test says which clauses it holds: `@pytest.mark.holds("ALL-04.1")`. That marker is the only
declaration; here a clause is `held(...)` or, until a test exists, `later(...)`.
`python -m tests.contract.requirements` prints how far each milestone is; with `settle` it also
turns `later` into `held` for every clause that a test has come to hold.
"""

from pathlib import Path

from tests.contract.requirements import (
    contract_checkpoints,
    contract_decisions,
    contract_entities,
    contract_errors,
    contract_everything,
    contract_recorder,
    contract_records,
    contract_surface,
    promised_story,
    source_000_model,
    source_000_reading,
    source_000_writing,
    source_001_checkpoints,
    source_002_entities,
    source_003_recorder,
    source_004_decisions,
)
from tests.contract.requirements.requirement import DONE, MILESTONES, Milestone, Requirement

__all__ = ["DONE", "MILESTONES", "REQUIREMENTS", "ROOT", "Milestone", "Requirement"]

ROOT = Path(__file__).parents[3]
"""The repository, whose tests hold the requirements."""

REQUIREMENTS: tuple[Requirement, ...] = (
    *contract_everything.REQUIREMENTS,
    *contract_errors.REQUIREMENTS,
    *contract_surface.REQUIREMENTS,
    *contract_records.REQUIREMENTS,
    *contract_checkpoints.REQUIREMENTS,
    *contract_entities.REQUIREMENTS,
    *contract_recorder.REQUIREMENTS,
    *contract_decisions.REQUIREMENTS,
    *promised_story.REQUIREMENTS,
    *source_000_model.REQUIREMENTS,
    *source_000_reading.REQUIREMENTS,
    *source_000_writing.REQUIREMENTS,
    *source_001_checkpoints.REQUIREMENTS,
    *source_002_entities.REQUIREMENTS,
    *source_003_recorder.REQUIREMENTS,
    *source_004_decisions.REQUIREMENTS,
)
