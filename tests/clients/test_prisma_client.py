"""A real Prisma client keeps entities, and gives them back as they were.

Prisma with its client is 150 packages, so it is not installed with the others. Where it is, name
the folder of its modules:

    npm install --ignore-scripts prisma@7.10 @prisma/client@7.10 @prisma/adapter-libsql@7.10
    HANSARD_PRISMA_MODULES=$PWD/node_modules pytest tests/clients/test_prisma_client.py
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.entities.exporting import export
from hansard.entities.exporting.definitions import entity_names
from hansard.entities.types import TYPES
from tests.clients.node import HERE, run_node
from tests.clients.prisma_database import PrismaDatabase, described
from tests.conftest import a_caller
from tests.entities.export_samples import one_of_each

MODULES = os.environ.get("HANSARD_PRISMA_MODULES", "")
SCRIPT = "prisma_client.mjs"

pytestmark = pytest.mark.skipif(not MODULES, reason="HANSARD_PRISMA_MODULES names no Prisma")


def generated(folder: Path) -> str:
    """Have Prisma make its client of the exported schema; gives the schema."""
    schema = export("prisma").replace('provider = "postgresql"', 'provider = "sqlite"')
    output = 'output   = "./generated"'
    assert output in schema
    (folder / "node_modules").symlink_to(MODULES)
    shutil.copy(HERE / SCRIPT, folder)
    path = folder / "schema.prisma"
    path.write_text(schema.replace(output, f'{output}\n  importFileExtension = "ts"'))
    program = Path(MODULES) / "prisma" / "build" / "index.js"
    # Making a client needs no engine, which would be fetched first.
    no_engine = {"PRISMA_SCHEMA_ENGINE_BINARY": shutil.which("true") or ""}
    ran = run_node(program, "generate", "--schema", path, cwd=folder, **no_engine)
    assert ran.returncode == 0, ran.stderr
    (folder / "generated" / "package.json").write_text('{"type": "module"}')
    return schema


@pytest.mark.slow("has Prisma make a client")
@pytest.mark.holds("ENT-schema-6")
def test_entities_come_back_from_a_prisma_client_as_they_were(tmp_path: Path) -> None:
    application: Application = start(Settings(store="memory:", embedder="none"))
    made = one_of_each(application, a_caller())
    application.close()
    models = described(tmp_path, generated(tmp_path))
    PrismaDatabase(tmp_path / "entities.db", models).database.close()
    names = entity_names(TYPES)
    told: dict[str, Any] = {
        "models": models,
        "entities": [[names[name], entity] for name, entity in made.items()],
    }
    for name, value in told.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value))

    ran = run_node(SCRIPT, "entities.db", "models.json", "entities.json", cwd=tmp_path)

    assert ran.returncode == 0, ran.stderr
    read = json.loads(ran.stdout)
    for name, entity in made.items():
        assert read[entity["id"]] == entity, name
