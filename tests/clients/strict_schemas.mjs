// Gives each tool's input schema to Ajv as hosts do, and says what it warns of or refuses.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const said = [];
const note = (text) => said.push(String(text));
const logger = { log: note, warn: note, error: note };
for (const { name, inputSchema } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const before = said.length;
  try {
    new Ajv2020({ logger }).compile(inputSchema);
  } catch (error) {
    note(error.message);
  }
  for (let at = before; at < said.length; at++) said[at] = `${name}: ${said[at]}`;
}
console.log(JSON.stringify(said));
