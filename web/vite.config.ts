import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The running service that `npm run dev` uses.
const service = process.env.HUSH_DEV_SERVICE ?? "http://127.0.0.1:7300";

// The clients of the first calls. Their chunk has all that this module imports.
const firstCalls = fileURLToPath(new URL("src/wire/first.ts", import.meta.url));

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0,
    // No polyfill: it would be the only script that is not part of the client.
    modulePreload: { polyfill: false },
    // One style sheet in the head, so that pages that load later have their styles at once.
    cssCodeSplit: false,
    sourcemap: false,
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        // On slow lines each request costs a round trip. So what the entry
        // imports is one file, and what the first calls import is another.
        codeSplitting: {
          groups: [
            { name: "app", tags: ["$initial"] },
            { name: "wire", test: (id) => id === firstCalls },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "^/hush\\.v1\\.": service,
      "/imagine": service,
    },
  },
  preview: {
    proxy: {
      "^/hush\\.v1\\.": service,
      "/imagine": service,
    },
  },
});
