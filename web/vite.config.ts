// Builds the page into the package: the same sources give the same bytes, so that a check can tell
// whether what is committed is current.
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  build: {
    outDir: "../src/hansard/http/page",
    emptyOutDir: true,
    // A data: font or image would need a wider policy than the server sends.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    sourcemap: false,
    target: "es2022",
  },
  server: { proxy: { "/api": "http://127.0.0.1:8377" } },
});
