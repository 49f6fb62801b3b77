// Bundles the unit tests, so that Node can run them.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    ssr: true,
    outDir: "dist/tests",
    emptyOutDir: true,
    rollupOptions: { input: ["tests/film.test.ts", "tests/pages.test.ts"] },
  },
});
