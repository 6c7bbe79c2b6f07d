import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { startsIn } from "./src/starts";

// The running service that `npm run dev` uses.
const service = process.env.HUSH_DEV_SERVICE ?? "http://127.0.0.1:7300";

// The clients of the first calls. Their chunk has all that this module imports.
const firstCalls = fileURLToPath(new URL("src/wire/first.ts", import.meta.url));

// The script that runs first, on its own. It imports nothing that the application does.
const early = fileURLToPath(new URL("src/early/index.ts", import.meta.url));

// The service worker. It is one file at a place of its own, and no module.
const serviceWorker = fileURLToPath(new URL("src/download/sw.ts", import.meta.url));

/** Where index.html has the tag of that script. */
const earlyMark = "<!--early-->";

/**
 * tagEarly puts the tag of that script in the page. The tag lists the chunks that
 * it loads for the page that shares, and for those behind links: of secrets that the
 * server encrypted, of those that the sender's device did, and of requests to answer.
 */
function tagEarly(): Plugin {
  return {
    name: "hush-early",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((part) => part.type === "chunk");
        // A module may be in one chunk and another one, which only passes it on, be loaded for it.
        const find = (module: string) => {
          const found = chunks.filter(({ moduleIds, facadeModuleId }) =>
            [...moduleIds, facadeModuleId].some((id) => id?.endsWith(`/${module}`)),
          );
          if (!found[0] || !html.includes(earlyMark)) {
            throw new Error(`no chunk has ${module}, or the page has no ${earlyMark}`);
          }
          return found.map(({ fileName }) => fileName);
        };
        const list = (module: string) => {
          const names = new Set(find(module));
          for (const name of names) {
            for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) {
              names.add(imported);
            }
          }
          for (const app of find("src/main.tsx")) {
            names.delete(app);
          }
          return [...names].map((name) => `/${name}`).join(" ");
        };
        const [fileName] = find("src/early/index.ts");
        const pages = Object.entries({ share: "share", s: "open", e: "endtoend", q: "answer" }).map(
          ([name, page]) => ` data-${name}="${list(`src/pages/${page}.tsx`)}"`,
        );
        return html.replace(earlyMark, `<script type="module" async src="/${fileName}"${pages.join("")}></script>`);
      },
    },
  };
}

/** writeStarts leaves the first words of the pages where the service finds them. */
function writeStarts(): Plugin {
  return {
    name: "hush-starts",
    apply: "build",
    generateBundle() {
      const source = JSON.stringify(startsIn(fileURLToPath(new URL("src/i18n", import.meta.url))));
      this.emitFile({ type: "asset", fileName: "start.json", source });
    },
  };
}

/** The most bytes of a file for which brotli saves too little to be kept beside gzip. */
const small = 2048;

/**
 * compress puts scripts and style sheets in gzip in place of the plain files, which
 * the service unpacks, and in brotli beside that. The plain files as well would make
 * the program much larger.
 */
function compress(): Plugin {
  let folder = "";
  return {
    name: "hush-compress",
    apply: "build",
    configResolved({ root, build }) {
      folder = join(root, build.outDir, build.assetsDir);
    },
    // Only now are the files as they are served.
    writeBundle() {
      for (const name of readdirSync(folder).filter((name) => /\.(css|js)$/.test(name))) {
        const file = join(folder, name);
        const plain = readFileSync(file);
        const gzip = gzipSync(plain, { level: 9 });
        if (gzip.length >= plain.length) {
          continue;
        }
        writeFileSync(`${file}.gz`, gzip);
        rmSync(file);
        if (plain.length > small) {
          const brotli = brotliCompressSync(plain, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: 11,
              [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
              [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
            },
          });
          writeFileSync(`${file}.br`, brotli);
        }
      }
    },
  };
}

export default defineConfig({
  base: "/",
  plugins: [tagEarly(), writeStarts(), compress()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0,
    // No polyfill: it would be the only script that is not part of the client.
    modulePreload: {
      polyfill: false,
      // Pages that are opened seldom or loaded ahead, and parts that are unfolded, find what they import by themselves:
      // for every visitor the first scripts would list it.
      resolveDependencies: (name, imported) =>
        /\/(about|account|answer|ask|collect|colonel|confirm|domains?|explanation|feedback|intake|menu|morefields|nolink|notfound|openedpage|page|phrase|receipt|recent|requests|reset|resumed|security|signin|signup|tokens|verify)-/.test(
          name,
        )
          ? []
          : imported,
    },
    // One style sheet in the head, so that pages that load later have their styles at once.
    cssCodeSplit: false,
    sourcemap: false,
    reportCompressedSize: true,
    rolldownOptions: {
      input: { index: fileURLToPath(new URL("index.html", import.meta.url)), early, sw: serviceWorker },
      output: {
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        // On slow lines each request costs a round trip. So what the entry
        // imports is one file, what the first calls import is another, the form that
        // shares is a third, and the small files that the pages behind links share with
        // others are one more. The menu of an account is in the header, and one too.
        codeSplitting: {
          groups: [
            { name: "app", tags: ["$initial"], test: (id) => !/\/src\/(early\/|download\/sw\.ts)/.test(id) },
            { name: "wire", test: (id) => id === firstCalls },
            { name: "menu", test: /src\/(account\/menu|ui\/menu|i18n\/menu\/\w+|requests\/waiting)\.tsx?$/ },
            { name: "label", test: /src\/endtoend\/label\.tsx$/ },
            {
              name: "share",
              test: /src\/(pages\/share|share\/(chip|draft|fields|handed|kept|kind|lifetime|more|options|parts|passphrase|textbox|trust))\.tsx?$/,
            },
            { name: "link", test: /src\/(endtoend\/(bytes|link)|open\/(branded|looked|mangled|pasted))\.tsx?$/ },
            {
              name: "stage",
              test: /src\/open\/(press|reveal|stage|trouble|usereveal|waiting|world|fromdevice|source|opened|checked|fromserver|fault)\.tsx?$/,
            },
            { name: "moment", test: /src\/receipts\/(livemark|moment)\.tsx$/ },
            { name: "shown", test: /src\/(brand|download|open\/fault)\.ts$/ },
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
