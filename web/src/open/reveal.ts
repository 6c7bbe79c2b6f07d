/*
 * A reveal that survives a lost connection, without a page, a clock or a network
 * of its own.
 *
 * The first request binds the secret to a claim, which only this page has. If an
 * answer is lost, the same request brings the same content again, until the page has
 * been silent for two minutes. While bytes of an answer arrive, however slowly, the
 * page tells the server so, and no other attempt begins.
 * So an attempt is either refused, which consumes nothing, or lost, after which
 * the server may or may not have bound the secret.
 *
 * That nothing was sent is certain in two cases only: the browser says that it has
 * no line and a harmless call fails as well, or the script that sends did not
 * load. A failed request says nothing: it may fail on its way there or back.
 */
import { asRefusal, type Code, type Refusal } from "../refusal";
import { type Fault, FaultError, MalformedError } from "./fault";

/** How long the server keeps what it bound to a claim of a page that is silent. */
const claimTime = 120_000;
const firstPause = 1_000;
const longestPause = 15_000;
/** How long the server may say nothing. An answer that arrives may take any time. */
const silence = 20_000;
/** How often the server is told that an answer still arrives. */
const keepEvery = 30_000;

/** Source is where the content comes from. Its functions use one claim. */
export interface Source<Request, Answer, Content> {
  /** Derives what the request holds, and sends nothing. It throws MalformedError, or Refusal for a device that cannot. */
  prepare: (passphrase: string, signal: AbortSignal) => Promise<Request>;
  /** Calls the server, and changes nothing there. */
  probe: (signal: AbortSignal) => Promise<unknown>;
  /** Asks for the content, and tells how many bytes of it have arrived, of how many: 0 if that is not known. */
  ask: (request: Request, signal: AbortSignal, arrived: (done: number, total: number) => void) => Promise<Answer>;
  /** Tells the server that the content still arrives. It returns for how many milliseconds the claim lasts then. */
  keep: (signal: AbortSignal) => Promise<number | undefined>;
  /** Returns for how many milliseconds the answer says that the claim lasts; undefined if there is none. */
  left: (answer: Answer) => number | undefined;
  /** Checks and decrypts an answer. It throws FaultError. */
  read: (request: Request, answer: Answer) => Promise<Content>;
  acknowledge: (signal: AbortSignal) => Promise<unknown>;
}

/** World is the clock and the line, which tests control. */
export interface World {
  now: () => number;
  /** Calls fn after so many milliseconds. It returns a function that cancels that. */
  after: (milliseconds: number, fn: () => void) => () => void;
  /** Returns a number from 0 to 1. */
  random: () => number;
  online: () => boolean;
  /** Calls fn when the line comes or goes. It returns a function that cancels that. */
  onLine: (fn: (online: boolean) => void) => () => void;
}

/** Received is how many bytes of an answer have arrived, of how many: 0 if that is not known. */
export interface Received {
  done: number;
  total: number;
}

/** Progress is what the page shows. `until` is the time at which the secret is lost if the server had bound it. */
export type Progress =
  /** Nothing is under way, and the secret waits. */
  | { at: "form"; refusal?: Refusal; malformed?: boolean }
  /** Derives keys or looks for a line, and has sent nothing. */
  | { at: "deriving" }
  /** The server could not be reached: nothing was sent, and the form stays. */
  | { at: "offline" }
  /** The first attempt is on its way. */
  | { at: "asking"; received?: Received }
  /** An answer was lost. It tries again by itself, or goes on when the line is back. */
  | { at: "retrying"; until: number; online: boolean; received?: Received }
  /** An answer was lost, and a person decides about the next attempt. */
  | { at: "lost"; until: number; refusal: Refusal }
  /** An answer did not pass its checks. Another one may. */
  | { at: "refused"; until: number; fault: Exclude<Fault, "form"> }
  /** The content is the sender's, and no answer with it can be shown. */
  | { at: "unfit" }
  /** The time is over, and it is unknown whether the server had bound the secret. */
  | { at: "late" }
  /** The server has no such secret. If an answer was lost before, that may be why. */
  | { at: "gone"; lost: boolean }
  /** The content was handed over. */
  | { at: "open" };

export interface Options {
  /** How often it tries again by itself. With a passphrase every attempt may cost one of its tries. */
  retries: number;
  onProgress: (progress: Progress) => void;
}

/** Reveal opens one secret. */
export class Reveal<Request, Answer, Content> {
  #request: Request | undefined;
  /** Since an answer was lost: when the secret is lost if the server had bound it. */
  #until: number | undefined;
  /** Whether an answer was lost, and none since has said that the secret waits. */
  #lost = false;
  /** How many attempts were lost in a row, and how many of them may follow by themselves. */
  #attempts = 0;
  #retries = 0;
  #call: AbortController | undefined;
  #progress: Progress = { at: "form" };
  #ended = false;
  /** Aborts with the end. */
  #left = new AbortController();
  /** Cancels what #pause waits for, and the timer of #until. */
  #wake: () => void = () => undefined;
  #unlimit: () => void = () => undefined;

  constructor(
    private readonly source: Source<Request, Answer, Content>,
    private readonly world: World,
    private readonly options: Options,
    private readonly onContent: (content: Content) => void,
  ) {}

  /** press opens the secret. It does nothing while an attempt is under way. */
  async press(passphrase: string): Promise<void> {
    if (this.#progress.at !== "form" && this.#progress.at !== "offline") {
      return;
    }
    this.#wake();
    this.#show({ at: "deriving" });
    try {
      this.#request = await this.source.prepare(passphrase, this.#left.signal);
    } catch (thrown) {
      this.#show(
        thrown instanceof MalformedError ? { at: "form", malformed: true } : { at: "form", refusal: asRefusal(thrown) },
      );
      return;
    }
    this.#retries = this.options.retries;
    await this.#attempt();
  }

  /**
   * again tries at once where it waits: after a lost or refused answer, also after
   * the time is over, and without a line, which browsers may take for down.
   */
  async again(): Promise<void> {
    const { at } = this.#progress;
    if (
      this.#call ||
      at === "form" ||
      at === "deriving" ||
      at === "offline" ||
      at === "gone" ||
      at === "unfit" ||
      at === "open"
    ) {
      return;
    }
    if (at === "late") {
      this.#until = undefined;
      this.#attempts = 0;
    }
    await this.#attempt(true);
  }

  /** end stops everything but an acknowledgement. */
  end(): void {
    this.#ended = true;
    this.#left.abort();
    this.#call?.abort();
    this.#wake();
    this.#unlimit();
  }

  /** shown acknowledges what the page shows by now. It tries until the time is over. */
  async shown(): Promise<void> {
    // After an answer that took long, the time may be over by this page's count alone.
    for (let n = 0; this.#until !== undefined && (n === 0 || this.world.now() < this.#until); n++) {
      const call = new AbortController();
      const cancel = this.world.after(silence, () => call.abort());
      try {
        await this.source.acknowledge(call.signal);
        return;
      } catch (thrown) {
        const refusal = asRefusal(thrown);
        if (!isLost(refusal) && refusal.reason !== "rate_limited") {
          return;
        }
        await new Promise<void>((done) => this.world.after(this.#pauseAfter(n, refusal), done));
      } finally {
        cancel();
      }
    }
  }

  async #attempt(evenOffline = false): Promise<void> {
    this.#wake();
    if (this.#ended) {
      return;
    }
    if (!this.world.online() && !evenOffline) {
      if (this.#until !== undefined) {
        this.#waitForLine();
        return;
      }
      if (!(await this.#reaches())) {
        this.#unsent();
        return;
      }
      if (this.#ended) {
        return;
      }
    }
    this.#show(this.#until === undefined ? { at: "asking" } : { at: "retrying", until: this.#until, online: true });
    const call = new AbortController();
    this.#call = call;
    const sent = this.world.now();
    let unwatch = this.world.after(silence, () => call.abort());
    let kept = sent;
    let flows = false;
    const arrived = (done: number, total: number) => {
      if (call.signal.aborted || this.#ended) {
        return;
      }
      unwatch();
      unwatch = this.world.after(silence, () => call.abort());
      flows = true;
      this.#arrived({ done, total });
      if (this.world.now() - kept >= keepEvery) {
        kept = this.world.now();
        void this.#keep(call.signal);
      }
    };
    // A browser may take the line for down while bytes arrive: then their silence decides.
    const cancels = [() => unwatch(), this.world.onLine((online) => online || flows || call.abort())];
    try {
      const answer = await this.source.ask(this.#request as Request, call.signal, arrived);
      await this.#answered(answer, sent);
    } catch (thrown) {
      this.#failed(asRefusal(thrown), sent);
    } finally {
      this.#call = undefined;
      for (const cancel of cancels) {
        cancel();
      }
    }
  }

  /** #arrived shows how much of an answer has arrived. */
  #arrived(received: Received): void {
    const shown = this.#progress;
    if (shown.at === "asking" || shown.at === "retrying") {
      this.#show({ ...shown, received });
    }
  }

  /** #keep makes the claim last longer. If that fails, the next one may not, and the server sees itself what it sends. */
  async #keep(signal: AbortSignal): Promise<void> {
    const sent = this.world.now();
    const left = await this.source.keep(signal).catch(() => undefined);
    if (left === undefined || this.#ended || signal.aborted) {
      return;
    }
    this.#limit(sent + left);
    const shown = this.#progress;
    if (shown.at === "retrying") {
      this.#show({ ...shown, until: sent + left });
    }
  }

  /** #reaches reports whether the server answers, whatever it says. */
  async #reaches(): Promise<boolean> {
    const call = new AbortController();
    const cancel = this.world.after(silence, () => call.abort());
    try {
      await this.source.probe(call.signal);
      return true;
    } catch (thrown) {
      const refusal = asRefusal(thrown);
      return !isLost(refusal);
    } finally {
      cancel();
    }
  }

  /** #unsent shows that nothing was sent, until the line is back or a person presses again. */
  #unsent(): void {
    this.#show({ at: "offline" });
    if (!this.world.online()) {
      const cancel = this.world.onLine((online) => {
        if (online) {
          this.#wake();
          this.#show({ at: "form" });
        }
      });
      this.#wake = cancel;
    }
  }

  async #answered(answer: Answer, sent: number): Promise<void> {
    if (this.#ended) {
      return;
    }
    const left = this.source.left(answer);
    if (left !== undefined) {
      this.#limit(Math.max(sent + left, this.#until ?? 0));
      // It is bound, and repeats cost no tries.
      this.#retries = Number.POSITIVE_INFINITY;
    }
    try {
      const content = await this.source.read(this.#request as Request, answer);
      if (this.#ended) {
        return;
      }
      this.#unlimit();
      this.#request = undefined;
      this.onContent(content);
      this.#show({ at: "open" });
    } catch (thrown) {
      if (!(thrown instanceof FaultError)) {
        throw thrown;
      }
      if (thrown.fault === "form") {
        this.#unlimit();
        this.#request = undefined;
        this.#show({ at: "unfit" });
        return;
      }
      this.#lost = true;
      if (this.#until === undefined) {
        this.#limit(sent + claimTime);
      }
      this.#showOrLate({ at: "refused", fault: thrown.fault, until: this.#until ?? sent });
    }
  }

  #failed(refusal: Refusal, sent: number): void {
    if (this.#ended) {
      return;
    }
    if (refusal.unsent && !this.#lost) {
      this.#unsent();
    } else if (isLost(refusal)) {
      this.#lost = true;
      this.#attempts += 1;
      if (this.#until === undefined) {
        this.#limit(sent + claimTime);
      }
      this.#tryAgain(refusal);
    } else if (refusal.code === "not_found") {
      this.#unlimit();
      this.#show({ at: "gone", lost: this.#lost });
    } else if (!this.#lost || isAboutSecret(refusal)) {
      this.#reset();
      this.#show({ at: "form", refusal });
    } else {
      // Refused for another reason than the secret's: what became of it is still unknown.
      this.#tryAgain(refusal);
    }
  }

  /** #tryAgain waits and tries again, or lets a person decide. */
  #tryAgain(refusal: Refusal): void {
    const until = this.#until;
    if (until === undefined || until <= this.world.now()) {
      this.#show({ at: "late" });
    } else if (!this.world.online()) {
      this.#waitForLine();
    } else if (this.#retries > 0 && (isLost(refusal) || refusal.reason === "rate_limited")) {
      this.#retries -= 1;
      this.#show({ at: "retrying", until, online: true });
      const cancels = [
        this.world.after(this.#pauseAfter(this.#attempts - 1, refusal), () => void this.#attempt()),
        this.world.onLine(() => void this.#attempt()),
      ];
      this.#wake = () => cancelAll(cancels);
    } else {
      this.#show({ at: "lost", until, refusal });
    }
  }

  #waitForLine(): void {
    this.#show({ at: "retrying", until: this.#until ?? this.world.now(), online: false });
    const cancel = this.world.onLine((online) => online && void this.#attempt());
    this.#wake = () => cancelAll([cancel]);
  }

  /** #limit sets the time at which the secret is lost. */
  #limit(until: number): void {
    this.#unlimit();
    this.#until = until;
    this.#unlimit = this.world.after(until - this.world.now(), () => {
      // An attempt on its way may still bring the content.
      if (!this.#call && !this.#ended) {
        this.#wake();
        this.#show({ at: "late" });
      }
    });
  }

  #reset(): void {
    this.#unlimit();
    this.#until = undefined;
    this.#lost = false;
    this.#attempts = 0;
  }

  #pauseAfter(attempts: number, { retryAfter }: Refusal): number {
    const pause = Math.min(firstPause * 2 ** Math.max(attempts, 0), longestPause);
    return Math.max(pause * (0.75 + this.world.random() / 2), retryAfter * 1000);
  }

  #showOrLate(progress: Progress & { until: number }): void {
    this.#show(progress.until > this.world.now() ? progress : { at: "late" });
  }

  #show(progress: Progress): void {
    this.#progress = progress;
    if (!this.#ended) {
      this.options.onProgress(progress);
    }
  }
}

function cancelAll(cancels: (() => void)[]): void {
  for (const cancel of cancels) {
    cancel();
  }
}

/** mayLose reports whether leaving the page now may lose the secret. */
export function mayLose({ at }: Progress): boolean {
  return at === "asking" || at === "retrying" || at === "lost" || at === "refused";
}

const lost: readonly Code[] = [
  "offline",
  "canceled",
  "unknown",
  "deadline_exceeded",
  "aborted",
  "internal",
  "unavailable",
  "data_loss",
];

/** isLost reports whether a call failed on its way, there or back: unless it is unsent, it may have done its work. */
function isLost({ code, reason }: Refusal): boolean {
  return lost.includes(code) && reason === "unspecified";
}

/** isAboutSecret reports whether a refusal says that the secret waits, unclaimed. */
function isAboutSecret({ reason }: Refusal): boolean {
  return reason === "passphrase" || reason === "locked" || reason === "link" || reason === "encryption";
}
