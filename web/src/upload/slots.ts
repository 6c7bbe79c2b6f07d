/** Slots lets so many tasks run at a time. The others wait in a row. */
export class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** run runs a task once it is its turn. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) {
        next();
      } else {
        this.free += 1;
      }
    }
  }
}
