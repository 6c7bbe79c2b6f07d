import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultError, MalformedError } from "../src/open/fault";
import { mayLose, type Progress, Reveal, type World } from "../src/open/reveal";
import { world } from "../src/open/world";
import { type Code, type Reason, Refusal } from "../src/refusal";

/** Clock is a world whose time passes only when a test says so. */
class Clock implements World {
  time = 1_000_000;
  up = true;
  timers: { at: number; fn: () => void }[] = [];
  listeners = new Set<(online: boolean) => void>();
  now = () => this.time;
  random = () => 0.5;
  online = () => this.up;
  after = (milliseconds: number, fn: () => void) => {
    const timer = { at: this.time + milliseconds, fn };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };
  onLine = (fn: (online: boolean) => void) => {
    this.listeners.add(fn);
    return () => this.listeners.delete(fn);
  };

  /** pass lets time pass, with all that is due in it. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      await settled();
      const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) {
        break;
      }
      this.timers = this.timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.fn();
    }
    this.time = end;
    await settled();
  }

  async line(up: boolean): Promise<void> {
    this.up = up;
    for (const fn of [...this.listeners]) {
      fn(up);
    }
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}

interface Answer {
  value: string;
  left?: number;
}

/**
 * A step is what the server does with an attempt: it answers, fails, never answers, or
 * answers bit by bit, one every so many milliseconds, and falls silent after some if the
 * answer is missing.
 */
type Step = Answer | Refusal | "silence" | { every: number; bits: number; answer?: Answer };

const refused = (code: Code, reason?: Reason, more = {}) => new Refusal("", { code, reason, ...more });
const cut = () => refused("offline");
const unsent = () => refused("offline", undefined, { unsent: true });
const bound = (value: string): Answer => ({ value, left: 120_000 });

/** scene opens a secret at a server that takes these steps. */
function scene(
  steps: Step[],
  options: { retries?: number; acknowledge?: (Refusal | "done")[]; probe?: (Refusal | "found")[] } = {},
) {
  const clock = new Clock();
  const seen: Progress[] = [];
  const contents: string[] = [];
  const asked: number[] = [];
  const acknowledged: number[] = [];
  const kept: number[] = [];
  const probes = options.probe ?? [];
  const acks = options.acknowledge ?? ["done"];
  const reveal = new Reveal<string, Answer, string>(
    {
      prepare: async (passphrase) => {
        if (passphrase === "\ud800") {
          throw new MalformedError();
        }
        return passphrase;
      },
      probe: async () => {
        const probe = probes.shift() ?? assert.fail("one probe too many");
        if (probe !== "found") {
          throw probe;
        }
      },
      ask: (_, signal, arrived) =>
        new Promise<Answer>((resolve, reject) => {
          asked.push(clock.now());
          const step = steps.shift() ?? assert.fail("one attempt too many");
          signal.addEventListener("abort", () => reject(refused("canceled")));
          if (step instanceof Refusal) {
            reject(step);
          } else if (step !== "silence" && "bits" in step) {
            const bit = (n: number) =>
              clock.after(step.every, () => {
                arrived(n, step.bits);
                if (n < step.bits) {
                  bit(n + 1);
                } else if (step.answer) {
                  resolve(step.answer);
                }
              });
            bit(1);
          } else if (step !== "silence") {
            resolve(step);
          }
        }),
      keep: async () => {
        kept.push(clock.now());
        return 120_000;
      },
      left: (answer) => answer.left,
      read: async (_, answer) => {
        if (answer.value === "altered" || answer.value === "kind" || answer.value === "form") {
          throw new FaultError(answer.value);
        }
        return answer.value;
      },
      acknowledge: async () => {
        acknowledged.push(clock.now());
        const ack = acks.shift() ?? assert.fail("one acknowledgement too many");
        if (ack !== "done") {
          throw ack;
        }
      },
    },
    clock,
    { retries: options.retries ?? Number.POSITIVE_INFINITY, onProgress: (progress) => seen.push(progress) },
    (content) => {
      contents.push(content);
      void reveal.shown();
    },
  );
  return { reveal, clock, seen, contents, asked, acknowledged, kept, last: () => seen.at(-1), steps };
}

const places = (seen: Progress[]) => seen.map(({ at }) => at);

test("an answer is shown and then acknowledged", async () => {
  const s = scene([bound("hello")]);
  await s.reveal.press("");
  assert.deepEqual(s.contents, ["hello"]);
  assert.deepEqual(places(s.seen), ["deriving", "asking", "open"]);
  assert.equal(s.acknowledged.length, 1);
  assert.deepEqual(s.clock.timers, [], "nothing is left to happen");
});

test("a lost answer is fetched again, with growing pauses", async () => {
  const s = scene([cut(), refused("unavailable"), refused("internal"), bound("hello")]);
  await s.reveal.press("");
  const begin = s.clock.now();
  assert.deepEqual(s.last(), { at: "retrying", until: begin + 120_000, online: true });
  await s.clock.pass(10_000);
  assert.deepEqual(s.contents, ["hello"]);
  assert.deepEqual(
    s.asked.map((at) => at - begin),
    [0, 1000, 3000, 7000],
  );
  assert.equal(s.acknowledged.length, 1);
});

test("an attempt without an answer is given up after 20 seconds", async () => {
  const s = scene(["silence", "silence", bound("hello")]);
  void s.reveal.press("");
  await s.clock.pass(19_999);
  assert.equal(s.last()?.at, "asking");
  await s.clock.pass(1 + 1000 + 19_999);
  assert.deepEqual(s.last(), { at: "retrying", until: s.asked[0]! + 120_000, online: true });
  await s.clock.pass(1999);
  assert.equal(s.asked.length, 2);
  await s.clock.pass(2);
  assert.deepEqual(s.contents, ["hello"]);
});

test("an answer that arrives slowly is waited for, and the server is told so", async () => {
  const s = scene([{ every: 15_000, bits: 20, answer: bound("hello") }]);
  void s.reveal.press("");
  await s.clock.pass(15_000);
  assert.deepEqual(s.last(), { at: "asking", received: { done: 1, total: 20 } });
  await s.clock.pass(284_999);
  assert.deepEqual(s.contents, []);
  assert.equal(s.asked.length, 1, "no other attempt began");
  assert.deepEqual(
    s.kept.map((at) => at - s.asked[0]!),
    [30_000, 60_000, 90_000, 120_000, 150_000, 180_000, 210_000, 240_000, 270_000],
  );
  await s.clock.pass(1);
  assert.deepEqual(s.contents, ["hello"]);
  assert.equal(s.acknowledged.length, 1);
});

test("an answer that falls silent on its way is given up, and the time goes on from the last word", async () => {
  const s = scene([{ every: 15_000, bits: 10 }, bound("hello")]);
  void s.reveal.press("");
  await s.clock.pass(150_000 + 19_999);
  assert.equal(s.asked.length, 1);
  await s.clock.pass(1);
  assert.deepEqual(s.last(), { at: "retrying", until: s.kept.at(-1)! + 120_000, online: true });
  await s.clock.pass(1000);
  assert.deepEqual(s.contents, ["hello"]);
});

test("while bytes arrive, a browser that takes the line for down ends nothing", async () => {
  const s = scene([{ every: 5000, bits: 10, answer: bound("hello") }]);
  void s.reveal.press("");
  await s.clock.pass(5000);
  await s.clock.line(false);
  await s.clock.line(true);
  await s.clock.pass(45_000);
  assert.equal(s.asked.length, 1);
  assert.deepEqual(s.contents, ["hello"]);
});

test("an answer that took longer than its claim is acknowledged all the same", async () => {
  const s = scene([{ every: 19_000, bits: 10, answer: { value: "hello", left: 60_000 } }]);
  void s.reveal.press("");
  await s.clock.pass(190_000);
  assert.deepEqual(s.contents, ["hello"]);
  assert.equal(s.acknowledged.length, 1);
});

test("a pause that the service asks for is kept", async () => {
  const s = scene([cut(), refused("resource_exhausted", "rate_limited", { retryAfter: 30 }), bound("hello")]);
  await s.reveal.press("");
  await s.clock.pass(1000 + 29_999);
  assert.equal(s.asked.length, 2);
  await s.clock.pass(1);
  assert.deepEqual(s.contents, ["hello"]);
});

test("with a passphrase it tries again once by itself, and then asks each time", async () => {
  const s = scene([cut(), cut(), cut(), bound("hello")], { retries: 1 });
  await s.reveal.press("open sesame");
  await s.clock.pass(60_000);
  assert.equal(s.asked.length, 2);
  assert.equal(s.last()?.at, "lost");
  await s.reveal.again();
  await s.clock.pass(10_000);
  assert.equal(s.asked.length, 3);
  assert.equal(s.last()?.at, "lost");
  await s.reveal.again();
  assert.deepEqual(s.contents, ["hello"]);
});

test("without a line nothing is sent, and the form stays", async () => {
  const s = scene([bound("hello")], { probe: [unsent(), cut(), refused("unavailable")] });
  await s.clock.line(false);
  for (let presses = 0; presses < 3; presses++) {
    await s.reveal.press("");
    assert.deepEqual(s.last(), { at: "offline" });
    assert.equal(mayLose(s.last()!), false);
    await s.clock.pass(600_000);
    assert.deepEqual(s.last(), { at: "offline" });
  }
  await s.clock.line(true);
  assert.deepEqual(s.last(), { at: "form" });
  await s.clock.pass(600_000);
  assert.equal(s.asked.length, 0, "it waits for a person");
  assert.equal(s.clock.listeners.size, 0);
  await s.reveal.press("");
  assert.deepEqual(s.contents, ["hello"]);
});

test("a reveal whose script does not load was not sent", async () => {
  const s = scene([unsent(), refused("not_found")]);
  await s.reveal.press("");
  assert.deepEqual(s.last(), { at: "offline" });
  await s.clock.pass(600_000);
  assert.deepEqual(s.last(), { at: "offline" });
  await s.reveal.press("");
  assert.deepEqual(s.last(), { at: "gone", lost: false }, "this page cannot have opened it");
});

test("after a lost answer, what is not sent changes nothing", async () => {
  const s = scene([cut(), unsent(), unsent(), bound("hello")]);
  await s.reveal.press("");
  const until = s.clock.now() + 120_000;
  await s.clock.pass(1_500);
  assert.deepEqual(s.last(), { at: "retrying", until, online: true });
  await s.clock.pass(10_000);
  assert.deepEqual(s.contents, ["hello"]);
});

// A request that fails although the browser has a line may have arrived.
test("a request that fails is not taken for one that was not sent", async () => {
  const s = scene([cut()], { retries: 0 });
  await s.reveal.press("");
  assert.equal(s.last()?.at, "lost");
  assert.equal(mayLose(s.last()!), true);
});

test("a line that goes down ends the attempt, and it goes on at once when the line is back", async () => {
  const s = scene(["silence", bound("hello")]);
  void s.reveal.press("");
  await s.clock.pass(500);
  await s.clock.line(false);
  assert.deepEqual(s.last(), { at: "retrying", until: s.asked[0]! + 120_000, online: false });
  await s.clock.pass(30_000);
  assert.equal(s.asked.length, 1);
  await s.clock.line(true);
  assert.deepEqual(s.contents, ["hello"]);
});

test("a browser that takes the line for down is overruled by an answer", async () => {
  for (const probe of ["found", refused("not_found"), refused("resource_exhausted", "rate_limited")] as const) {
    const s = scene([bound("hello")], { probe: [probe] });
    await s.clock.line(false);
    await s.reveal.press("");
    assert.deepEqual(s.contents, ["hello"]);
  }
});

test("a browser that takes the line for down is overruled by a person after a lost answer", async () => {
  const s = scene(["silence", bound("hello")]);
  void s.reveal.press("");
  await s.clock.pass(500);
  await s.clock.line(false);
  await s.reveal.again();
  assert.deepEqual(s.contents, ["hello"]);
});

test("a page that is left while it looks for a line sends nothing", async () => {
  const s = scene([bound("hello")], { probe: ["found"] });
  await s.clock.line(false);
  void s.reveal.press("");
  s.reveal.end();
  await s.clock.pass(600_000);
  assert.equal(s.asked.length, 0);
});

test("a line that comes back ends a pause", async () => {
  const s = scene([cut(), cut(), cut(), cut(), bound("hello")]);
  await s.reveal.press("");
  await s.clock.pass(7_500);
  assert.equal(s.asked.length, 4);
  await s.clock.line(true);
  assert.deepEqual(s.contents, ["hello"]);
});

test("a refusal about the secret leaves it, and the form is back", async () => {
  for (const reason of ["passphrase", "locked", "link", "encryption"] as const) {
    const s = scene([cut(), refused("permission_denied", reason), bound("hello")]);
    await s.reveal.press("wrong");
    await s.clock.pass(1000);
    assert.equal(s.last()?.at, "form", reason);
    assert.equal(mayLose(s.last()!), false);
    await s.clock.pass(300_000);
    assert.equal(s.last()?.at, "form", `${reason}: nothing lapses`);
    await s.reveal.press("right");
    assert.deepEqual(s.contents, ["hello"], reason);
  }
});

test("a first refusal of any other kind is shown, too", async () => {
  const s = scene([refused("resource_exhausted", "rate_limited", { retryAfter: 5 })]);
  await s.reveal.press("");
  assert.equal(s.last()?.at, "form");
  await s.clock.pass(60_000);
  assert.equal(s.asked.length, 1);
});

test("a refusal for another reason after a lost answer lets a person decide", async () => {
  const s = scene([cut(), refused("permission_denied", "cross_site"), bound("hello")]);
  await s.reveal.press("");
  await s.clock.pass(1000);
  assert.equal(s.last()?.at, "lost");
  assert.equal(mayLose(s.last()!), true);
  await s.reveal.again();
  assert.deepEqual(s.contents, ["hello"]);
});

test("a secret that is gone may be so because of a lost answer", async () => {
  const plain = scene([refused("not_found")]);
  await plain.reveal.press("");
  assert.deepEqual(plain.last(), { at: "gone", lost: false });
  const s = scene([cut(), refused("not_found")]);
  await s.reveal.press("");
  await s.clock.pass(1000);
  assert.deepEqual(s.last(), { at: "gone", lost: true });
  assert.deepEqual(s.clock.timers, []);
});

test("the time is over two minutes after the first request whose answer was lost", async () => {
  const s = scene([...Array.from({ length: 20 }, cut), bound("hello")]);
  await s.reveal.press("");
  await s.clock.pass(119_999);
  assert.equal(s.last()?.at, "retrying");
  await s.clock.pass(1);
  assert.deepEqual(s.last(), { at: "late" });
  const attempts = s.asked.length;
  await s.clock.pass(600_000);
  assert.equal(s.asked.length, attempts, "it no longer tries by itself");
  s.steps.splice(0, s.steps.length, bound("hello"));
  await s.reveal.again();
  assert.deepEqual(s.contents, ["hello"], "the server had not bound it");
});

test("after the time, a secret that is gone is said to be lost", async () => {
  const s = scene([cut(), refused("not_found")], { retries: 0 });
  await s.reveal.press("");
  await s.clock.pass(120_000);
  assert.equal(s.last()?.at, "late");
  await s.reveal.again();
  assert.deepEqual(s.last(), { at: "gone", lost: true });
});

test("an answer that does not pass its checks is neither shown nor acknowledged", async () => {
  for (const fault of ["altered", "kind"] as const) {
    const s = scene([{ value: fault, left: 90_000 }, bound("hello")]);
    await s.reveal.press("");
    assert.deepEqual(s.last(), { at: "refused", fault, until: s.clock.now() + 90_000 });
    assert.deepEqual([s.contents, s.acknowledged], [[], []]);
    await s.clock.pass(30_000);
    assert.equal(s.asked.length, 1, "it does not try again by itself");
    await s.reveal.again();
    assert.deepEqual(s.contents, ["hello"]);
    assert.equal(s.acknowledged.length, 1);
  }
});

test("an answer that does not pass its checks is refused also if it hides its claim", async () => {
  const s = scene([{ value: "altered" }, bound("hello")]);
  await s.reveal.press("");
  assert.deepEqual(s.last(), { at: "refused", fault: "altered", until: s.clock.now() + 120_000 });
  await s.reveal.again();
  assert.deepEqual(s.contents, ["hello"]);
});

test("authentic content of a form that is not shown is neither acknowledged nor asked for again", async () => {
  const s = scene([{ value: "form", left: 90_000 }, bound("hello")]);
  await s.reveal.press("");
  assert.deepEqual(s.last(), { at: "unfit" });
  await s.reveal.again();
  await s.clock.pass(200_000);
  assert.deepEqual(s.last(), { at: "unfit" });
  assert.deepEqual([s.asked.length, s.contents, s.acknowledged], [1, [], []]);
});

test("an answer that does not pass its checks lapses", async () => {
  const s = scene([{ value: "altered", left: 90_000 }]);
  await s.reveal.press("");
  await s.clock.pass(90_000);
  assert.deepEqual(s.last(), { at: "late" });
  assert.equal(s.acknowledged.length, 0);
});

test("once the secret is bound, repeats cost no tries and follow by themselves", async () => {
  const s = scene([{ value: "altered", left: 90_000 }, cut(), cut(), bound("hello")], { retries: 1 });
  await s.reveal.press("open sesame");
  await s.reveal.again();
  await s.clock.pass(5000);
  assert.deepEqual(s.contents, ["hello"]);
});

test("a lost acknowledgement is repeated until the time is over", async () => {
  const s = scene([bound("hello")], { acknowledge: [cut(), refused("unavailable"), "done"] });
  await s.reveal.press("");
  await s.clock.pass(10_000);
  assert.equal(s.acknowledged.length, 3);
  const never = scene([bound("hello")], { acknowledge: Array.from({ length: 50 }, cut) });
  await never.reveal.press("");
  await never.clock.pass(600_000);
  assert.ok(never.acknowledged.at(-1)! <= never.asked[0]! + 120_000, "none after the time");
  assert.ok(never.acknowledged.length > 5);
});

test("a refused acknowledgement is not repeated", async () => {
  const s = scene([bound("hello")], { acknowledge: [refused("invalid_argument")] });
  await s.reveal.press("");
  await s.clock.pass(200_000);
  assert.equal(s.acknowledged.length, 1);
});

test("an older service without claims gets no acknowledgement", async () => {
  const s = scene([{ value: "hello" }]);
  await s.reveal.press("");
  assert.deepEqual([s.contents, s.acknowledged], [["hello"], []]);
});

test("a passphrase that is no text is refused before anything is sent", async () => {
  const s = scene([bound("hello")]);
  await s.reveal.press("\ud800");
  assert.deepEqual(s.last(), { at: "form", malformed: true });
  assert.equal(s.asked.length, 0);
  await s.reveal.press("right");
  assert.deepEqual(s.contents, ["hello"]);
});

test("pressing twice asks once", async () => {
  const s = scene(["silence"]);
  void s.reveal.press("");
  void s.reveal.press("");
  await settled();
  void s.reveal.again();
  await settled();
  assert.equal(s.asked.length, 1);
});

test("a page that is left asks for nothing more", async () => {
  for (const first of [cut(), "silence"] as const) {
    const s = scene([first, bound("hello")]);
    void s.reveal.press("");
    await settled();
    const shown = s.seen.length;
    s.reveal.end();
    await s.clock.pass(300_000);
    assert.equal(s.asked.length, 1);
    assert.equal(s.seen.length, shown);
    assert.deepEqual(s.contents, []);
  }
});

test("only a page that may lose the secret asks before it is left", () => {
  const at = (progress: Progress) => mayLose(progress);
  const refusal = cut();
  assert.ok(at({ at: "asking" }) && at({ at: "retrying", until: 1, online: false }));
  assert.ok(at({ at: "lost", until: 1, refusal }) && at({ at: "refused", until: 1, fault: "altered" }));
  for (const name of ["form", "deriving", "offline", "unfit", "late", "open"] as const) {
    assert.equal(at({ at: name }), false, name);
  }
  assert.equal(at({ at: "gone", lost: true }), false);
});

test("a device that sets its clock changes no limit", (t) => {
  const before = world.now();
  t.mock.method(Date, "now", () => 0);
  assert.ok(world.now() >= before && world.now() < before + 60_000);
  t.mock.method(Date, "now", () => 8.64e15);
  assert.ok(world.now() < before + 60_000);
});
