// Builds the views that are one file each: the in-host views, and the page that replays a session.
// The same sources give the same bytes, so that a check can tell whether what is committed is current.

import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

const WEB = resolve(dirname(fileURLToPath(import.meta.url)), "..");
/** Where to write, so that a check can build beside what is committed. */
const PACKAGE = resolve(process.argv[2] ?? resolve(WEB, "../src/hansard"));
/** What `hansard replay` puts a session in the place of. */
const SLOT = "__SESSION__";

const host = [
  ["src/api.ts", "apps/api.ts"],
  ["src/route.ts", "apps/route.ts"],
  ["src/parts/pages.ts", "apps/pages.ts"],
];
const FILES = [
  ...["timeline", "evolution", "decisions"].map((name) => ({
    entry: `apps/${name}.tsx`,
    swaps: host,
    out: `mcp/apps/${name}.html`,
    page: hosted,
  })),
  { entry: "replay/main.tsx", swaps: [["src/api.ts", "replay/api.ts"]], out: "cli/replay.html", page: alone },
];

for (const file of FILES) {
  const html = file.page(await bundle(file.entry, file.swaps));
  const out = resolve(PACKAGE, file.out);
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, html);
  console.log(`${file.out} ${Buffer.byteLength(html).toLocaleString("en-GB")} bytes`);
}

/** Make one script and one style sheet of an entry and all it needs. */
async function bundle(entry, swaps) {
  const made = await build({
    root: WEB,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [swapping(swaps)],
    build: {
      write: false,
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      target: "es2022",
      rolldownOptions: { input: resolve(WEB, entry), output: { codeSplitting: false } },
    },
  });
  const output = [made].flat().flatMap((one) => one.output);
  const scripts = output.filter((one) => one.type === "chunk");
  if (scripts.length !== 1) throw new Error(`${entry} became ${scripts.length} scripts instead of one`);
  const style = output.find((one) => one.fileName.endsWith(".css"));
  // Neither may end its element early; inside strings the escaped form means the same.
  const script = scripts[0].code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  return { script: script.trim(), style: String(style.source).trim() };
}

/** Let the page's own modules find other ones in the place of some. */
function swapping(swaps) {
  const theirs = new Map(swaps.map(([from, to]) => [resolve(WEB, from), resolve(WEB, to)]));
  return {
    name: "swapping",
    enforce: "pre",
    async resolveId(source, importer, options) {
      if (!importer || !source.startsWith(".")) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      const other = found && theirs.get(found.id);
      // What stands in for a module may build on it.
      return other && other !== importer ? other : found;
    },
  };
}

/** A view inside a host, which sets the policy that its resource asks for: nothing from anywhere. */
function hosted({ script, style }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hansard</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** A page that anyone opens from anywhere: it brings its own policy, and runs nothing but its script. */
function alone({ script, style }) {
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Hansard</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript to replay the session.</noscript>
<script type="application/json" id="session">${SLOT}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function hash(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
