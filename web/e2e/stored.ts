import type { Page } from "@playwright/test";

/** stored returns all that scripts of the page can read from the browser. */
export async function stored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const workers = await navigator.serviceWorker.getRegistrations();
    return JSON.stringify({
      local: { ...localStorage },
      session: { ...sessionStorage },
      databases: databases.map(({ name }) => name),
      caches: await caches.keys(),
      workers: workers.map(({ scope }) => scope),
      cookie: document.cookie,
      name: window.name,
      state: history.state as unknown,
    });
  });
}
