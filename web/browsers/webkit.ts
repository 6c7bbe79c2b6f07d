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
    stdio: ["ignore", "pipe", "pipe"],
  });
  const faults: string[] = [];
  child.stdout?.on("data", (words: Buffer) => void faults.push(...faultsIn(words.toString())));
  child.stderr?.resume();
  const session = await startSession(`http://127.0.0.1:${port}`, [
    "--automation",
    `--enable-javascript=${javaScript}`,
    "--enable-write-console-messages-to-stdout=true",
  ]);
  return {
    ...actions(session),
    downloads,
    faults,
    close: async () => {
      await session("DELETE", "");
      await end(child);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** faultsIn picks what must not happen in a page from the console's messages, as in "CONSOLE JS ERROR words". */
function faultsIn(words: string): string[] {
  return words.split("\n").filter((line) => /^CONSOLE \S+ (ERROR|WARN)/.test(line));
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
): Pick<Window, "goto" | "reload" | "run" | "place" | "click" | "fill" | "paste" | "choose"> {
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
  return {
    goto: async (url) => void (await session("POST", "/url", { url })),
    reload: async () => void (await session("POST", "/refresh", {})),
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
