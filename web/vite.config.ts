import { defineConfig } from "vite";

// Where `npm run dev` finds a running service.
const service = process.env.HUSH_DEV_SERVICE ?? "http://127.0.0.1:7300";

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0,
    // The polyfill would be the only script that is not a module of ours.
    modulePreload: { polyfill: false },
    // One style sheet, in the head: pages that come later look right at once.
    cssCodeSplit: false,
    sourcemap: false,
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        // What the first paint needs is one file, and what the first call
        // needs is another: on slow lines each request costs a round trip.
        codeSplitting: {
          groups: [
            {
              name: "app",
              test: /node_modules\/(preact|@preact)\/|src\/(ui\/|i18n\/(index|en)\.ts)|src\/(call|contract|format|link|match|problem|refusal|router|rpc|scrub|session|shrimp|theme)\.ts/,
            },
            {
              name: "wire",
              test: /node_modules\/(@bufbuild|@connectrpc)\/|src\/wire\/(client|first|refuse)\.ts|gen\/hush\/v1\/(system_service|secret|secret_service|metadata|policy|refusal)_pb/,
            },
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
