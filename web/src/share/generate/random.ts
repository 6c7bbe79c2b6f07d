/** below returns a uniformly random number from 0 to n-1. */
export function below(n: number): number {
  const buffer = new Uint32Array(1);
  const limit = 2 ** 32 - (2 ** 32 % n);
  do {
    crypto.getRandomValues(buffer);
  } while (buffer[0]! >= limit);
  return buffer[0]! % n;
}

export function pick<T>(all: ArrayLike<T>): T {
  return all[below(all.length)]!;
}

/** shuffle shuffles a list in place. */
export function shuffle<T>(list: T[]): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
