"""The exported schemas, given to the tools they are for."""

import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hansard.app.settings import Settings
from hansard.app.start import MEMORY, catalog, start
from hansard.entities.exporting import export
from hansard.entities.exporting.definitions import entity_names
from hansard.entities.types import TYPES
from tests.clients.node import HERE, run_node
from tests.clients.prisma_database import PrismaDatabase, described
from tests.conftest import a_caller
from tests.entities.export_samples import one_of_each

pytestmark = pytest.mark.clients

MODULES = HERE / "node_modules"
VALIDATE = """
const [modules, schema] = process.argv.slice(1);
const { validate } = require(modules + "/@prisma/prisma-schema-wasm");
validate(JSON.stringify({ prismaSchema: require("fs").readFileSync(schema, "utf8") }));
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """One real entity of every type."""
    settings = Settings(store=MEMORY, workspace=str(tmp_path_factory.mktemp("workspace")))
    app = start(settings, known=catalog(settings))
    yield one_of_each(app, a_caller())
    app.close()


def prisma_validate(folder: Path, schema: str) -> CompletedProcess[str]:
    """Give a schema to Prisma's own parser."""
    path = folder / "schema.prisma"
    path.write_text(schema, encoding="utf-8")
    return run_node("-e", VALIDATE, MODULES, path, cwd=folder)


def compile_strictly(folder: Path, program: str) -> CompletedProcess[str]:
    """Give a program that uses the types to TypeScript's own compiler."""
    (folder / "entities.ts").write_text(export("typescript"), encoding="utf-8")
    (folder / "program.ts").write_text(program, encoding="utf-8")
    compiler = MODULES / "typescript" / "lib" / "tsc.js"
    flags = ("--noEmit", "--strict", "--noUncheckedIndexedAccess", "--module", "nodenext")
    return run_node(compiler, *flags, "program.ts", cwd=folder)


@pytest.mark.holds("ENT-schema-2")
def test_prisma_accepts_the_schema(tmp_path: Path) -> None:
    ran = prisma_validate(tmp_path, export("prisma"))
    broken = prisma_validate(tmp_path, export("prisma").replace("Status\n", "Stat\n", 1))

    assert ran.returncode == 0, ran.stderr
    assert broken.returncode != 0


@pytest.mark.holds("ENT-schema-6")
def test_entities_come_back_from_a_prisma_database_as_they_were(
    tmp_path: Path, made: dict[str, Any]
) -> None:
    schema = export("prisma").replace('provider = "postgresql"', 'provider = "sqlite"')
    assert prisma_validate(tmp_path, schema).returncode == 0
    database = PrismaDatabase(tmp_path / "entities.db", described(tmp_path, schema))
    names = entity_names(TYPES)

    for name, entity in made.items():
        database.put(names[name], entity)

    for name, entity in made.items():
        assert database.get(names[name], entity["id"]) == entity, name


@pytest.mark.holds("002-base-2")
def test_a_program_that_uses_the_names_of_the_source_compiles(tmp_path: Path) -> None:
    program = """
import type { BaseRecordProps, MessagePartial, MessageThread, Status } from "./entities.js";
export function addPartial(thread: MessageThread, sender: string, message: MessagePartial) {
  const base: BaseRecordProps = thread;
  const status: Status | null = message.type === "toolResponse" ? message.payload.status : null;
  return { base, sender, status, seen: thread.turnsTotal ?? thread.turns.length };
}
"""

    ran = compile_strictly(tmp_path, program)

    assert ran.returncode == 0, ran.stdout


@pytest.mark.holds("ENT-schema-3")
def test_typescript_accepts_the_types_and_real_entities_are_of_them(
    tmp_path: Path, made: dict[str, Any]
) -> None:
    constants = [
        f"export const {one.name}: Entities['{one.name}'] = {json.dumps(made[one.name])};"
        for one in TYPES
    ]
    program = "\n".join(['import type { Entities } from "./entities.js";', *constants])

    ran = compile_strictly(tmp_path, program)

    assert ran.returncode == 0, ran.stdout


@pytest.mark.holds("ENT-schema-3")
def test_typescript_refuses_what_is_no_entity(tmp_path: Path, made: dict[str, Any]) -> None:
    wrong = json.dumps(made["agentGraphExecution"] | {"status": "done"})
    program = (
        'import type { AgentGraphExecution } from "./entities.js";\n'
        f"export const wrong: AgentGraphExecution = {wrong};"
    )

    ran = compile_strictly(tmp_path, program)

    assert ran.returncode != 0
    assert "'Status'" in ran.stdout
