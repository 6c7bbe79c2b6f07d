/*
 * What a page and a worker say to each other. A worker answers a question, or says
 * that it failed: a rejection within it reaches no onerror of the page. Until then it
 * says now and then that it is alive, for a system that lacks memory may end it
 * without a word.
 */
import { Refusal } from "../refusal";

type Message<Answer> = { alive: true } | { failed: true } | { answer: Answer };

/** Scope is the worker's side: its global scope. */
interface Scope<Question, Answer> {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage: (message: Message<Answer>) => void;
}

/** Asked is the page's side of a worker. */
export interface Asked {
  onmessage: ((event: MessageEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage: (message: unknown) => void;
  terminate: () => void;
}

/** How many seconds a worker may say nothing, and how many it may work in all. */
const silence = 30;
const longest = 300;

/** answerWith makes a worker answer its questions with fn, which calls alive now and then. */
export function answerWith<Question, Answer>(
  scope: Scope<Question, Answer>,
  fn: (question: Question, alive: () => void) => Answer | Promise<Answer>,
): void {
  scope.onmessage = async ({ data }) => {
    try {
      scope.postMessage({ answer: await fn(data, () => scope.postMessage({ alive: true })) });
    } catch {
      scope.postMessage({ failed: true });
    }
  };
}

/**
 * answerOf sends a worker a question, returns its answer and ends it. It throws a
 * Refusal that says what to do if the worker fails or says nothing for long, and
 * the signal's reason if that aborts.
 */
export async function answerOf<Answer>(
  worker: Asked,
  question: unknown,
  signal?: AbortSignal,
  everySecond: (fn: () => void) => () => void = seconds,
): Promise<Answer> {
  let abort = () => {};
  let stop = () => {};
  try {
    return await new Promise<Answer>((resolve, reject) => {
      let quiet = 0;
      let total = 0;
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort);
      // Seconds are counted, since the clock runs on while a system holds the page and its workers.
      stop = everySecond(() => {
        quiet += 1;
        total += 1;
        if (quiet >= silence || total >= longest) {
          reject(failed());
        }
      });
      worker.onmessage = ({ data }: MessageEvent<Message<Answer>>) => {
        quiet = 0;
        if ("answer" in data) {
          resolve(data.answer);
        } else if ("failed" in data) {
          reject(failed());
        }
      };
      // Errors in a script have a message, and a script that did not load has none.
      worker.onerror = ({ message }) => reject(message ? failed() : notLoaded());
      worker.onmessageerror = () => reject(failed());
      worker.postMessage(question);
    });
  } finally {
    stop();
    signal?.removeEventListener("abort", abort);
    worker.terminate();
  }
}

/** failed returns the refusal of a device that cannot work something out. */
export function failed(): Refusal {
  return new Refusal("", { code: "device", unsent: true });
}

function notLoaded(): Refusal {
  return new Refusal("", { code: "offline", unsent: true });
}

function seconds(fn: () => void): () => void {
  const timer = setInterval(fn, 1000);
  return () => clearInterval(timer);
}
