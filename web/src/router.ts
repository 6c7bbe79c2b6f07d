import { signal } from "@preact/signals";
import { mended } from "./link";

/** Place is an address within the UI. */
export interface Place {
  /** The path without query and fragment; starts with a slash. */
  path: string;
  /** The fragment with its #, or empty. It may contain a key. */
  hash: string;
  query: URLSearchParams;
  /** Whether the fragment was in the path that was requested: a mail gateway had escaped the #. */
  mangled: boolean;
  /** When a secret was opened at this entry of the history; undefined if none was. */
  opened: Date | undefined;
  /** Counts navigations, so that two visits to the same path differ. */
  visit: number;
}

/** PageProps is what a page receives: the values of its path's parameters. */
export interface PageProps {
  params: Record<string, string>;
}

/** The place that is shown. */
export const place = signal<Place>(here(0));

/** Whether the visitor has navigated. The first page does not take the focus. */
export let hasNavigated = false;

/**
 * State is what an entry of the history has: where it stands among those of this page, and
 * when a secret was opened there, in milliseconds. It has nothing of its key or its link.
 */
interface State {
  id: number;
  opened?: number;
}

/** The scroll positions of earlier visits, by the id of their entry. */
const scrolls = new Map<number, number>();
/** The entry that is shown. The ids count from the first entry to the last, also across a reload. */
let current = idOf(history.state) ?? 0;
/** Whether the browser is on its way back to the current entry. */
let returning = false;
/** What to note once it is there. */
let noteWhenBack: (() => void) | undefined;

function idOf(state: unknown): number | undefined {
  const id = (state as State | null)?.id;
  return typeof id === "number" ? id : undefined;
}

function openedIn(state: unknown): Date | undefined {
  const opened = (state as State | null)?.opened;
  return typeof opened === "number" ? new Date(opened) : undefined;
}

function here(visit: number): Place {
  return {
    path: location.pathname,
    hash: location.hash,
    query: new URLSearchParams(location.search),
    mangled: false,
    opened: openedIn(history.state),
    visit,
  };
}

/** navigate goes to a path of the UI. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (!mayLeave()) {
    return;
  }
  notifyLeave();
  // On its way back the browser is at another entry, and goes on to the one that is made there.
  const at = returning ? (idOf(history.state) ?? current + 1) : current;
  current = options.replace ? at : at + 1;
  const state: State = { id: current };
  if (options.replace) {
    history.replaceState(state, "", to);
  } else {
    history.pushState(state, "", to);
  }
  showPlace(0);
}

type LeaveListener = () => void;
const leaveListeners = new Set<LeaveListener>();

/** onLeave calls fn before another place is shown. It returns a function that cancels that. */
export function onLeave(fn: LeaveListener): () => void {
  leaveListeners.add(fn);
  return () => leaveListeners.delete(fn);
}

/** What askBeforeLeaving asks; undefined if the visitor may just leave. */
let question: (() => string) | undefined;

/**
 * askBeforeLeaving makes the visitor confirm before the page is left, closed or
 * loaded again, which would lose something. It returns a function that ends that.
 */
export function askBeforeLeaving(text: () => string): () => void {
  question = text;
  const release = hold();
  return () => {
    release();
    // What the page shows next may ask already.
    if (question === text) {
      question = undefined;
    }
  };
}

/**
 * hold makes the browser ask, in its own words, before the page is closed or loaded
 * again. It returns a function that ends that.
 */
export function hold(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  holds.add(ask);
  addEventListener("beforeunload", ask);
  return () => {
    holds.delete(ask);
    removeEventListener("beforeunload", ask);
  };
}

/** What makes the browser ask. */
const holds = new Set<(event: BeforeUnloadEvent) => void>();

/**
 * handOver opens an address in another program, such as mailto. A page that would
 * lose something hands it to a new tab: browsers ask before they leave for such a
 * program, and those whose mail program is a website do leave.
 */
export function handOver(url: string): void {
  if (holds.size > 0) {
    open(url, "_blank", "noopener");
  } else {
    location.href = url;
  }
}

/** mayLeave asks the visitor if the page would lose something, and reports whether to go on. */
export function mayLeave(): boolean {
  return !question || confirm(question());
}

function notifyLeave(): void {
  scrolls.set(current, scrollY);
  for (const fn of [...leaveListeners]) {
    fn();
  }
}

function showPlace(scroll: number): void {
  hasNavigated = true;
  place.value = here(place.peek().visit + 1);
  requestAnimationFrame(() => scrollTo(0, scroll));
}

/**
 * stay goes back to the entry of the page after the browser has left it. A new entry
 * would leave the old one in the history, with the whole link. An entry without an id
 * is one that the visitor has just added.
 */
function stay(at: number): void {
  returning = current !== at;
  if (returning) {
    history.go(current - at);
  }
}

/** back ends the way back to the current entry. */
function back(): void {
  returning = false;
  noteWhenBack?.();
  noteWhenBack = undefined;
}

/**
 * noteOpened notes that the secret of this entry was opened now, for when the visitor comes
 * back to it, and removes its fragment from the address. The page stays.
 */
export function noteOpened(): void {
  const state: State = { id: current, opened: Date.now() };
  const note = () => history.replaceState(state, "", location.pathname);
  if (returning) {
    noteWhenBack = note;
  } else {
    note();
  }
  place.value = { ...place.peek(), hash: "" };
}

/** startRouter mends the address of the first page, and handles the browser's history and clicks on links. */
export function startRouter(): void {
  history.scrollRestoration = "manual";
  const to = mended(location.pathname);
  history.replaceState({ ...(to ? {} : history.state), id: current }, "", to || undefined);
  if (to) {
    place.value = { ...here(0), mangled: true };
  }
  addEventListener("popstate", arrive);
  document.addEventListener("click", followLink);
}

/** arrive shows the entry of the history that the browser went to, if the visitor may leave the one before. */
function arrive(event: PopStateEvent): void {
  const known = idOf(event.state);
  const id = known ?? current + 1;
  if (returning) {
    if (known === current) {
      back();
    } else {
      stay(id);
    }
    return;
  }
  if (!mayLeave()) {
    stay(id);
    return;
  }
  notifyLeave();
  current = id;
  if (known === undefined) {
    history.replaceState({ id }, "");
    scrolls.delete(id);
  }
  showPlace(scrolls.get(id) ?? 0);
}

/** followLink navigates within the UI when a link to it is clicked. */
function followLink(event: MouseEvent): void {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  ) {
    return;
  }
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link?.href || link.target || link.hasAttribute("download") || link.origin !== location.origin) {
    return;
  }
  const url = new URL(link.href);
  if (url.pathname.startsWith("/assets/") || url.pathname.startsWith("/api/")) {
    return;
  }
  event.preventDefault();
  const inside = url.hash && url.pathname === location.pathname ? document.getElementById(url.hash.slice(1)) : null;
  if (inside) {
    // The address does not change: its fragment may contain a key.
    inside.focus();
    inside.scrollIntoView();
    return;
  }
  navigate(url.pathname + url.search + url.hash);
}
