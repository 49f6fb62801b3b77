// Counts what texts cost a model: a JSON list of them comes in a file, the tokens of each go out.
import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const texts = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
