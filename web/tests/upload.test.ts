import assert from "node:assert/strict";
import { test } from "node:test";
import { derive } from "../src/endtoend/keys";
import { openPreview } from "../src/endtoend/preview";
import { sizeOfParts } from "../src/endtoend/sealparts";
import { stretch } from "../src/endtoend/stretch";
import type { Account } from "../src/gen/hush/v1/account_pb";
import type { GetPolicyResponse } from "../src/gen/hush/v1/system_service_pb";
import { type Code, Refusal } from "../src/refusal";
import { account, policy } from "../src/session";
import { empty, type Whole } from "../src/share/draft";
import { Meter } from "../src/upload/meter";
import { SourceError, sendParts } from "../src/upload/parts";
import { pauseFor, persist } from "../src/upload/persist";
import type { State } from "../src/upload/running";
import { Slots } from "../src/upload/slots";
import { begin, type Calls } from "../src/upload/upload";

// Texts ask for the browser's languages, and a catalogue that is loaded names the document's.
for (const [name, value] of Object.entries({
  navigator: { languages: ["en"] },
  document: { documentElement: {} },
  location: { origin: "https://hush.example", pathname: "/", hash: "", search: "" },
  history: { state: null },
  addEventListener: (): void => undefined,
  removeEventListener: (): void => undefined,
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
const { cleanNote, sealBeginning } = await import("../src/upload/conceal");
const { fileLimit, largest, lengthOf, whole } = await import("../src/upload/large");
const { check } = await import("../src/share/check");
const { chosen, FilesError } = await import("../src/share/files");

const refused = (code: Code, more: Partial<Refusal> = {}) => new Refusal("", { code, ...more });
const part = (n: number) => new Uint8Array(10).fill(n);
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function* partsOf(count: number) {
  for (let n = 0; n < count; n++) {
    yield part(n);
  }
}

test("parts are sent two at a time, with their numbers, and each is made when there is room", async () => {
  let made = 0;
  const finish: (() => void)[] = [];
  const sent: [number, number][] = [];
  async function* source() {
    for (; made < 5; ) {
      yield part(made++);
    }
  }
  const done = sendParts(
    source(),
    (number, content) => {
      sent.push([number, content[0] as number]);
      return new Promise((resolve) => finish.push(resolve));
    },
    new AbortController().signal,
  );
  await settled();
  assert.deepEqual([sent.length, made], [2, 2]);
  for (let n = 0; n < 5; n++) {
    finish.pop()?.();
    await settled();
    assert.ok(made <= Math.min(5, n + 3), `${made} parts were made when ${n + 1} had arrived`);
  }
  finish.pop()?.();
  await done;
  assert.deepEqual(
    sent,
    [0, 1, 2, 3, 4].map((n) => [n, n]),
  );
});

test("the first failure ends the sending, and the other parts on their way", async () => {
  const aborted: number[] = [];
  const put = (number: number, _: Uint8Array, signal: AbortSignal) =>
    number === 0
      ? Promise.reject(refused("not_found"))
      : new Promise<void>((_, reject) => {
          const end = () => {
            aborted.push(number);
            reject(refused("canceled"));
          };
          signal.addEventListener("abort", end);
        });
  await assert.rejects(sendParts(partsOf(4), put, new AbortController().signal), { code: "not_found" });
  assert.ok(aborted.every((number) => number < 3));
});

test("what cannot be read is told apart from what cannot be sent", async () => {
  async function* broken() {
    yield part(0);
    throw new DOMException("changed", "NotReadableError");
  }
  await assert.rejects(
    sendParts(broken(), async () => {}, new AbortController().signal),
    SourceError,
  );
});

test("calls are repeated after what may pass, and after nothing else", async () => {
  for (const code of ["offline", "unknown", "internal", "unavailable", "deadline_exceeded", "aborted"] as const) {
    assert.equal(pauseFor(refused(code)), "line", code);
  }
  assert.equal(pauseFor(refused("resource_exhausted", { reason: "rate_limited" })), "service");
  for (const code of [
    "not_found",
    "permission_denied",
    "invalid_argument",
    "already_exists",
    "unimplemented",
  ] as const) {
    assert.equal(pauseFor(refused(code)), undefined, code);
  }
  assert.equal(pauseFor(new TypeError("a mistake of this page")), undefined);
  assert.equal(pauseFor(new Refusal("HTTP 413", { code: "unknown" })), undefined, "a proxy that takes no part");

  const waits: number[] = [];
  const answers = [refused("offline"), refused("offline"), refused("resource_exhausted", { retryAfter: 90 }), "done"];
  const call = async () => {
    const answer = answers.shift();
    if (answer instanceof Refusal) {
      throw answer;
    }
    return answer;
  };
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  assert.equal(await persist(call, { signal: new AbortController().signal, onPause: () => {}, wait }), "done");
  assert.ok(waits[0]! >= 750 && waits[0]! <= 1250 && waits[1]! >= 1500 && waits[1]! <= 2500, `${waits}`);
  assert.equal(waits[2], 90_000);
});

test("progress never runs backwards, and the rate is that of the last seconds", () => {
  let now = 0;
  const meter = new Meter(1000, () => now);
  const at = (time: number, fn: () => void) => {
    now = time;
    fn();
    return meter.progress();
  };
  assert.deepEqual(meter.progress(), { part: 0, rate: 0, left: undefined });
  assert.deepEqual(
    at(2000, () => meter.sent(0, 200)),
    { part: 0.2, rate: 100, left: 8 },
  );
  assert.equal(at(2500, () => meter.lost(0)).part, 0.2, "after a broken line");
  assert.equal(at(3000, () => meter.sent(0, 50)).part, 0.2, "while it is sent again");
  assert.equal(at(4000, () => meter.arrived(0, 400)).part, 0.4);
  assert.equal(at(4001, () => meter.paused()).rate, 0);
  assert.equal(at(4002, () => meter.restart()).part, 0.4, "when it begins anew");
  assert.equal(at(9000, () => meter.arrived(0, 400)).part, 0.4);
  assert.equal(at(9500, () => meter.sent(1, 700)).part, 1, "no more than all");
});

test("slots let so many tasks run at a time, in a row", async () => {
  const slots = new Slots(2);
  const ran: number[] = [];
  const go: (() => void)[] = [];
  const task = (n: number) => () => {
    ran.push(n);
    return n === 1 ? Promise.reject(new Error("failed")) : new Promise<void>((resolve) => go.push(resolve));
  };
  const all = [0, 1, 2, 3].map((n) => slots.run(task(n)).catch(() => undefined));
  await settled();
  assert.deepEqual(ran, [0, 1, 2]);
  go.shift()?.();
  await settled();
  assert.deepEqual(ran, [0, 1, 2, 3]);
  for (const next of go) {
    next();
  }
  await Promise.all(all);
});

/** scene begins an upload of three parts. */
function scene(calls: Partial<Calls> = {}, parts: () => AsyncIterable<Uint8Array<ArrayBuffer>> = () => partsOf(3)) {
  const made: string[] = [];
  const states: State[] = [];
  let now = 0;
  const own: Calls = {
    put: async (number) => void made.push(`put ${number}`),
    restart: async () => void made.push("restart"),
    finish: async () => void made.push("finish"),
    cancel: async () => void made.push("cancel"),
    ...calls,
  };
  const world = { now: () => (now += 1000), wait: async () => void made.push("wait") };
  const upload = begin({ name: "a.bin", size: 30, parts }, own, world);
  const over = new Promise<State>((resolve) => {
    upload.state.subscribe((state) => {
      states.push(state);
      if (state.at !== "sending") {
        resolve(state);
      }
    });
  });
  return { upload, made, states, over };
}

test("an upload sends all parts and finishes", async () => {
  const { made, over } = scene();
  assert.deepEqual(await over, { at: "arrived" });
  assert.deepEqual(made, ["put 0", "put 1", "put 2", "finish"]);
});

test("a part is sent again byte for byte after a broken line, and says that the line is down", async () => {
  const sent: Uint8Array[] = [];
  const { states, over } = scene({
    put: async (number, content) => {
      if (number === 1) {
        sent.push(content);
        if (sent.length < 4) {
          throw refused(sent.length === 1 ? "offline" : "unavailable");
        }
      }
    },
  });
  assert.deepEqual(await over, { at: "arrived" });
  assert.equal(sent.length, 4);
  assert.ok(sent.every((content) => content === sent[0]));
  assert.ok(states.some((state) => state.at === "sending" && state.pause === "line"));
  const shown = states.flatMap((state) => (state.at === "sending" ? [state.progress.part] : []));
  assert.deepEqual(
    shown,
    [...shown].sort((a, b) => a - b),
  );
});

test("a service that lost parts gets all of them anew, under another salt", async () => {
  let begun = 0;
  let finished = 0;
  const { made, over } = scene(
    {
      finish: async () => {
        finished += 1;
        if (finished === 1) {
          throw refused("failed_precondition", { reason: "arriving" });
        }
      },
    },
    () => {
      begun += 1;
      return partsOf(3);
    },
  );
  assert.deepEqual(await over, { at: "arrived" });
  assert.deepEqual([begun, finished, made.filter((call) => call === "restart").length], [2, 2, 1]);
});

test("what has changed is not sent on, and what had arrived is deleted", async () => {
  const { made, over } = scene({}, async function* () {
    yield part(0);
    throw new DOMException("changed", "NotReadableError");
  });
  assert.deepEqual(await over, { at: "failed", failure: { why: "source" } });
  await settled();
  assert.ok(made.includes("cancel") && !made.includes("finish"), made.join());
});

test("an upload that ended says why", async () => {
  for (const [thrown, why, cancels] of [
    [refused("not_found"), "gone", false],
    [new Refusal("HTTP 413", { code: "unknown" }), "proxy", true],
    [refused("permission_denied"), "refused", true],
  ] as const) {
    const { made, over } = scene({ put: () => Promise.reject(thrown) });
    const state = await over;
    assert.equal(state.at === "failed" && state.failure.why, why);
    await settled();
    assert.equal(made.includes("cancel"), cancels, why);
  }
});

test("an upload that is canceled sends nothing any more, and tells the service until it knows", async () => {
  let tries = 0;
  const { upload, made, over } = scene({
    put: (_number, _content, _onSent, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(refused("canceled")))),
    cancel: async () => {
      tries += 1;
      if (tries < 3) {
        throw refused("offline");
      }
    },
  });
  await settled();
  upload.cancel();
  upload.cancel();
  assert.deepEqual(await over, { at: "canceled" });
  await settled();
  assert.equal(tries, 3);
  assert.ok(!made.includes("finish"));
  assert.deepEqual(upload.state.peek(), { at: "canceled" });
});

/** withPolicy sets the policy, of a visitor without an account, until fn has returned. */
async function withPolicy(part: Partial<GetPolicyResponse>, fn: () => void | Promise<void>): Promise<void> {
  policy.value = { encryptions: [], ...part } as Partial<GetPolicyResponse> as GetPolicyResponse;
  account.value = null;
  try {
    await fn();
  } finally {
    policy.value = undefined;
    account.value = undefined;
  }
}

const limits = { anonymousSecret: 100n, accountSecret: 200n, anonymousFile: 1000n, accountFile: 5000n };
const sized = (size: number, name = "a.bin") => new File([new Uint8Array(size)], name);

test("the limit of files is that of the visitor, and none where it is not known yet", async () => {
  assert.equal(fileLimit(), Number.MAX_SAFE_INTEGER);
  await withPolicy(limits, () => {
    assert.deepEqual([fileLimit(), largest()], [1000, 1000]);
    account.value = { secretLimit: 200n } as Account;
    assert.deepEqual([fileLimit(), largest()], [5000, 5000]);
  });
  await withPolicy({ ...limits, anonymousFile: 0n }, () => {
    assert.deepEqual([fileLimit(), largest()], [0, 100], "where no files are taken");
  });
});

test("what fits one message is read whole, and what does not is not read", async () => {
  await withPolicy(limits, async () => {
    const take = async (...files: File[]) => {
      const file = chosen(files, largest, () => 100);
      const { file: shared } = await whole({ ...empty, file });
      return [shared?.body.length, shared?.large?.size, shared?.count] as const;
    };
    assert.deepEqual(await take(sized(100)), [100, undefined, undefined]);
    assert.deepEqual(await take(sized(101)), [0, 101, 0]);
    const noise = () => crypto.getRandomValues(new Uint8Array(80));
    const [body, large, count] = await take(new File([noise()], "a"), new File([noise()], "b"));
    assert.ok(body === 0 && (large ?? 0) > 160 && count === 2, "an archive that is too large");
    const gone = Object.defineProperty(sized(101), "slice", {
      value: () => ({ arrayBuffer: () => Promise.reject(new DOMException("gone", "NotFoundError")) }),
    });
    await assert.rejects(lengthOf(chosen([gone], largest, () => 100)!), FilesError);
  });
});

test("a large file is held to its own limit, and goes to one recipient", async () => {
  await withPolicy(limits, () => {
    const problemOf = (size: number, part: Partial<Whole> = {}) =>
      check(
        { ...empty, ...part, file: { name: "a", type: "", body: new Uint8Array(), large: sized(size), count: 0 } },
        "end_to_end",
      ).field;
    assert.equal(problemOf(1000), undefined);
    assert.equal(problemOf(1001), "form");
    assert.equal(problemOf(500, { recipients: "ada" }), undefined);
    assert.equal(problemOf(500, { recipients: "ada, bob" }), "recipients");
  });
});

test("name, size and note are in the preview, and nowhere with a passphrase", async () => {
  const file = { name: "plans.bin", type: "", body: new Uint8Array(), large: sized(1000), count: 3 };
  const draft: Whole = { ...empty, file, note: " Two\r\nlines\u202e of\tit \u0000" };
  const { secret, keys, request } = await sealBeginning(draft, file.large, stretch);
  assert.deepEqual(await openPreview(secret, request.preview), {
    kind: "file",
    fileName: "plans.bin",
    size: 1000,
    count: 3,
    note: "Two\nlines of it",
  });
  const header = { kind: "file", fileName: "plans.bin", mediaType: "", size: 1000 } as const;
  assert.equal(request.size, BigInt(sizeOfParts(header)));
  assert.deepEqual(keys, await derive(secret, "", stretch));
  const behind = await sealBeginning({ ...draft, passphrase: "quick otter" }, file.large, stretch);
  assert.deepEqual([behind.request.preview.length, behind.request.hasPassphrase], [0, true]);
  assert.notDeepEqual(behind.request.uploadToken, request.uploadToken);
});

test("a note keeps its lines and its characters", () => {
  assert.equal(cleanNote("a\r\nb\rc"), "a\nb\nc");
  assert.equal(cleanNote("\u{1f469}\u200d\u{1f4bb} שלום"), "\u{1f469}\u200d\u{1f4bb} שלום");
});
