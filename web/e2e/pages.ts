import { ask, file } from "./asked";
import { ada, colonel, expect, type Page, signIn } from "./fixtures";
import { seal, text } from "./sealed";
import { conceal } from "./service";

/** The pages that need no preparation, and the account that they need. */
export interface Place {
  name: string;
  who?: "account" | "colonel";
  path: () => string | Promise<string>;
}

export const places: readonly Place[] = [
  { name: "share", path: () => "/" },
  { name: "open", path: async () => `/s#${(await conceal({ secret: "e2e secret", passphrase: "open sesame" })).key}` },
  { name: "gone", path: () => `/s#${"0".repeat(31)}` },
  { name: "incomplete", path: () => "/s#short" },
  {
    name: "open-endtoend",
    path: async () => `/e#${(await seal(text("e2e secret"), "open sesame")).fragment}`,
  },
  { name: "ask-link", path: () => "/e" },
  { name: "answer", path: async () => (await ask()).requestPlace },
  { name: "answer-full", path: async () => await full() },
  { name: "wrong-link", path: () => `/e#${"0".repeat(31)}${"z".repeat(43)}` },
  { name: "receipt", path: async () => `/r#${(await conceal({ secret: "e2e secret" })).receipt}` },
  {
    name: "group",
    path: async () => {
      const group = Buffer.alloc(16, 7).toString("base64");
      const [one, two] = [
        await conceal({ secret: "e2e secret", group }),
        await conceal({ secret: "e2e secret", group }),
      ];
      return `/r#${one.receipt}.${two.receipt}`;
    },
  },
  {
    name: "collect",
    path: async () => {
      const request = await ask();
      await request.answer("e2e secret");
      await request.answer(file("id_ed25519", "e2e secret"), "open sesame");
      return request.collectPlace;
    },
  },
  { name: "about", path: () => "/about" },
  { name: "security", path: () => "/security" },
  { name: "unknown", path: () => "/nowhere" },
  { name: "signin", path: () => "/signin" },
  { name: "signup", path: () => "/signup" },
  { name: "verify", path: () => `/verify/${"0".repeat(43)}` },
  { name: "reset", path: () => "/reset" },
  { name: "reset-password", path: () => `/reset/${"0".repeat(43)}` },
  { name: "confirm", path: () => `/confirm/${"0".repeat(43)}` },
  { name: "feedback", path: () => "/feedback" },
  { name: "history", path: () => "/recent" },
  { name: "recent", who: "account", path: () => "/recent" },
  { name: "account", who: "account", path: () => "/account" },
  { name: "requests", who: "account", path: () => "/account/requests" },
  { name: "tokens", who: "account", path: () => "/account/tokens" },
  { name: "domains", who: "account", path: () => "/account/domains" },
  { name: "domain", who: "account", path: () => "/account/domains/secrets.ada-team.com" },
  { name: "colonel", who: "colonel", path: () => "/colonel" },
];

/** full returns the place of a request that takes no more answers. */
async function full(): Promise<string> {
  const request = await ask({ answers: 1 });
  await request.answer("e2e secret");
  return request.requestPlace;
}

/** visit signs in if the page needs that, opens it and waits for its content. */
export async function visit(page: Page, { who, path }: Place): Promise<void> {
  if (who) {
    await signIn(page, who === "colonel" ? colonel : ada);
  }
  await page.goto(await path());
  await settle(page);
}

/** settle waits until the page loads nothing more. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect(page.locator(".loading, .skeleton")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}
