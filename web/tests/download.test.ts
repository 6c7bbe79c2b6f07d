import assert from "node:assert/strict";
import { test } from "node:test";
import type { Places } from "../src/download/choose";
import { Download, type State, type Tools } from "../src/download/download";
import { partsFrom } from "../src/download/parts";
import { Rate } from "../src/download/rate";
import { type Record, type Records, records } from "../src/download/record";
import { type Sink, SinkError } from "../src/download/sink";
import type { Source, View } from "../src/download/source";
import type { Bytes } from "../src/endtoend/bytes";
import { ContentError } from "../src/endtoend/header";
import type { Keys } from "../src/endtoend/keys";
import type { World } from "../src/open/reveal";
import { type Code, type Reason, Refusal } from "../src/refusal";

/** Clock is a world whose time runs as fast as the code waits for it. */
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
}

async function settled(): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    await Promise.resolve();
  }
}

const refused = (code: Code, reason?: Reason, more = {}) => new Refusal("", { code, reason, ...more });
const cut = () => refused("offline");

/** A part has ten bytes, each its number. */
const partOf = (number: number): Bytes => new Uint8Array(10).fill(number);

test("parts come in their order, with so many calls under way, and each lost one again", async () => {
  const clock = new Clock();
  const calls: number[] = [];
  const lines: string[] = [];
  let flying = 0;
  let most = 0;
  const lost = [1, 1, 3];
  const got: number[] = [];
  const end = new AbortController();
  const all = (async () => {
    for await (const part of partsFrom(1, {
      count: 5,
      inFlight: 2,
      world: clock,
      signal: end.signal,
      onArrived: () => undefined,
      onLine: (line) => lines.push(line),
      get: async (number) => {
        calls.push(number);
        flying += 1;
        most = Math.max(most, flying);
        await Promise.resolve();
        flying -= 1;
        if (lost.includes(number)) {
          lost.splice(lost.indexOf(number), 1);
          throw cut();
        }
        return partOf(number);
      },
    })) {
      got.push(part[0] ?? 0);
    }
  })();
  await clock.pass(60_000);
  await all;
  assert.deepEqual(got, [1, 2, 3, 4]);
  assert.equal(most, 2);
  assert.deepEqual(calls.toSorted(), [1, 1, 1, 2, 3, 3, 4]);
  assert.ok(lines.includes("broken"));
  assert.equal(lines.at(-1), "up");
});

test("a part of which nothing arrives for long is asked for again, and a slow one is not", async () => {
  const clock = new Clock();
  const end = new AbortController();
  let calls = 0;
  const parts = partsFrom(0, {
    count: 1,
    inFlight: 2,
    world: clock,
    signal: end.signal,
    onArrived: () => undefined,
    onLine: () => undefined,
    get: (number, signal, arrived) =>
      new Promise((resolve, reject) => {
        calls += 1;
        signal.addEventListener("abort", () => reject(refused("canceled")));
        if (calls === 2) {
          const bit = (n: number) =>
            clock.after(15_000, () => {
              arrived(n);
              if (n < 10) {
                bit(n + 1);
              } else {
                resolve(partOf(number));
              }
            });
          bit(1);
        }
      }),
  });
  const first = parts.next();
  await clock.pass(200_000);
  assert.deepEqual((await first).value, partOf(0));
  assert.equal(calls, 2);
});

test("what no repeat helps is thrown, and an end ends all calls", async () => {
  for (const [thrown, want] of [
    [refused("not_found"), "not_found"],
    [refused("invalid_argument"), "invalid_argument"],
  ] as const) {
    const clock = new Clock();
    const parts = partsFrom(0, {
      count: 3,
      inFlight: 2,
      world: clock,
      signal: new AbortController().signal,
      onArrived: () => undefined,
      onLine: () => undefined,
      get: () => Promise.reject(thrown),
    });
    await assert.rejects(parts.next(), { code: want });
    assert.deepEqual(clock.timers, []);
  }
  const clock = new Clock();
  const end = new AbortController();
  const aborted: number[] = [];
  const parts = partsFrom(0, {
    count: 3,
    inFlight: 2,
    world: clock,
    signal: end.signal,
    onArrived: () => undefined,
    onLine: () => undefined,
    get: (number, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          aborted.push(number);
          reject(refused("canceled"));
        }),
      ),
  });
  const first = parts.next();
  await settled();
  end.abort(new Error("left"));
  await assert.rejects(first, { message: "left" });
  assert.deepEqual([aborted, clock.timers], [[0, 1], []]);
});

test("progress never runs backwards, and neither does the time left without a cause", () => {
  let time = 0;
  const rate = new Rate(1000, 0, () => time);
  assert.deepEqual(rate.pace(), { done: 0, total: 1000, rate: undefined, left: undefined });
  let left = Number.POSITIVE_INFINITY;
  let done = 0;
  for (const bytes of [100, 200, 150, 300, 290, 400, 500]) {
    time += 1000;
    rate.arrived(bytes);
    const pace = rate.pace();
    assert.ok(pace.done >= done, "bytes");
    assert.ok((pace.left ?? 1000) <= left, "time left");
    done = pace.done;
    left = pace.left ?? left;
  }
  assert.equal(done, 500);
  assert.equal(Math.round(rate.pace().rate ?? 0), 71);
  rate.broke();
  assert.deepEqual(rate.pace(), { done: 500, total: 1000, rate: undefined, left: undefined });
  rate.arrived(2000);
  assert.equal(rate.pace().done, 1000);
});

test("a record is read as it was written, and what is none is not read", () => {
  const items = new Map<string, string>();
  const all = records(() => ({
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  }));
  const record = { claim: partClaim(), until: 5, kept: "x", written: 7, passphrase: true, done: false };
  all.write("a", record);
  assert.deepEqual(all.read("a"), record);
  assert.equal(all.read("b"), undefined);
  all.write("a", undefined);
  assert.equal(items.size, 0);
  for (const bad of ["", "{", "{}", "null", '{"claim":"00","until":1}', `{"claim":"${"g".repeat(64)}","until":1}`]) {
    items.set("hush.file.a", bad);
    assert.equal(all.read("a"), undefined, bad);
  }
  const none = records(() => {
    throw new Error("forbidden");
  });
  none.write("a", record);
  assert.equal(none.read("a"), undefined);
});

const partClaim = () => new Uint8Array(32).map((_, i) => i);
const keys = {} as Keys;
const view: View = { size: 50, partSize: 10, parts: 5, arrived: 5, complete: true };
const preview = { kind: "file" as const, fileName: "a.bin", size: 50, count: 0, note: "" };

/** Scene is a download with a server, a browser and a place that a test controls. */
interface Scene {
  look?: (View | undefined | Refusal)[];
  /** What the server answers to reveals and keeps: that it is bound, or why not. */
  reveals?: (Refusal | "bound")[];
  keeps?: (Refusal | "bound")[];
  /** Why a part fails, once each. */
  parts?: Refusal[];
  acknowledges?: (Refusal | "done")[];
  /** Where in the body a check fails. */
  altered?: number;
  fault?: ContentError["fault"];
  sink?: Partial<Sink>;
  choose?: ("dismissed" | "none" | SinkError)[];
  record?: Record;
  hasPassphrase?: boolean;
  locked?: boolean;
  /** How many bytes the browser's own file has. */
  kept?: number;
}

function scene(given: Scene) {
  const clock = new Clock();
  const states: State[] = [];
  const written: number[] = [];
  const did: string[] = [];
  const stored = new Map<string, Record>(given.record ? [["id", given.record]] : []);
  const kept: Records = {
    read: (id) => stored.get(id),
    write: (id, record) => void (record ? stored.set(id, record) : stored.delete(id)),
  };
  const answer = async (answers: (Refusal | string)[] | undefined) => {
    const next = answers?.shift() ?? "bound";
    if (next instanceof Refusal) {
      throw next;
    }
  };
  const sink: Sink = {
    kind: "disk",
    kept: "",
    begin: async (from) => void did.push(`begin ${from}`),
    write: async (piece) => void written.push(...piece),
    flush: async () => void did.push("flush"),
    finish: async () => void did.push("finish"),
    abort: async () => {
      written.length = 0;
      did.push("abort");
    },
    ...given.sink,
  };
  const source: Source = {
    look: async () => {
      const next = given.look?.shift();
      if (next instanceof Refusal) {
        throw next;
      }
      return next;
    },
    keys: async () => keys,
    reveal: async () => {
      did.push("reveal");
      await answer(given.reveals);
      return { view, left: 7_200_000 };
    },
    keep: async () => {
      did.push("keep");
      await answer(given.keeps);
      return 7_200_000;
    },
    part: async (_, number) => {
      const lost = given.parts?.shift();
      if (lost) {
        throw lost;
      }
      return partOf(number);
    },
    acknowledge: async () => {
      did.push("acknowledge");
      await answer(given.acknowledges);
    },
  };
  const tools: Tools = {
    source,
    places: {
      has: () => true,
      asks: () => true,
      without: (kind) => did.push(`without ${kind}`),
      choose: async () => {
        did.push("choose");
        const next = given.choose?.shift();
        if (next instanceof SinkError) {
          throw next;
        }
        return next ?? sink;
      },
      resume: async (_, __, from) => (given.kept === from ? { ...sink, kind: "kept", kept: "file" } : undefined),
    } satisfies Places & { without: (kind: Sink["kind"]) => void },
    open: async (_, parts) => {
      const first = parts(0) as AsyncGenerator<Bytes>;
      const begin = (await first.next()).value as Bytes;
      return {
        header: { ...preview, mediaType: "" },
        body: async function* (from = 0) {
          let at = Math.floor(from / 10) * 10;
          const rest = from > 0 ? (parts(at / 10) as AsyncGenerator<Bytes>) : first;
          if (from === 0) {
            yield begin.slice();
            at = 10;
          }
          for await (const part of rest) {
            if (given.altered === at) {
              given.altered = undefined;
              throw new ContentError(given.fault ?? "altered");
            }
            at += 10;
            yield part.slice();
          }
        },
      };
    },
    records: kept,
    lock: async () => (given.locked ? undefined : () => void did.push("release")),
    world: clock,
    today: () => clock.time,
    newClaim: partClaim,
    unnamed: () => "file",
  };
  const download = new Download(tools, {
    id: "id",
    hasPassphrase: given.hasPassphrase ?? false,
    onState: (state) => states.push(state),
    onKnown: () => undefined,
  });
  const last = () => states.at(-1) as State;
  const whole = Array.from({ length: 50 }, (_, i) => Math.floor(i / 10));
  return { download, clock, states, last, written, did, stored, whole };
}

const shown = { ...view, preview };

test("a press chooses a place, opens, writes, and acknowledges once all is written", async () => {
  const { download, clock, last, written, did, stored, whole } = scene({});
  await download.start(shown);
  assert.deepEqual(last(), { at: "form" });
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.equal(last().at, "saved");
  assert.deepEqual(written, whole);
  assert.deepEqual(did, ["choose", "reveal", "begin 0", "finish", "acknowledge", "release"]);
  assert.equal(stored.size, 0);
});

test("nothing is opened for a visitor who chooses no place, and without one", async () => {
  for (const [choice, want] of [
    ["dismissed", { at: "form" }],
    ["none", { at: "form", trouble: "none" }],
    [new SinkError("room"), { at: "form", trouble: "room" }],
  ] as const) {
    const { download, last, did, stored } = scene({ choose: [choice] });
    await download.start(shown);
    await download.press("");
    assert.deepEqual(last(), want);
    assert.deepEqual([did, stored.size], [["choose"], 0]);
  }
});

test("a changed part is thrown away and not acknowledged, and the file is fetched again", async () => {
  const { download, clock, last, written, did, stored, whole } = scene({ altered: 30 });
  await download.start(shown);
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.equal(last().at === "held" && (last() as { why: string }).why, "altered");
  assert.deepEqual([written, did.includes("acknowledge"), stored.size], [[], false, 1]);
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.deepEqual([last().at, written], ["saved", whole]);
});

test("a file in a form that no page saves is not saved", async () => {
  const { download, clock, last, written, did } = scene({ altered: 40, fault: "size" });
  await download.start(shown);
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.deepEqual([last(), written, did.includes("acknowledge")], [{ at: "unfit" }, [], false]);
  const other = scene({});
  await other.download.start({ ...view, preview: { ...preview, fileName: "b.bin" } });
  await Promise.all([other.download.press(""), other.clock.pass(1000)]);
  assert.deepEqual([other.last(), other.did.includes("begin 0")], [{ at: "unfit" }, false]);
});

for (const fault of ["room", "cancelled", "lost"] as const) {
  test(`a place that fails (${fault}) leaves the file to the visitor`, async () => {
    let fails = true;
    const { download, clock, last, did, stored } = scene({
      sink: {
        write: async () => {
          if (fails) {
            fails = false;
            throw new SinkError(fault);
          }
        },
      },
    });
    await download.start(shown);
    await Promise.all([download.press(""), clock.pass(1000)]);
    assert.deepEqual(last(), { at: "held", why: fault, until: clock.time - 1000 + 7_200_000 });
    assert.deepEqual([did.includes("abort"), did.includes("without disk"), stored.size], [true, fault === "lost", 1]);
    await Promise.all([download.press(""), clock.pass(1000)]);
    assert.equal(last().at, "saved");
  });
}

test("a broken line goes on, and a claim that is over does not", async () => {
  const { download, clock, states, last, written, whole } = scene({ parts: [cut(), cut(), cut()] });
  await download.start(shown);
  await Promise.all([download.press(""), clock.pass(60_000)]);
  assert.deepEqual([last().at, written], ["saved", whole]);
  assert.ok(states.some((state) => "line" in state && state.line === "broken"));
  const over = scene({ parts: [cut(), refused("not_found"), refused("not_found")] });
  await over.download.start(shown);
  await Promise.all([over.download.press(""), over.clock.pass(60_000)]);
  assert.deepEqual([over.last(), over.stored.size], [{ at: "gone", lost: true }, 0]);
});

test("a refusal leaves the secret as it was, and the next press asks again", async () => {
  const { download, clock, last, stored } = scene({
    hasPassphrase: true,
    reveals: [refused("permission_denied", "passphrase", { triesLeft: 4 })],
  });
  await download.start(view);
  await download.press("wrong");
  assert.equal(last().at, "form");
  assert.equal((last() as { refusal: Refusal }).refusal.reason, "passphrase");
  assert.equal(stored.size, 0);
  await Promise.all([download.press("right"), clock.pass(1000)]);
  assert.equal(last().at === "held" && (last() as { why: string }).why, "opened");
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.equal(last().at, "saved");
});

test("the browser's downloads end on the visitor's word alone", async () => {
  const { download, clock, last, did } = scene({ sink: { kind: "browser" } });
  await download.start(shown);
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.equal(last().at, "confirming");
  await download.confirm(false);
  assert.equal(last().at, "held");
  assert.equal(did.includes("acknowledge"), false);
  await Promise.all([download.press(""), clock.pass(1000)]);
  await download.confirm(true);
  assert.equal(last().at, "saved");
  assert.equal(did.filter((what) => what === "acknowledge").length, 1);
});

test("an acknowledgement that is lost is repeated", async () => {
  const { download, clock, did, stored } = scene({ acknowledges: [cut(), cut()] });
  await download.start(shown);
  await Promise.all([download.press(""), clock.pass(60_000)]);
  assert.equal(did.filter((what) => what === "acknowledge").length, 3);
  assert.equal(stored.size, 0);
});

const record: Record = { claim: partClaim(), until: 9e9, kept: "", written: 0, passphrase: false, done: false };

test("a page that is loaded again has the file, and begins anew", async () => {
  const { download, clock, last, did, written, whole } = scene({ record });
  await Promise.all([download.start(undefined), clock.pass(1000)]);
  assert.equal(last().at === "held" && (last() as { why: string }).why, "reload");
  await Promise.all([download.press(""), clock.pass(1000)]);
  assert.deepEqual([last().at, written], ["saved", whole]);
  assert.equal(did[0], "keep");
});

test("a page that is loaded again goes on where the browser has the beginning", async () => {
  const { download, clock, last, did, written, whole } = scene({
    record: { ...record, kept: "file", written: 20 },
    kept: 20,
  });
  await Promise.all([download.start(undefined), clock.pass(1000)]);
  assert.deepEqual([last().at, written], ["saved", whole.slice(20)]);
  assert.deepEqual(did, ["keep", "reveal", "begin 20", "finish", "acknowledge"]);
});

test("a claim that is bound to nothing is forgotten", async () => {
  const waits = scene({ record, keeps: [cut(), refused("not_found")], look: [shown] });
  await Promise.all([waits.download.start(undefined), waits.clock.pass(60_000)]);
  assert.deepEqual([waits.last(), waits.stored.size], [{ at: "form" }, 0]);
  const gone = scene({ record, keeps: [refused("not_found")], look: [undefined] });
  await gone.download.start(undefined);
  assert.deepEqual([gone.last(), gone.stored.size], [{ at: "gone", lost: true }, 0]);
});

test("what was written before the page was loaded again is acknowledged", async () => {
  const { download, clock, last, did } = scene({ record: { ...record, done: true } });
  await Promise.all([download.start(undefined), clock.pass(1000)]);
  assert.deepEqual([last().at, did], ["saved", ["keep", "acknowledge", "release"]]);
});

test("a file that another tab has is not opened here", async () => {
  const { download, last, did } = scene({ locked: true });
  await download.start(shown);
  await download.press("");
  assert.deepEqual([last(), did], [{ at: "elsewhere" }, ["choose", "abort"]]);
});

test("a file that still arrives is waited for", async () => {
  const { download, clock, states, last } = scene({
    look: [{ ...view, arrived: 2, complete: false }, cut(), { ...shown, complete: true }],
  });
  await Promise.all([download.start({ ...view, arrived: 1, complete: false }), clock.pass(60_000)]);
  assert.deepEqual(
    states.flatMap((state) => (state.at === "arriving" ? [[state.part, state.line]] : [])),
    [
      [0.2, "up"],
      [0.4, "up"],
      [0.4, "broken"],
    ],
  );
  assert.deepEqual(last(), { at: "form" });
});

test("a file that stands still is kept, and one that is cancelled is thrown away", async () => {
  const { download, clock, last, did } = scene({ sink: { write: () => new Promise(() => undefined) } });
  await download.start(shown);
  const pressed = download.press("");
  await clock.pass(1_000_000);
  assert.equal(did.filter((what) => what === "keep").length, 3);
  download.cancel();
  await pressed;
  assert.equal(last().at === "held" && (last() as { why: string }).why, "cancelled");
  assert.equal(did.at(-1), "abort");
});
