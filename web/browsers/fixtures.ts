/*
 * What the tests share. In every test the pages must stay quiet: no error in the
 * console and no violation of the content security policy.
 */
import { test as base, expect } from "@playwright/test";
import { environment } from "../e2e/environment";
import { firefox } from "./firefox";
import { Visitor } from "./visitor";
import { webkit } from "./webkit";
import type { Browser } from "./window";

export { expect };
export const { url, ada, task, programs } = environment();

interface Fixtures {
  /** Opens a window of its own for a visitor. */
  visit: (options?: { javaScript?: boolean }) => Promise<Visitor>;
  sender: Visitor;
  recipient: Visitor;
}

export const test = base.extend<Fixtures, { started: Browser }>({
  started: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's parts from the pattern.
    async ({}, use) => {
      const { firefox: program = "", webkitDriver = "", xvfb = "" } = programs ?? {};
      const started = task === "firefox" ? firefox(program) : webkit(webkitDriver, xvfb);
      await use(started);
      await started.close();
    },
    { scope: "worker" },
  ],
  visit: async ({ started }, use) => {
    const visitors: Visitor[] = [];
    await use(async (options) => {
      const visitor = new Visitor(await started.open(options), url);
      visitors.push(visitor);
      return visitor;
    });
    const faults: string[] = [];
    for (const { window } of visitors) {
      faults.push(...(await window.faults()));
      await window.close();
    }
    expect(faults, "faults of the pages").toEqual([]);
  },
  sender: async ({ visit }, use) => use(await visit()),
  recipient: async ({ visit }, use) => use(await visit()),
});
