/*
 * What the tests ask of a browser. Each browser has a file that does it through
 * the protocol that this browser speaks; the tests know none of them.
 */

/** How long a page may take to load, and to show something, on a machine that does other work. */
export const patience = 60_000;

/** Browser opens windows that share neither cookies nor storage. */
export interface Browser {
  open(options?: { javaScript?: boolean }): Promise<Window>;
  close(): Promise<void>;
}

/** Window shows one page at a time. What it clicks and types arrives as from a person's mouse and keyboard. */
export interface Window {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** run calls a function in the page, which sees only its arguments. It works without JavaScript, too. */
  run<A extends string[], T>(call: (...args: A) => T, ...args: A): Promise<T>;
  /** place says where an element is, in words that are the same while it stays there. */
  place(target: Target): Promise<string>;
  click(target: Target): Promise<void>;
  /** fill replaces what is in a field. */
  fill(target: Target, text: string): Promise<void>;
  /** paste presses the keys that paste, in the element that has the focus. */
  paste(): Promise<void>;
  choose(target: Target, path: string): Promise<void>;
  /** The folder that takes what the page saves. */
  downloads: string;
  /** faults returns errors and warnings in the console, and violations of the content security policy. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}

/** Target is an element that is shown: by role and name, or by a selector. */
export interface Target {
  kind: "button" | "field" | "heading" | "link" | "menuitem" | "option" | "selector";
  name: string;
}

/**
 * find returns the only element that a target means, in the page. With a modal
 * dialog that is an element of the dialog.
 */
export function find(kind: string, name: string): Element | null {
  const selectors: Record<string, string> = {
    button: "button:not([role])",
    field: "input, textarea, select",
    heading: "h1, h2, h3",
    link: "a[href]",
    menuitem: "[role=menuitem]",
    option: "label",
  };
  const textOf = (element: Node | null) => element?.textContent?.replace(/\s+/g, " ").trim();
  const namesOf = (element: Element) => {
    // After a label's text there may be a word that the field is optional.
    const labels = [...((element as HTMLInputElement).labels ?? [])].flatMap((label) => [label, label.firstChild]);
    return [element.getAttribute("aria-label"), ...(kind === "field" ? labels : [element]).map(textOf)];
  };
  const scope = document.querySelector("dialog[open]") ?? document;
  const found = [...scope.querySelectorAll(selectors[kind] ?? name)].filter((element) =>
    kind === "selector" ? true : element.checkVisibility() && namesOf(element).includes(name),
  );
  if (found.length > 1) {
    throw new Error(`${kind} ${name}: got ${found.length} elements, want one`);
  }
  return found[0] ?? null;
}

/** missing is the error for a target that the page does not have. */
export function missing({ kind, name }: Target): Error {
  return new Error(`${kind} ${name}: got none, want one`);
}
