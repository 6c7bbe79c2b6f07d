/* How long a content on its way may stand still before the page gives it up. */

const silence = 20_000;

/** How many bytes a millisecond a line carries at least. The server cuts slower ones (Pace.Rate in handlers/chain). */
const slowest = 4096 / 1000;

/**
 * stillTime returns for how many milliseconds the count of sent bytes may stay at
 * `done`, `elapsed` milliseconds after the call began. The browser counts what the
 * system took from it. The system holds up to some megabytes, and takes more only when
 * some of that has left: on the slowest line that takes the time of all that it took.
 */
export function stillTime(done: number, elapsed: number): number {
  return silence + Math.max(0, done / slowest - elapsed);
}
