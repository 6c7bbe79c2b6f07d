/*
 * SHA-256 for many short texts in a row. The browser's own digest returns a promise
 * each time and exists only on secure pages.
 */
const rounds = constants();

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function constants(): Uint32Array {
  const all = new Uint32Array(64);
  let count = 0;
  for (let n = 2; count < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) {
      prime &&= n % d !== 0;
    }
    if (prime) {
      all[count++] = fraction(Math.cbrt(n));
    }
  }
  return all;
}

function fraction(x: number): number {
  return Math.floor((x - Math.floor(x)) * 2 ** 32);
}

const start = Uint32Array.from([2, 3, 5, 7, 11, 13, 17, 19], (prime) => fraction(Math.sqrt(prime)));

/** sha256 returns the digest in hexadecimal. */
export function sha256(message: Uint8Array): string {
  const blocks = pad(message);
  const state = start.slice();
  const schedule = new Uint32Array(64);
  for (let at = 0; at < blocks.length; at += 16) {
    compress(state, schedule, blocks.subarray(at, at + 16));
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** pad returns the message as big-endian words, with a 1 bit, zeros and the length in bits. */
function pad(message: Uint8Array): Uint32Array {
  const words = new Uint32Array(((message.length + 8) >> 6) * 16 + 16);
  message.forEach((byte, i) => {
    words[i >> 2]! |= byte << (24 - (i & 3) * 8);
  });
  words[message.length >> 2]! |= 0x80 << (24 - (message.length & 3) * 8);
  words[words.length - 1] = message.length * 8;
  return words;
}

const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));

function compress(state: Uint32Array, w: Uint32Array, block: Uint32Array): void {
  w.set(block);
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15]!;
    const b = w[i - 2]!;
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + rounds[i]! + w[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i]! += word;
  });
}
