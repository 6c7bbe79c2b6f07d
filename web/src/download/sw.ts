/*
 * The service worker through which some browsers save a file. It is /sw.js, and is
 * registered for /dl/ alone. The page decrypts, and hands over a file piece by piece; the
 * worker answers the request of a hidden frame with it, as a download. It sees no key,
 * asks for nothing and stores nothing. It imports nothing: it is no module.
 *
 * The page sends { id, name, size } with a port. On the port the worker says "ready",
 * "asked" once the browser wants the file, "pull" for each piece that it may take, and
 * "cancelled". The page sends pieces, then "end", or "error" if a check failed: then the
 * browser throws the file away. { ping: id } with a port keeps the worker alive; it says on
 * that port whether it still has the file.
 */
interface Announced {
  id: string;
  name: string;
  size: number;
}

interface File extends Announced {
  port: MessagePort;
  /** Ends the download if the page is gone. */
  watch: ReturnType<typeof setTimeout> | undefined;
  fail: () => void;
}

type Message = Announced | { ping: string };

/** Worker is what a service worker has of its global scope. */
interface Worker {
  skipWaiting: () => Promise<void>;
  clients: { claim: () => Promise<void> };
  addEventListener: (kind: string, fn: (event: WorkerEvent) => void) => void;
}

interface WorkerEvent {
  waitUntil: (until: Promise<unknown>) => void;
  respondWith: (response: Response) => void;
  request: Request;
  data: Message;
  ports: MessagePort[];
}

/** How many milliseconds a page may say nothing. It pings more often, also in the background. */
const patience = 150_000;

// It is a module for the compiler alone: its names are its own.
export {};

const files = new Map<string, File>();
const worker = globalThis as unknown as Worker;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("message", ({ data, ports: [port] }) => {
  if (!port) {
    return;
  }
  if ("ping" in data) {
    const file = files.get(data.ping);
    if (file) {
      watch(file);
    }
    port.postMessage(file !== undefined);
    return;
  }
  const file: File = { ...data, port, watch: undefined, fail: () => files.delete(data.id) };
  files.set(data.id, file);
  port.onmessage = ({ data: message }) => message === "error" && file.fail();
  watch(file);
  port.postMessage("ready");
});

worker.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const file = files.get(pathname.replace(/^\/dl\//, ""));
  if (file) {
    event.respondWith(new Response(bodyOf(file), { headers: headersOf(file) }));
  }
});

function watch(file: File): void {
  clearTimeout(file.watch);
  file.watch = setTimeout(() => file.fail(), patience);
}

/** bodyOf returns the file as the page sends it, no faster than the browser takes it. */
function bodyOf(file: File): ReadableStream<Uint8Array> {
  const { id, port } = file;
  const over = () => {
    clearTimeout(file.watch);
    files.delete(id);
  };
  let arrived: () => void = () => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        file.fail = () => {
          over();
          controller.error(new Error("the file is not whole"));
        };
        port.onmessage = ({ data }: MessageEvent<Uint8Array | "end" | "error">) => {
          if (data === "error") {
            file.fail();
          } else if (data === "end") {
            over();
            controller.close();
            port.postMessage("ended");
          } else {
            controller.enqueue(data);
          }
          arrived();
        };
        port.postMessage("asked");
      },
      pull: () =>
        new Promise<void>((resolve) => {
          arrived = resolve;
          port.postMessage("pull");
        }),
      cancel: () => {
        over();
        port.postMessage("cancelled");
      },
    },
    { highWaterMark: 2 },
  );
}

/** headersOf makes the answer a download of that name, whatever is in it. */
function headersOf({ name, size }: Announced): Record<string, string> {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const all = encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename="${plain}"; filename*=UTF-8''${all}`,
    "Content-Length": `${size}`,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
}
