/* The course of an upload, from the first part to the end. */
import { type Signal, signal } from "@preact/signals";
import type { Bytes } from "../endtoend/bytes";
import { asRefusal, Refusal } from "../refusal";
import { Meter } from "./meter";
import { SourceError, sendParts } from "./parts";
import { isTooLarge, type Pause, type Persistence, persist } from "./persist";
import type { Failure, State, Upload } from "./running";

/** Calls are those of one upload. They throw only Refusal. */
export interface Calls {
  /** put stores a part. It tells how much of it has left, from 0 to 1. */
  put: (number: number, content: Bytes, onSent: (part: number) => void, signal: AbortSignal) => Promise<void>;
  restart: (signal: AbortSignal) => Promise<void>;
  finish: (signal: AbortSignal) => Promise<void>;
  cancel: () => Promise<void>;
}

/** Source is what is sent. */
export interface Source {
  name: string;
  /** The number of bytes of all parts. */
  size: number;
  /** parts encrypts the file anew, under another salt with each call. */
  parts: () => AsyncIterable<Bytes>;
}

/** World is what an upload needs besides: the browser, except in tests. */
export interface World {
  now: () => number;
  wait: Persistence["wait"];
}

/** How often the state changes at most, in milliseconds. */
const pace = 500;

/** How often a call that cancels is made. An upload to which nothing comes ends by itself. */
const cancelTries = 5;

/** begin sends a file, until it has arrived or for as long as the page lives. */
export function begin(source: Source, calls: Calls, world: World): Upload {
  const running = new Running(source, calls, world);
  void running.run();
  return running;
}

class Running implements Upload {
  readonly name: string;
  readonly state: Signal<State>;
  readonly #end = new AbortController();
  readonly #meter: Meter;
  #shown: number;
  #pause: Pause | undefined;

  constructor(
    private readonly source: Source,
    private readonly calls: Calls,
    private readonly world: World,
  ) {
    this.name = source.name;
    this.#meter = new Meter(source.size, world.now);
    this.#shown = world.now();
    this.state = signal<State>({ at: "sending", progress: this.#meter.progress() });
  }

  async run(): Promise<void> {
    try {
      await this.#send();
      this.#over({ at: "arrived" });
    } catch (thrown) {
      if (this.#end.signal.aborted) {
        return; // cancel has said so
      }
      const failure = failureOf(thrown);
      this.#over({ at: "failed", failure });
      if (failure.why !== "gone") {
        await this.#tellCanceled();
      }
    }
  }

  cancel = (): void => {
    if (this.state.peek().at !== "sending") {
      return;
    }
    this.#end.abort();
    this.#over({ at: "canceled" });
    void this.#tellCanceled();
  };

  /** send sends all parts and finishes, and does so once more if the service has lost some: a restored one may have. */
  async #send(): Promise<void> {
    const { signal } = this.#end;
    const persistence = { signal, onPause: this.#paused, wait: this.world.wait };
    await sendParts(this.source.parts(), this.#put, signal);
    try {
      await persist(() => this.calls.finish(signal), persistence);
    } catch (thrown) {
      if (asRefusal(thrown).reason !== "arriving") {
        throw thrown;
      }
      await persist(() => this.calls.restart(signal), persistence);
      this.#meter.restart();
      await sendParts(this.source.parts(), this.#put, signal);
      await persist(() => this.calls.finish(signal), persistence);
    }
  }

  #put = async (number: number, content: Bytes, signal: AbortSignal): Promise<void> => {
    const sent = (part: number) => {
      this.#meter.sent(number, part * content.length);
      if (part > 0) {
        this.#goesOn();
      }
    };
    const onPause = (why: Pause) => {
      this.#meter.lost(number);
      this.#paused(why);
    };
    await persist(() => this.calls.put(number, content, sent, signal), { signal, onPause, wait: this.world.wait });
    this.#meter.arrived(number, content.length);
    this.#goesOn();
  };

  #paused = (why: Pause): void => {
    if (this.#pause !== why) {
      this.#pause = why;
      this.#meter.paused();
      this.#show();
    }
  };

  /** goesOn notes that something has left. */
  #goesOn(): void {
    if (this.#pause || this.world.now() - this.#shown >= pace) {
      this.#pause = undefined;
      this.#show();
    }
  }

  #show(): void {
    if (this.state.peek().at === "sending") {
      this.#shown = this.world.now();
      this.state.value = { at: "sending", progress: this.#meter.progress(), pause: this.#pause };
    }
  }

  #over(state: State): void {
    if (this.state.peek().at === "sending") {
      this.state.value = state;
    }
  }

  /** tellCanceled tells the service, which then gives the room back at once. Nothing can be opened in any case. */
  async #tellCanceled(): Promise<void> {
    const end = new AbortController();
    let tries = 0;
    const onPause = () => {
      tries += 1;
      if (tries >= cancelTries) {
        end.abort();
      }
    };
    await persist(this.calls.cancel, { signal: end.signal, onPause, wait: this.world.wait }).catch(() => undefined);
  }
}

/** failureOf returns why an upload stopped. */
function failureOf(thrown: unknown): Failure {
  if (thrown instanceof SourceError) {
    return { why: isDevice(thrown.reason) ? "device" : "source" };
  }
  if (thrown instanceof Refusal && isTooLarge(thrown)) {
    return { why: "proxy" };
  }
  return asRefusal(thrown).code === "not_found" ? { why: "gone" } : { why: "refused", thrown };
}

/** isDevice reports whether the device could not encrypt: it lacks memory, and the source is as it was. */
function isDevice(thrown: unknown): boolean {
  return thrown instanceof RangeError || (thrown instanceof DOMException && thrown.name === "OperationError");
}
