/* Saves a file among the browser's downloads while it arrives, through a service worker; see sw.ts. */
import type { Bytes } from "../endtoend/bytes";
import { random } from "../endtoend/bytes";
import { scriptURL } from "../worker/start";
import { hex } from "./record";
import { type Sink, SinkError, type Target } from "./sink";

/** How many milliseconds the worker may take to start, and the browser to ask it for the file. */
const starting = 8_000;
/** How often the worker is told that the page is there. Browsers end one that hears nothing for half a minute. */
const pingEvery = 10_000;
/** How many milliseconds a ping may take. A busy browser lets workers wait. */
const answering = 60_000;

/** hasWorkers reports whether the browser may have service workers. Private windows of Firefox have none. */
export function hasWorkers(): boolean {
  return "serviceWorker" in navigator;
}

/** inBrowser returns a sink once the worker is ready for the file, and undefined where there is none. */
export async function inBrowser(target: Target): Promise<Sink | undefined> {
  const worker = await registered().catch(() => undefined);
  if (!worker) {
    return undefined;
  }
  const id = hex(random(16));
  const { port1: port, port2 } = new MessageChannel();
  const said = listener(port);
  worker.postMessage({ id, ...target }, [port2]);
  return (await said("ready", starting)) ? passing(worker, id, port, said) : undefined;
}

/** registered returns the worker once it is active. */
async function registered(): Promise<ServiceWorker | undefined> {
  if (!hasWorkers()) {
    return undefined;
  }
  const registration = await navigator.serviceWorker.register(scriptURL("/sw.js") as string, { scope: "/dl/" });
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  const end = Date.now() + starting;
  while (worker && worker.state !== "activated") {
    if (worker.state === "redundant" || Date.now() > end) {
      return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return worker ?? undefined;
}

type Said = (word: string, patience?: number) => Promise<boolean>;

/**
 * listener returns a function that waits for a word on a port, and reports whether it came
 * in time. "cancelled" and "lost" are thrown as SinkError. A word counts once.
 */
function listener(port: MessagePort): Said {
  const words: string[] = [];
  let heard: () => void = () => undefined;
  port.onmessage = ({ data }: MessageEvent<string>) => {
    words.push(data);
    heard();
  };
  return async (word, patience) => {
    const end = patience === undefined ? Number.POSITIVE_INFINITY : Date.now() + patience;
    for (;;) {
      if (words.includes("cancelled") || words.includes("lost")) {
        throw new SinkError(words.includes("cancelled") ? "cancelled" : "lost");
      }
      const at = words.indexOf(word);
      if (at >= 0) {
        words.splice(at, 1);
        return true;
      }
      if (Date.now() >= end) {
        return false;
      }
      await new Promise<void>((resolve) => {
        const timer = Number.isFinite(end) ? setTimeout(resolve, Math.max(end - Date.now(), 0)) : undefined;
        heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
}

/** passing passes a file on to the worker. */
function passing(worker: ServiceWorker, id: string, port: MessagePort, said: Said): Sink {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  let end: () => void = () => undefined;
  const fail = () => {
    port.postMessage("error");
    end();
  };
  return {
    kind: "browser",
    kept: "",
    begin: async () => {
      const stop = pinging(worker, id, port);
      addEventListener("pagehide", fail);
      end = () => {
        stop();
        removeEventListener("pagehide", fail);
        frame.remove();
      };
      frame.src = `/dl/${id}`;
      document.body.append(frame);
      if (!(await said("asked", starting))) {
        throw new SinkError("lost");
      }
    },
    write: async (piece: Bytes) => {
      await said("pull");
      const whole = piece.byteLength === piece.buffer.byteLength ? piece : piece.slice();
      port.postMessage(whole, [whole.buffer]);
    },
    flush: async () => undefined,
    finish: async () => {
      port.postMessage("end");
      await said("ended");
      // The browser may still take what the worker has: that is alive for a while.
      removeEventListener("pagehide", fail);
      setTimeout(end, pingEvery * 3);
    },
    abort: async () => fail(),
  };
}

/** pinging keeps the worker alive, and notices if the browser ended it with the file. It returns a function that stops that. */
function pinging(worker: ServiceWorker, id: string, port: MessagePort): () => void {
  const lost = () => port.dispatchEvent(new MessageEvent("message", { data: "lost" }));
  let unheard: ReturnType<typeof setTimeout> | undefined;
  const timer = setInterval(() => {
    const { port1, port2 } = new MessageChannel();
    unheard ??= setTimeout(lost, answering);
    port1.onmessage = ({ data }: MessageEvent<boolean>) => {
      clearTimeout(unheard);
      unheard = undefined;
      port1.close();
      if (!data) {
        lost();
      }
    };
    worker.postMessage({ ping: id }, [port2]);
  }, pingEvery);
  return () => {
    clearInterval(timer);
    clearTimeout(unheard);
  };
}
