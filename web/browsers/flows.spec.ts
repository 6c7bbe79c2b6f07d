/* What people do most, on browsers that are not Chromium. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { t } from "../e2e/texts";
import { ada, expect, test, url } from "./fixtures";
import type { Visitor } from "./visitor";
import { patience } from "./window";

const ofDevice = /\/e#[0-9a-z]{31}[0-9A-Za-z]{43}$/;
const ofServer = /\/s#[0-9a-z]{31}$/;

/** share creates the link of a form that is filled in, and returns it. */
async function share(sender: Visitor): Promise<string> {
  await sender.click("button", t("share.submit"));
  await sender.seesHeading(t("receipt.fresh.title"));
  expect(await sender.address()).toMatch(/\/r#[0-9a-z]{31}$/);
  return await linkOf(sender);
}

/** linkOf returns the link in the field that a page has for it. */
async function linkOf(visitor: Visitor): Promise<string> {
  const value = () => visitor.window.run(() => document.querySelector<HTMLInputElement>(".link-field")?.value);
  await expect.poll(value, { timeout: patience }).toBeTruthy();
  return (await value()) ?? "";
}

/** shareText fills in the form first. */
async function shareText(sender: Visitor, text: string): Promise<string> {
  await sender.goto("/");
  await sender.fill(t("share.secret"), text);
  return await share(sender);
}

/** shown returns the revealed text as it is in the page. */
async function shown(visitor: Visitor): Promise<string> {
  await expect.poll(() => visitor.texts(`[role=region][aria-label="${t("open.secret")}"]`)).toHaveLength(1);
  const [text] = await visitor.texts(`[role=region][aria-label="${t("open.secret")}"]`);
  return text ?? "";
}

/** expectGone opens a link that was used. */
async function expectGone(recipient: Visitor, link: string): Promise<void> {
  await recipient.goto("/about");
  await recipient.goto(link);
  await recipient.seesHeading(t("open.gone.title"));
}

test("a text goes from sender to recipient once, and the receipt tells of it", async ({ sender, recipient }) => {
  const link = await shareText(sender, "e2e secret of two\n  lines äöü");
  expect(link).toMatch(ofDevice);
  await sender.seesHeading(t("receipt.state.waiting"));
  await sender.click("button", t("result.copy"));
  await sender.sees(t("result.copied"));

  // What was copied arrives where the recipient pastes it.
  await recipient.goto("/");
  await recipient.click("field", t("share.secret"));
  await recipient.window.paste();
  await expect.poll(() => recipient.window.run(() => document.querySelector("textarea")?.value)).toBe(link);

  await recipient.goto(link);
  await recipient.sees(t("encryption.end_to_end"));
  await recipient.click("button", t("open.reveal"));
  expect(await shown(recipient)).toBe("e2e secret of two\n  lines äöü");
  expect(await recipient.address()).toBe(`${url}/e`);
  await sender.seesHeading(t("receipt.state.received"));
  await expectGone(recipient, link);
});

test("a passphrase opens on the device after a wrong one", async ({ sender, recipient }) => {
  await sender.goto("/");
  await sender.fill(t("share.secret"), "e2e secret behind a passphrase");
  await sender.click("button", t("share.passphrase"));
  await sender.fill(t("share.passphrase"), "open sesame é");
  const link = await share(sender);

  await recipient.goto(link);
  await recipient.fill(t("open.passphrase"), "closed sesame");
  await recipient.click("button", t("open.reveal"));
  await recipient.sees(t("open.passphrase.wrong.other", { count: "4" }));
  await recipient.fill(t("open.passphrase"), "open sesame é");
  await recipient.click("button", t("open.reveal"));
  expect(await shown(recipient)).toBe("e2e secret behind a passphrase");
  await sender.seesHeading(t("receipt.state.received"));
});

test("the server's kind is opened by a short link", async ({ sender, recipient }) => {
  await sender.goto("/");
  await sender.click("button", t("share.more"));
  await sender.click("option", t("encryption.server"));
  await sender.fill(t("share.secret"), "e2e secret of the server's kind");
  const link = await share(sender);
  expect(link).toMatch(ofServer);
  await sender.window.reload();
  expect(await linkOf(sender)).toBe(link);

  await recipient.goto(link);
  await recipient.click("button", t("open.reveal"));
  expect(await shown(recipient)).toBe("e2e secret of the server's kind");
  await sender.seesHeading(t("receipt.state.received"));
  await expectGone(recipient, link);
});

test("a file arrives as it was sent", async ({ sender, recipient }) => {
  const body = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256));
  const name = `e2e file ${crypto.randomUUID().slice(0, 8)}.bin`;
  const path = test.info().outputPath(name);
  writeFileSync(path, body);
  await sender.goto("/");
  await sender.click("option", t("share.mode.file"));
  await sender.choose("input[type=file]", path);
  await sender.sees(name);
  const link = await share(sender);

  await recipient.goto(link);
  await recipient.click("button", t("open.reveal"));
  await recipient.sees(name);
  await recipient.click("button", t("reveal.file.save"));
  const folder = recipient.window.downloads;
  await expect.poll(() => readdirSync(folder), { timeout: patience }).toContain(name);
  await expect.poll(() => readFileSync(join(folder, name)).equals(body), "the saved file").toBe(true);
  await sender.seesHeading(t("receipt.state.received"));
});

test("the sender burns a secret from its receipt", async ({ sender, recipient }) => {
  const link = await shareText(sender, "e2e secret to burn");
  await sender.click("button", t("receipt.burn"));
  await sender.click("button", t("ui.cancel"));
  await sender.seesHeading(t("receipt.state.waiting"));
  await sender.click("button", t("receipt.burn"));
  await sender.seesHeading(t("receipt.burn.title"));
  await sender.click("button", t("burn.confirm"));
  await sender.seesHeading(t("receipt.state.burned"));
  await expectGone(recipient, link);
});

test("a secret is asked for, answered on another device, and read once", async ({
  sender: responder,
  recipient: requester,
}) => {
  await requester.goto("/");
  await requester.click("option", t("share.mode.ask"));
  await requester.fill(t("ask.title"), "Deploy key for staging");
  await requester.click("button", t("share.submit"));
  await requester.sees(t("collect.none"));
  const collect = await requester.address();
  expect(collect).toMatch(/\/c#[0-9a-z]{31}[0-9A-Za-z]{43}$/);
  const link = await linkOf(requester);
  expect(link).toMatch(/\/q#[0-9a-z]{31}[0-9A-Za-z]{43}$/);

  await responder.goto(link);
  await responder.sees("Deploy key for staging");
  await responder.fill(t("answer.text"), "e2e secret that was asked for");
  await responder.click("button", t("answer.submit"));
  await responder.seesHeading(t("receipt.state.waiting"));

  await requester.click("button", t("collect.open.named", { number: "1" }));
  await requester.click("button", t("collect.opening.open"));
  expect(await shown(requester)).toBe("e2e secret that was asked for");
  await responder.seesHeading(t("receipt.state.received"));
  await requester.goto("/about");
  await requester.goto(collect);
  await requester.sees(t("collect.phase.opened"));
});

test("a person signs in and out", async ({ sender }) => {
  await sender.goto("/account");
  await sender.seesHeading(t("signin.title"));
  await sender.fill(t("address.label"), ada.address);
  await sender.fill(t("password.label"), "not the password");
  await sender.click("button", t("signin.submit"));
  await sender.sees(t("problem.credentials"));
  await sender.fill(t("password.label"), ada.password);
  await sender.click("button", t("signin.submit"));
  await sender.seesHeading(t("account.title"));
  await sender.window.reload();
  await sender.seesHeading(t("account.title"));
  await sender.click("button", `${t("app.account_menu")}: ${ada.address}`);
  await sender.click("menuitem", t("app.signout"));
  await sender.sees(t("app.signin"));
  await sender.goto("/account");
  await sender.seesHeading(t("signin.title"));
});

test("without JavaScript a secret is shared and opened by forms", async ({ visit }) => {
  const sender = await visit({ javaScript: false });
  const text = "e2e secret\n  without <b>scripts</b>";
  await sender.goto("/");
  await sender.fill("Your secret", text);
  await sender.fill("Passphrase (optional)", "open sesame");
  await sender.click("button", "Create link");
  await sender.seesHeading("Your link is ready");
  const [link, open] = await sender.texts(".link-text");
  expect(link).toMatch(ofServer);
  await sender.goto(open ?? "");
  await sender.fill("Passphrase", "closed sesame");
  await sender.click("button", "Reveal");
  await sender.sees("Wrong passphrase; the secret is still there. Attempts left before a pause: 4");
  await sender.fill("Passphrase", "open sesame");
  await sender.click("button", "Reveal");
  await expect.poll(() => sender.texts("pre")).toEqual([text]);
});
