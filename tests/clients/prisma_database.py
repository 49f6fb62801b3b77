"""A SQLite database of the shape that Prisma gives it, made from what Prisma's own parser says.

Columns have the types of Prisma's connector for SQLite. An entity is a row, what lies within it and
has an id is a row of a model beside it, in the order of `place`.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.clients.node import HERE, run_node

Json = dict[str, Any]

MODULES = HERE / "node_modules"
DESCRIBE = """
const [modules, schema] = process.argv.slice(1);
const { get_dmmf } = require(modules + "/@prisma/prisma-schema-wasm");
const text = require("fs").readFileSync(schema, "utf8");
process.stdout.write(get_dmmf(JSON.stringify({ prismaSchema: text })));
"""
COLUMNS = {
    "String": "TEXT",
    "Int": "INTEGER",
    "BigInt": "BIGINT",
    "Float": "REAL",
    "Boolean": "BOOLEAN",
    "Json": "JSONB",
}


def described(folder: Path, schema: str) -> Json:
    """Have Prisma's parser describe a schema: its models, by name."""
    path = folder / "schema.prisma"
    path.write_text(schema, encoding="utf-8")
    ran = run_node("-e", DESCRIBE, MODULES, path, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return {one["name"]: one for one in json.loads(ran.stdout)["datamodel"]["models"]}


class PrismaDatabase:
    """Keeps entities in tables of models."""

    def __init__(self, path: Path, models: Json) -> None:
        self.models = models
        self.database = sqlite3.connect(path)
        self.database.execute("PRAGMA foreign_keys = ON")
        for model in models.values():
            self.database.execute(_table(model))

    def put(self, name: str, entity: Json, **owned: Any) -> None:
        """Keep an entity of a model, and what lies within it."""
        model = self.models[name]
        columns = _columns(model)
        others = {key: value for key, value in entity.items() if key not in _names(model)}
        whole = entity | owned | {"others": others}
        assert not others or "others" in columns, f"{name} has no place for {others}"
        cells = [_cell(columns[one], whole[one]) for one in columns]
        marks = ", ".join("?" * len(cells))
        named = ", ".join(f'"{one}"' for one in columns)
        self.database.execute(f'INSERT INTO "{name}" ({named}) VALUES ({marks})', cells)
        for field in _parts(model):
            back = _back(self.models[field["type"]])
            for place, part in enumerate(entity[field["name"]]):
                self.put(field["type"], part, place=place, **{back: entity["id"]})
        self.database.commit()

    def get(self, name: str, identifier: str) -> Json:
        """Give an entity back."""
        [entity] = self._rows(name, "id", identifier)
        return entity

    def _rows(self, name: str, by: str, value: str, *, order: str = "id") -> list[Json]:
        model = self.models[name]
        columns = _columns(model)
        named = ", ".join(f'"{one}"' for one in columns)
        query = f'SELECT {named} FROM "{name}" WHERE "{by}" = ? ORDER BY "{order}"'
        found = []
        for cells in self.database.execute(query, [value]).fetchall():
            pairs = zip(columns.items(), cells, strict=True)
            row = {column: _value(field, cell) for (column, field), cell in pairs}
            row |= row.pop("others", {})
            for field in _parts(model):
                inner, back = field["type"], _back(self.models[field["type"]])
                parts = self._rows(inner, back, row["id"], order="place")
                left_out = (back, "place")
                row[field["name"]] = [
                    {key: part[key] for key in part if key not in left_out} for part in parts
                ]
            found.append(row)
        return found


def _table(model: Json) -> str:
    lines = [
        f'"{name}" {_type(field)}{" NOT NULL" if field["isRequired"] else ""}'
        for name, field in _columns(model).items()
    ]
    keys = (model["primaryKey"] or {"fields": ["id"]})["fields"]
    lines.append("PRIMARY KEY ({})".format(", ".join(f'"{key}"' for key in keys)))
    lines += [
        f'FOREIGN KEY ("{column}") REFERENCES "{field["type"]}" ("id")'
        for field in model["fields"]
        for column in field.get("relationFromFields") or ()
    ]
    return f'CREATE TABLE "{model["name"]}" ({", ".join(lines)})'


def _columns(model: Json) -> Json:
    return {one["name"]: one for one in model["fields"] if one["kind"] != "object"}


def _names(model: Json) -> set[str]:
    return {one["name"] for one in model["fields"]}


def _parts(model: Json) -> list[Json]:
    return [one for one in model["fields"] if one["kind"] == "object" and one["isList"]]


def _back(model: Json) -> str:
    """Name the column that says whose part a row is."""
    [owner] = [one for one in model["fields"] if one.get("relationFromFields")]
    return str(owner["relationFromFields"][0])


def _type(field: Json) -> str:
    return "TEXT" if field["kind"] == "enum" else COLUMNS[field["type"]]


def _cell(field: Json, value: Any) -> Any:
    if value is None or field["type"] != "Json":
        return value
    return json.dumps(value)


def _value(field: Json, cell: Any) -> Any:
    if cell is None:
        return None
    if field["type"] == "Boolean":
        return bool(cell)
    return json.loads(cell) if field["type"] == "Json" else cell
