import assert from "node:assert/strict";
import { test } from "node:test";
import { stretch } from "../src/endtoend/stretch";
import { problemText } from "../src/problem";
import { type Asked, answerOf, answerWith } from "../src/worker/exchange";

/** Clock calls what waits for seconds. */
class Clock {
  #waiting = new Set<() => void>();
  readonly everySecond = (fn: () => void) => {
    this.#waiting.add(fn);
    return () => void this.#waiting.delete(fn);
  };
  pass(seconds: number): void {
    for (let n = 0; n < seconds; n++) {
      for (const fn of this.#waiting) {
        fn();
      }
    }
  }
  get stopped(): boolean {
    return this.#waiting.size === 0;
  }
}

/** Work is what a worker does with a question. */
type Work = (question: number, alive: () => void) => number | Promise<number>;

/** started returns a worker that answers with fn, and tells whether it was ended. */
function started(fn: Work): Asked & { ended: boolean } {
  const { port1, port2 } = new MessageChannel();
  answerWith<number, number>(port2 as unknown as Parameters<typeof answerWith<number, number>>[0], fn);
  return Object.assign(port1 as unknown as Asked, {
    onerror: null,
    ended: false,
    terminate(this: { ended: boolean }) {
      this.ended = true;
      port1.close();
    },
  });
}

const device = { name: "Refusal", code: "device", unsent: true };

test("a worker's answer arrives, and ends it", async () => {
  const clock = new Clock();
  const worker = started((n) => n * 2);
  assert.equal(await answerOf(worker, 21, undefined, clock.everySecond), 42);
  assert.deepEqual([worker.ended, clock.stopped], [true, true]);
});

test("what fails within a worker is an error that says what to do", async () => {
  const failing: Work[] = [
    () => Promise.reject(new RangeError("Array buffer allocation failed")),
    () => {
      throw new Error("at once");
    },
  ];
  for (const fn of failing) {
    const worker = started(fn);
    await assert.rejects(answerOf(worker, 1, undefined, new Clock().everySecond), device);
    assert.equal(worker.ended, true);
  }
  const error = await answerOf(started(failing[0]!), 1, undefined, new Clock().everySecond).catch((e: unknown) => e);
  assert.match(problemText(error), /Close other tabs/);
});

test("a worker that says nothing for half a minute is given up, and one that is alive is not", async () => {
  const clock = new Clock();
  const silent = started(() => new Promise(() => {}));
  const given = assert.rejects(answerOf(silent, 1, undefined, clock.everySecond), device);
  clock.pass(30);
  await given;
  assert.deepEqual([silent.ended, clock.stopped], [true, true]);

  let answer = (_: number) => {};
  const worker = started((_, alive) => {
    alive();
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const told = new Promise<void>((resolve) => {
    (worker as unknown as MessagePort).addEventListener("message", () => setTimeout(resolve), { once: true });
  });
  const answered = answerOf<number>(worker, 1, undefined, clock.everySecond);
  clock.pass(29);
  await told;
  clock.pass(29);
  answer(7);
  assert.equal(await answered, 7);
});

test("a worker that only says that it is alive ends after five minutes", async () => {
  const clock = new Clock();
  const worker = started(() => new Promise(() => {}));
  const answered = assert.rejects(answerOf(worker, 1, undefined, clock.everySecond), device);
  for (let n = 0; n < 10; n++) {
    clock.pass(29);
    worker.onmessage?.({ data: { alive: true } } as MessageEvent);
  }
  assert.equal(clock.stopped, false, "after 290 seconds");
  clock.pass(10);
  await answered;
});

test("a script that does not load is no fault of the device", async () => {
  const worker = started(() => new Promise(() => {}));
  const answered = answerOf(worker, 1, undefined, new Clock().everySecond);
  worker.onerror?.({} as ErrorEvent); // as browsers report it: an event without a message
  await assert.rejects(answered, { name: "Refusal", code: "offline", unsent: true });
  const broken = started(() => new Promise(() => {}));
  const thrown = answerOf(broken, 1, undefined, new Clock().everySecond);
  broken.onerror?.({ message: "out of memory" } as ErrorEvent);
  await assert.rejects(thrown, device);
});

test("an aborted call ends its worker", async () => {
  const call = new AbortController();
  const clock = new Clock();
  const worker = started(() => new Promise(() => {}));
  const answered = answerOf(worker, 1, call.signal, clock.everySecond);
  call.abort(new Error("left"));
  await assert.rejects(answered, /left/);
  assert.deepEqual([worker.ended, clock.stopped], [true, true]);
});

test("deriving a key tells that it is alive", async () => {
  let told = 0;
  const [passphrase, salt] = [new Uint8Array(8), new Uint8Array(16)];
  await stretch(passphrase, salt, () => {
    told += 1;
  });
  assert.ok(told >= 9, `stretch: told ${told} times`);
});
