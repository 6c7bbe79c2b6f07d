/*
 * WebKitGTK's MiniBrowser, over W3C WebDriver and under Xvfb. A WebKitWebDriver
 * has one session, so each window has a driver of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Browser, find, missing, type Target, type Window } from "./window";

/** webkit starts Xvfb when the first window opens. */
export function webkit(driver: string, xvfb: string): Browser {
  let screen: Promise<Screen> | undefined;
  return {
    open: async ({ javaScript = true } = {}) => {
      screen ??= startScreen(xvfb);
      return openWindow(driver, (await screen).display, javaScript);
    },
    close: async () => (await screen)?.close(),
  };
}

interface Screen {
  display: string;
  close(): Promise<void>;
}

async function startScreen(program: string): Promise<Screen> {
  // Xvfb takes a display that is free, and writes its number to the file 3.
  const args = ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [number] = (await once(child.stdio[3] as Readable, "data")) as [Buffer];
  return { display: `:${number.toString().trim()}`, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }
}

async function openWindow(driver: string, display: string, javaScript: boolean): Promise<Window> {
  const folder = mkdtempSync(join(tmpdir(), "hush-webkit-"));
  const downloads = join(folder, "downloads");
  mkdirSync(downloads);
  writeFileSync(join(folder, "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const port = await freePort();
  const child = spawn(driver, [`--port=${port}`], {
    env: {
      ...process.env,
      DISPLAY: display,
      GDK_BACKEND: "x11",
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_RUNTIME_DIR: folder,
      LANG: "en_GB.UTF-8",
      LANGUAGE: "en_GB",
    },
    stdio: "ignore",
  });
  const session = await startSession(`http://127.0.0.1:${port}`, ["--automation", `--enable-javascript=${javaScript}`]);
  return {
    ...actions(session),
    downloads,
    close: async () => {
      await session("DELETE", "");
      await end(child);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * watch makes a page record what must not happen in it, and returns what it
 * recorded since the last call. The driver tells nothing of the console, so what
 * happens before the page has loaded goes unseen.
 */
function watch(): string[] {
  const watched = globalThis as typeof globalThis & { faults?: string[] };
  const before = watched.faults ?? [];
  if (!watched.faults) {
    const record = (...words: unknown[]) => void watched.faults?.push(words.join(" "));
    console.error = (...words) => record("console:", ...words);
    console.warn = (...words) => record("console:", ...words);
    addEventListener("error", (event) => record("error:", event.message));
    addEventListener("unhandledrejection", (event) => record("error:", event.reason));
    addEventListener("securitypolicyviolation", (event) => {
      record("policy:", event.violatedDirective, "forbids", event.blockedURI);
    });
  }
  watched.faults = [];
  return before;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("a free port: got none, want one");
  }
  return address.port;
}

/** Session calls a method of the driver for its session. */
type Session = (method: "POST" | "GET" | "DELETE", path: string, body?: object) => Promise<unknown>;

async function call(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
  const { value } = (await answer.json()) as { value: { error?: string; message?: string } | null };
  if (!answer.ok) {
    throw new Error(`${method} ${url}: got ${answer.status} ${value?.error} ${value?.message}, want 200`);
  }
  return value;
}

async function startSession(driver: string, args: string[]): Promise<Session> {
  const capabilities = { alwaysMatch: { acceptInsecureCerts: true, "webkitgtk:browserOptions": { args } } };
  for (let tries = 100; ; tries--) {
    try {
      await call("GET", `${driver}/status`);
      break;
    } catch (error) {
      if (tries === 0) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100)); // it does not say when it listens
    }
  }
  const { sessionId } = (await call("POST", `${driver}/session`, { capabilities })) as { sessionId: string };
  return (method, path, body) => call(method, `${driver}/session/${sessionId}${path}`, body);
}

const elementKey = "element-6066-11e4-a52e-4f735466cecf";
const enterKey = "\uE007";
const controlKey = "\uE009";

function actions(
  session: Session,
): Pick<Window, "goto" | "reload" | "faults" | "run" | "place" | "click" | "fill" | "paste" | "choose"> {
  const execute = (source: string, args: string[]) =>
    session("POST", "/execute/sync", { script: `return (${source}).apply(null, arguments)`, args });
  const element = async (target: Target) => {
    const found = (await execute(find.toString(), [target.kind, target.name])) as Record<string, string> | null;
    if (!found) {
      throw missing(target);
    }
    return `/element/${found[elementKey]}`;
  };
  const type = async (target: Target, text: string) => {
    await session("POST", `${await element(target)}/value`, { text });
  };
  const faults: string[] = [];
  const look = async () => void faults.push(...((await execute(watch.toString(), [])) as string[]));
  const load = async (path: string, body: object) => {
    await look();
    await session("POST", path, body);
    await look();
  };
  return {
    goto: (url) => load("/url", { url }),
    reload: () => load("/refresh", {}),
    faults: async () => {
      await look();
      return faults;
    },
    run: async (call, ...args) => (await execute(call.toString(), args)) as ReturnType<typeof call>,
    place: async (target) => JSON.stringify(await session("GET", `${await element(target)}/rect`)),
    click: async (target) => void (await session("POST", `${await element(target)}/click`, {})),
    fill: async (target, text) => {
      await session("POST", `${await element(target)}/clear`, {});
      await type(target, text.replaceAll("\n", enterKey));
    },
    paste: async () => {
      const keys = [
        { type: "keyDown", value: controlKey },
        { type: "keyDown", value: "v" },
        { type: "keyUp", value: "v" },
        { type: "keyUp", value: controlKey },
      ];
      await session("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions: keys }] });
    },
    choose: type,
  };
}
