/* What pages that open a secret send. */
import { expect, type Page } from "./fixtures";

/** requests records what a page sends: addresses, headers and bodies. */
export function requests(page: Page): string[] {
  const all: string[] = [];
  page.on("request", (request) => {
    all.push([request.method(), request.url(), JSON.stringify(request.headers()), request.postData() ?? ""].join(" "));
  });
  return all;
}

/** expectUnsent expects that no request holds any of these. */
export function expectUnsent(sent: string[], canaries: string[]): void {
  expect(
    sent.some((request) => request.includes("/hush.v1.SecretService/")),
    "the requests were recorded",
  ).toBe(true);
  for (const canary of canaries) {
    expect(sent.filter((request) => request.includes(canary))).toEqual([]);
  }
}

/** asked counts the calls of a method. */
export const asked = (sent: string[], method: string) =>
  sent.filter((request) => request.includes(`/${method} `)).length;
