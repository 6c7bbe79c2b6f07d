/* How far an upload is. It never goes backwards. */

/** Progress is how far an upload is. */
export interface Progress {
  /** How much has left, from 0 to 1. */
  part: number;
  /** Bytes a second at the moment; 0 while that is not known. */
  rate: number;
  /** Seconds that are left at this rate; undefined while that is not known. */
  left: number | undefined;
}

/** The rate is that of the last so many milliseconds, and is known after a few of them. */
const span = 20_000;
const shortest = 1_000;

/** Meter counts what has left of so many bytes. */
export class Meter {
  #arrived = 0;
  #best = 0;
  readonly #underway = new Map<number, number>();
  #samples: { at: number; bytes: number }[] = [];

  constructor(
    private readonly total: number,
    private readonly now: () => number,
  ) {
    this.#samples.push({ at: now(), bytes: 0 });
  }

  /** sent notes how many bytes of a part have left. */
  sent(number: number, bytes: number): void {
    this.#underway.set(number, bytes);
    this.#note();
  }

  /** arrived notes that the service has a part. */
  arrived(number: number, bytes: number): void {
    this.#underway.delete(number);
    this.#arrived += bytes;
    this.#note();
  }

  /** lost notes that what had left of a part has to be sent again. */
  lost(number: number): void {
    this.#underway.delete(number);
  }

  /** paused forgets the rate: nothing is sent for a while. */
  paused(): void {
    this.#samples = [];
  }

  /** restart counts from nothing. What was shown stays until that is passed. */
  restart(): void {
    this.#arrived = 0;
    this.#underway.clear();
    this.#samples = [];
  }

  progress(): Progress {
    const last = this.#samples.at(-1);
    const first = this.#samples[0];
    const time = last && first ? last.at - first.at : 0;
    const rate = last && first && time >= shortest ? ((last.bytes - first.bytes) / time) * 1000 : 0;
    const left = rate > 0 ? (this.total - this.#best) / rate : undefined;
    return { part: this.total > 0 ? this.#best / this.total : 0, rate, left };
  }

  #note(): void {
    const bytes = [...this.#underway.values()].reduce((sum, one) => sum + one, this.#arrived);
    this.#best = Math.max(this.#best, Math.min(bytes, this.total));
    const at = this.now();
    this.#samples.push({ at, bytes: this.#best });
    while (this.#samples.length > 2 && at - this.#samples[1]!.at > span) {
      this.#samples.shift();
    }
  }
}
