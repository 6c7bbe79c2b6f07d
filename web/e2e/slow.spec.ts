/* The task slow: a file of nearly 1 MiB is shared and opened over slow lines, in real time. */
import { readFile } from "node:fs/promises";
import { environment } from "./environment";
import { button, expect, links, signIn, test } from "./fixtures";
import { choose } from "./shareform";
import { t } from "./texts";

/** How long the page may take for everything on a line: twice what the line needs, and its scripts. */
const patience = (rate: number) => 2 * (1_100_000 / rate) * 1000 + 120_000;

for (const { rate, url, ada } of environment().slow ?? []) {
  test.describe(`at ${rate} bytes a second`, () => {
    test.use({ baseURL: url, actionTimeout: 120_000 });

    test("a file is shared and opened", async ({ page, other }) => {
      const body = Buffer.from("0123456789abcdef".repeat((1000 << 10) / 16));
      await signIn(page, ada);
      await page.goto("/", { timeout: 120_000 });
      await choose(page, { name: "backup.tar", mimeType: "application/x-tar", buffer: body });
      await button(page, t("share.submit")).click();
      await page.waitForURL(/\/r#/, { timeout: patience(rate) });
      const { link } = await links(page);

      await other.goto(link, { timeout: 120_000 });
      await button(other, t("open.reveal")).click();
      const save = button(other, t("reveal.file.save"));
      await expect(save).toBeVisible({ timeout: patience(rate) });
      const download = other.waitForEvent("download");
      await save.click();
      expect(body.equals(await readFile(await (await download).path()))).toBe(true);
    });
  });
}
