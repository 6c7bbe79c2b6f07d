/* How fast a file arrives, and how long that takes. */

/** How many milliseconds the rate looks back. */
const window = 15_000;
/** What arrived in less time than this says nothing of what follows. */
const settling = 2_000;
/** How much longer the time left must have become before the page says so: small steps back would only flicker. */
const slower = 1.5;

/** Pace is how far a file is. It never runs backwards. */
export interface Pace {
  /** Bytes that have arrived, of all. */
  done: number;
  total: number;
  /** Bytes a second; undefined while that is not known. */
  rate: number | undefined;
  /** Seconds that are left; undefined while that is not known. */
  left: number | undefined;
}

/** Rate measures what arrives. */
export class Rate {
  #samples: { at: number; done: number }[] = [];
  #done = 0;
  #shown: { left: number; at: number } | undefined;

  /** total is the number of all bytes; begun of them were there before. */
  constructor(
    private readonly total: number,
    private readonly begun: number,
    private readonly now: () => number,
  ) {
    this.#done = begun;
    this.#samples = [{ at: now(), done: begun }];
  }

  /** arrived notes how many bytes there are by now. A repeated part does not take back what was shown. */
  arrived(done: number): void {
    this.#done = Math.max(this.#done, Math.min(done, this.total));
    const at = this.now();
    const last = this.#samples.at(-1);
    if (last && at - last.at < 250) {
      last.done = this.#done;
    } else {
      this.#samples.push({ at, done: this.#done });
    }
    while (this.#samples.length > 2 && at - this.#samples[1]!.at >= window) {
      this.#samples.shift();
    }
  }

  /** broke forgets the rate: the time without a line says nothing of it. */
  broke(): void {
    this.#samples = [{ at: this.now(), done: this.#done }];
    this.#shown = undefined;
  }

  pace(): Pace {
    const rate = this.#rate();
    return { done: this.#done, total: this.total, rate, left: this.#left(rate) };
  }

  #rate(): number | undefined {
    const [first] = this.#samples;
    const time = this.now() - (first?.at ?? 0);
    const bytes = this.#done - (first?.done ?? this.begun);
    return first && time >= settling && bytes > 0 ? (bytes / time) * 1000 : undefined;
  }

  #left(rate: number | undefined): number | undefined {
    if (rate === undefined) {
      return undefined;
    }
    const left = (this.total - this.#done) / rate;
    const now = this.now();
    const expected = this.#shown && Math.max(this.#shown.left - (now - this.#shown.at) / 1000, 0);
    if (expected === undefined || left < expected || left > expected * slower + 5) {
      this.#shown = { left, at: now };
      return left;
    }
    return expected;
  }
}
