/*
 * The browser's tests need a service with a mail relay and a DNS server of its
 * own. `go test ./cmd/hush -run TestBrowser` starts them and passes their
 * addresses in the environment.
 */
import { availableParallelism } from "node:os";
import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import { brandedHost, environment } from "./e2e/environment";
import { screens } from "./e2e/screens";

const { url, chromium, task } = environment();

const desktop = { viewport: screens.desktop.viewport };
const phone = { ...screens.phone, hasTouch: true, isMobile: true };

// Playwright cannot drive these browsers: it only runs their tests.
const others = { testDir: "browsers", fullyParallel: false, timeout: 300_000 };

const otherTasks = ["**/screenshots.spec.ts", "**/canary.spec.ts", "**/slow.spec.ts"];

const projects: Record<typeof task, PlaywrightTestConfig["projects"]> = {
  test: [
    { name: "desktop", use: desktop, testIgnore: otherTasks },
    { name: "phone", use: phone, grep: /@phone/, testIgnore: otherTasks },
  ],
  screenshots: [
    { name: "desktop", use: desktop, testMatch: "**/screenshots.spec.ts" },
    { name: "phone", use: phone, testMatch: "**/screenshots.spec.ts" },
  ],
  canary: [{ name: "desktop", use: desktop, testMatch: "**/canary.spec.ts" }],
  slow: [{ name: "desktop", use: desktop, testMatch: "**/slow.spec.ts", timeout: 900_000 }],
  firefox: [{ name: "firefox", ...others }],
  webkit: [{ name: "webkit", ...others }],
};

export default defineConfig({
  testDir: "e2e",
  // Playwright empties it when it begins, and tasks may run side by side.
  outputDir: `.tmp/e2e/${task}`,
  projects: projects[task],
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: availableParallelism(),
  reporter: "list",
  // Generous: a wait that succeeds is not longer for it.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  use: {
    baseURL: url,
    locale: "en-GB",
    timezoneId: "UTC",
    colorScheme: "light",
    permissions: ["clipboard-read", "clipboard-write"],
    actionTimeout: 15_000,
    launchOptions: {
      executablePath: chromium,
      args: [
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        // The branded host resolves to the service.
        `--host-resolver-rules=MAP ${brandedHost} ${new URL(url).host}`,
      ],
    },
  },
});
