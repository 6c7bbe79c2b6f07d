/* The form that shares, and what pages with it send. */
import type { BrowserContext, Page, Request } from "@playwright/test";
import { parse } from "../src/endtoend/link";
import { button, expect, links } from "./fixtures";
import { t } from "./texts";

export const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
export const field = (page: Page) => page.getByLabel(t("share.secret"));
export const passphrase = (page: Page) => page.getByRole("textbox", { name: t("share.passphrase") });
export const tab = (page: Page, mode: "text" | "file" | "generate" | "ask") =>
  page.getByText(t(`share.mode.${mode}`), { exact: true });

/** unfold shows what a chip of the form has: the passphrase, or what few people need. */
export async function unfold(page: Page, chip: "passphrase" | "more"): Promise<void> {
  const button = page.locator("button.chip", { hasText: t(`share.${chip}`) });
  if ((await button.getAttribute("aria-expanded")) === "false") {
    await button.click();
  }
}

/** fillPassphrase types a passphrase into its field, which it unfolds. */
export async function fillPassphrase(page: Page, text: string): Promise<void> {
  await unfold(page, "passphrase");
  await passphrase(page).fill(text);
}

/** chooseKind chooses who encrypts. */
export async function chooseKind(page: Page, kind: "end_to_end" | "server"): Promise<void> {
  await unfold(page, "more");
  await page
    .getByRole("group", { name: t("share.kind") })
    .getByText(t(`encryption.${kind}`), { exact: true })
    .click();
}

/** expectKind asserts which kind the form says that it shares. */
export async function expectKind(page: Page, kind: "end_to_end" | "server"): Promise<void> {
  await expect(page.getByRole("list", { name: t("share.promises.title") })).toContainText(t(`encryption.${kind}`));
}
export const endToEndLink = /^http:\/\/[^/]+\/e#[0-9a-z]{31}[0-9A-Za-z]{43}$/;

/** shareText shares a text from the open form, and returns the links. */
export async function shareText(page: Page, text: string) {
  await field(page).fill(text);
  await button(page, t("share.submit")).click();
  return await links(page);
}

/** requests records what a browser sends: the address, the headers and the body of every request. */
export function requests(context: BrowserContext): Request[] {
  const sent: Request[] = [];
  context.on("request", (request) => void sent.push(request));
  return sent;
}

/** secretOf returns the bytes of a link's secret. */
export function secretOf(link: string): Uint8Array {
  const parsed = parse(new URL(link).hash.slice(1));
  if (typeof parsed === "string") {
    throw new Error(`${link}: got a link that is ${parsed}, want a whole one`);
  }
  return parsed.secret;
}

/** expectNone asserts that no request holds any of these, as they are or encoded. */
export async function expectNone(sent: Request[], ...hidden: (string | Uint8Array)[]): Promise<void> {
  for (const request of sent) {
    const body = request.postDataBuffer() ?? Buffer.alloc(0);
    const plain = `${request.url()}\n${JSON.stringify(await request.allHeaders())}\n${body.toString("latin1")}`;
    const all = plain + (plain.match(/[\w+/-]{8,}/g) ?? []).map((run) => Buffer.from(run, "base64").toString("latin1"));
    for (const one of hidden) {
      const bytes = Buffer.from(one);
      for (const form of [
        bytes.toString("latin1"),
        bytes.toString("base64").replace(/=+$/, ""),
        bytes.toString("base64url"),
        bytes.toString("hex"),
        encodeURIComponent(bytes.toString()),
      ]) {
        expect(all.includes(form), `${request.method()} ${request.url()} holds ${form}`).toBe(false);
      }
    }
  }
}

/** choose picks files as a visitor does. */
export async function choose(
  page: Page,
  ...files: { name: string; mimeType: string; buffer: Buffer }[]
): Promise<void> {
  await tab(page, "file").click();
  const chooser = page.waitForEvent("filechooser");
  await button(page, t("file.choose")).click();
  await (await chooser).setFiles(files);
}

export const text = (name: string, body: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(body) });

/** hand drops or pastes files in the middle of the page. */
export async function hand(
  page: Page,
  kind: "drop" | "paste",
  ...files: [name: string, body: string][]
): Promise<void> {
  await page.evaluate(
    ([kind, files]) => {
      const data = new DataTransfer();
      for (const [name, body] of files) {
        data.items.add(new File([body], name, { type: "text/plain" }));
      }
      const event =
        kind === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector("main")?.dispatchEvent(event);
    },
    [kind, files] as const,
  );
}

export type Answer = Record<string, Record<string, unknown>>;

/** change changes the answers of a call before the page sees them. */
export async function change(page: Page, procedure: string, fn: (answer: Answer) => object): Promise<void> {
  await page.route(`**/hush.v1.${procedure}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: fn((await answer.json()) as Answer) });
  });
}
