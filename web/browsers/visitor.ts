/* A person who uses the service with one of the browsers, and waits for what the page shows. */
import { expect } from "@playwright/test";
import { patience, type Target, type Window } from "./window";

type Kind = Target["kind"];

const timeout = patience;

/** Visitor uses one window. */
export class Visitor {
  constructor(
    readonly window: Window,
    private readonly service: string,
  ) {}

  /** goto opens an address of the service. */
  async goto(address: string): Promise<void> {
    await this.window.goto(new URL(address, this.service).href);
  }

  /** click waits until the element stays where it is, because a page that fills up moves it. */
  async click(kind: Kind, name: string): Promise<void> {
    const target = { kind, name };
    await this.retry(async () => {
      const before = await this.window.place(target);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await this.window.place(target), `place of ${name}`).toBe(before);
      await this.window.click(target);
    });
  }

  async fill(label: string, text: string): Promise<void> {
    await this.retry(() => this.window.fill({ kind: "field", name: label }, text));
  }

  async choose(selector: string, path: string): Promise<void> {
    await this.retry(() => this.window.choose({ kind: "selector", name: selector }, path));
  }

  /** sees waits until the page shows these words. */
  async sees(words: string): Promise<void> {
    await expect.poll(() => this.words(), { timeout }).toContain(words);
  }

  async seesHeading(name: string): Promise<void> {
    await expect.poll(() => this.texts("h1, h2, h3"), { timeout }).toContain(name);
  }

  /** words returns all words that the page shows. */
  words(): Promise<string> {
    return this.window.run(() => document.body.innerText.replace(/\u00a0/g, " "));
  }

  /** texts returns the texts of the elements with a selector that the page shows. */
  texts(selector: string): Promise<string[]> {
    return this.window.run(
      (selector) =>
        [...document.querySelectorAll(selector)]
          .filter((element) => element.checkVisibility())
          .map((element) => element.textContent?.trim() ?? ""),
      selector,
    );
  }

  address(): Promise<string> {
    return this.window.run(() => location.href);
  }

  private async retry(act: () => Promise<void>): Promise<void> {
    await expect(act).toPass({ timeout });
  }
}
