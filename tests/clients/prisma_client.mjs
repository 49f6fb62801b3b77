// Keeps entities through a real Prisma client, and gives them back as it reads them.
import { readFileSync } from "node:fs";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { PrismaClient } from "./generated/client.ts";
const [database, models, entities] = process.argv.slice(2);
const byName = JSON.parse(readFileSync(models, "utf8"));
const given = JSON.parse(readFileSync(entities, "utf8"));
const client = new PrismaClient({ adapter: new PrismaLibSql({ url: `file:${database}` }) });
const parts = (model) => model.fields.filter((one) => one.kind === "object" && one.isList);
const scalars = (model) => model.fields.filter((one) => one.kind !== "object");
const back = (model) => model.fields.find((one) => one.relationFromFields?.length).relationFromFields[0];
function row(model, entity, place) {
  const names = new Set(model.fields.map((one) => one.name));
  const others = Object.fromEntries(Object.entries(entity).filter(([name]) => !names.has(name)));
  const whole = { ...entity, others, ...(place === undefined ? {} : { place }) };
  const data = {};
  for (const one of scalars(model)) if (one.name in whole) data[one.name] = whole[one.name];
  for (const one of parts(model))
    data[one.name] = { create: entity[one.name].map((part, n) => row(byName[one.type], part, n)) };
  return data;
}
function entity(model, row, drop = []) {
  const { others = {}, ...rest } = row;
  for (const name of drop) delete rest[name];
  for (const one of parts(model)) {
    const inner = byName[one.type];
    rest[one.name] = rest[one.name].map((part) => entity(inner, part, [back(inner), "place"]));
  }
  return { ...rest, ...others };
}
function include(model) {
  const inner = parts(model).map((one) => [
    one.name,
    { orderBy: { place: "asc" }, ...include(byName[one.type]) },
  ]);
  return inner.length ? { include: Object.fromEntries(inner) } : {};
}
const read = {};
for (const [name, value] of given) {
  const model = byName[name],
    table = client[name[0].toLowerCase() + name.slice(1)];
  await table.create({ data: row(model, value) });
  read[value.id] = entity(
    model,
    await table.findUniqueOrThrow({ where: { id: value.id }, ...include(model) }),
  );
}
await client.$disconnect();
process.stdout.write(JSON.stringify(read));
