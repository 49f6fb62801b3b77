// Colours for code: tokens with classes, never markup. Loaded when code is first shown.

import type { LanguageFn } from "highlight.js";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

export interface Token {
  text: string;
  of: string;
}

const LANGUAGES: Record<string, LanguageFn> = {
  bash,
  c,
  cpp,
  css,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
const ENDINGS: Record<string, string> = {
  py: "python",
  pyi: "python",
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  mjs: "javascript",
  jsx: "javascript",
  json: "json",
  md: "markdown",
  sh: "bash",
  yml: "yaml",
  yaml: "yaml",
  toml: "ini",
  ini: "ini",
  cfg: "ini",
  css: "css",
  html: "xml",
  svg: "xml",
  xml: "xml",
  rs: "rust",
  go: "go",
  sql: "sql",
  java: "java",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
};
/** Beyond this, colours cost more than they help. */
const CHARS_MAX = 300_000;

const lowlight = createLowlight(LANGUAGES);

interface Node {
  type: string;
  value?: string;
  properties?: { className?: string[] };
  children?: Node[];
}

/** Divide a file's content into lines of coloured tokens. */
export function highlight(path: string, content: string): Token[][] {
  const language = ENDINGS[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (!language || content.length > CHARS_MAX) return content.split("\n").map((text) => [{ text, of: "" }]);
  const lines: Token[][] = [[]];
  walk(lowlight.highlight(language, content) as Node, "", lines);
  return lines;
}

function walk(node: Node, of: string, lines: Token[][]): void {
  if (node.type === "text") {
    const [first = "", ...rest] = (node.value ?? "").split("\n");
    lines.at(-1)?.push({ text: first, of });
    for (const text of rest) lines.push([{ text, of }]);
    return;
  }
  const own = node.properties?.className?.[0]?.replace(/^hljs-/, "") ?? of;
  for (const child of node.children ?? []) walk(child, own, lines);
}
