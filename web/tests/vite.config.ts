// Bundles the unit tests, so that Node can run them.
import { readdirSync } from "node:fs";

import { defineConfig } from "vite";

const tests = readdirSync("tests").filter((name) => name.endsWith(".test.ts"));

export default defineConfig({
  build: {
    ssr: true,
    outDir: "dist/tests",
    emptyOutDir: true,
    rollupOptions: { input: tests.map((name) => `tests/${name}`) },
  },
});
