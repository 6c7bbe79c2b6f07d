import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOfMissing } from "../src/missing";
import { fitted } from "../src/share/filename";

// The router asks for the browser's address and history, and texts for its languages.
const held = new Set<unknown>();
for (const [name, value] of Object.entries({
  navigator: { languages: ["en"] },
  document: { documentElement: {} },
  location: { pathname: "/", hash: "", search: "" },
  history: { state: null },
  addEventListener: (_: string, fn: unknown) => held.add(fn),
  removeEventListener: (_: string, fn: unknown) => held.delete(fn),
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}
const { change, fileOf, forget, isUnsent, kept, open, putFile, shared } = await import("../src/share/kept");
const { empty } = await import("../src/share/draft");
const { forgetAccount, setAccount } = await import("../src/session");
const { create } = await import("@bufbuild/protobuf");
const { AccountSchema } = await import("../src/gen/hush/v1/account_pb");

const file = { name: "a.txt", type: "", body: async () => new Uint8Array(), packed: [], sources: [] };

test("only what was written or chosen is unsent", () => {
  for (const [want, part, mode] of [
    [false, {}, "text"],
    [false, { text: " \n" }, "text"],
    [false, { passphrase: "open sesame", memo: "label", ttl: 300 }, "text"],
    [false, { text: "drawn by the page" }, "generate"],
    [true, { text: "written" }, "text"],
    [true, { file }, "file"],
  ] as const) {
    const aside = { text: "", generate: "", ask: "" };
    assert.equal(isUnsent({ draft: { ...empty, ...part }, mode, aside }), want, JSON.stringify([part, mode]));
  }
  const draft = { ...empty, text: "drawn by the page" };
  for (const aside of [
    { text: "written", generate: "", ask: "" },
    { text: "", file, generate: "", ask: "" },
  ]) {
    assert.equal(isUnsent({ draft, mode: "generate", aside }), true, "in another tab");
  }
});

test("each tab has what was in it, and the open one alone is shared", () => {
  const shared = () => {
    const { text, file, memo } = kept.peek().draft;
    return [text, file?.name, memo];
  };
  change({ draft: { ...empty, text: "written", memo: "label" } });
  open("generate");
  assert.deepEqual(shared(), ["", undefined, "label"]);
  change({ draft: { ...kept.peek().draft, text: "drawn" } });
  open("file");
  assert.deepEqual(shared(), ["", undefined, "label"]);
  change({ draft: { ...kept.peek().draft, file } });
  open("file");
  assert.deepEqual(shared(), ["", "a.txt", "label"]);
  open("text");
  assert.deepEqual(shared(), ["written", undefined, "label"]);
  open("generate");
  assert.deepEqual(shared(), ["drawn", undefined, "label"]);
  open("file");
  assert.deepEqual(shared(), ["", "a.txt", "label"]);
  forget();
});

test("what other tabs have stays when one was shared, under the kind that was stated", () => {
  const fill = () => {
    forget();
    change({ draft: { ...empty, text: "written", passphrase: "open sesame" }, stated: "server", chosen: "server" });
    open("generate");
    change({ draft: { ...kept.peek().draft, text: "drawn" } });
    open("file");
    change({ draft: { ...kept.peek().draft, file } });
  };
  const left = () => {
    const { draft, aside, stated, chosen } = kept.peek();
    return [draft.text, aside.generate, fileOf(kept.peek())?.name, draft.passphrase, stated, chosen];
  };
  fill();
  shared("file");
  assert.deepEqual(left(), ["written", "drawn", undefined, "", "server", "server"]);
  fill();
  open("text");
  shared("text");
  assert.deepEqual(left(), ["", "drawn", "a.txt", "", "server", "server"]);
  fill();
  shared("generate"); // another tab is open by now
  assert.deepEqual(left(), ["written", "", "a.txt", "", "server", "server"]);
  fill();
  putFile(undefined);
  open("text");
  shared("text");
  assert.deepEqual(left(), ["", "drawn", undefined, "", undefined, undefined]);
  forget();
});

test("a file is replaced in whichever tab is open", () => {
  change({ draft: { ...empty, file }, mode: "file" });
  putFile({ ...file, name: "b.txt" });
  assert.equal(kept.peek().draft.file?.name, "b.txt");
  open("text");
  putFile({ ...file, name: "c.txt" });
  assert.deepEqual([kept.peek().draft.file, fileOf(kept.peek())?.name], [undefined, "c.txt"]);
  forget();
});

test("the browser asks while something is unsent, and no longer", () => {
  assert.equal(held.size, 0, "at first");
  change({ draft: { ...empty, text: "written" } });
  change({ draft: { ...empty, text: "written on" } });
  assert.equal(held.size, 1, "with a draft");
  change({ draft: empty });
  assert.equal(held.size, 0, "with the text deleted");
  for (const end of [forget, forgetAccount]) {
    change({ draft: { ...empty, text: "written", passphrase: "open sesame" }, stated: "end_to_end" });
    assert.equal(held.size, 1);
    end();
    assert.deepEqual(
      [held.size, kept.value],
      [0, { draft: empty, mode: "text", aside: { text: "", generate: "", ask: "" } }],
    );
  }
});

test("an account that follows another in the tab finds no draft of it", () => {
  const [ada, bob] = ["a", "b"].map((accountId) => create(AccountSchema, { accountId }));
  assert.ok(ada && bob);
  setAccount(ada);
  change({ draft: { ...empty, text: "written by ada" } });
  setAccount(null); // her session ended elsewhere, or the line broke
  setAccount(ada);
  assert.equal(kept.value.draft.text, "written by ada");
  setAccount(null);
  setAccount(bob);
  assert.deepEqual(kept.value, { draft: empty, mode: "text", aside: { text: "", generate: "", ask: "" } });
});

test("a script that does not load has a cause", async () => {
  const page =
    (html: string, ok = true) =>
    async () => ({ ok, text: async () => html });
  const script = "/assets/app-1.js";
  const fails = () => Promise.reject(new TypeError("no line"));
  for (const [want, online, load] of [
    ["offline", false, fails],
    ["unreachable", true, fails],
    ["updated", true, page(`<script src="/assets/app-2.js">`)],
    ["failed", true, page(`<script src="${script}">`)],
    ["failed", true, page("Bad gateway", false)],
  ] as const) {
    assert.equal(await causeOfMissing({ online, script, load }), want);
  }
});

test("a name is shortened to what browsers save, before its ending", () => {
  assert.equal(fitted(`${"x".repeat(251)}.txt`, "", 200), `${"x".repeat(196)}.txt`);
  assert.equal(fitted(`${"ü".repeat(120)}.tar`, "", 200), `${"ü".repeat(98)}.tar`);
  assert.equal(fitted("notes.txt", "", 200), "notes.txt");
});
