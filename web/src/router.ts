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

/** The scroll positions of earlier visits, by the id in the history state. */
const scrolls = new Map<number, number>();
let current = 0;
let newest = 0;

function here(visit: number): Place {
  return {
    path: location.pathname,
    hash: location.hash,
    query: new URLSearchParams(location.search),
    mangled: false,
    visit,
  };
}

/** navigate goes to a path of the UI. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (!mayLeave()) {
    return;
  }
  notifyLeave();
  if (options.replace) {
    history.replaceState({ id: current }, "", to);
  } else {
    newest += 1;
    current = newest;
    history.pushState({ id: current }, "", to);
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
  addEventListener("beforeunload", hold);
  return () => {
    // What the page shows next may ask already.
    if (question === text) {
      question = undefined;
      removeEventListener("beforeunload", hold);
    }
  };
}

/** hold makes the browser ask, in its own words. */
function hold(event: BeforeUnloadEvent): void {
  event.preventDefault();
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

/** stay restores the address of the page after the browser has left it. */
function stay(): void {
  const { path, query, hash } = place.peek();
  const search = query.toString();
  newest += 1;
  current = newest;
  history.pushState({ id: current }, "", path + (search && `?${search}`) + hash);
}

/** forgetFragment removes the fragment from the address, and the page stays. */
export function forgetFragment(): void {
  history.replaceState(history.state, "", location.pathname);
  place.value = { ...place.peek(), hash: "" };
}

/** startRouter mends the address of the first page, and handles the browser's history and clicks on links. */
export function startRouter(): void {
  history.scrollRestoration = "manual";
  const to = mended(location.pathname);
  history.replaceState({ id: current }, "", to || undefined);
  if (to) {
    place.value = { ...here(0), mangled: true };
  }
  addEventListener("popstate", (event) => {
    if (!mayLeave()) {
      stay();
      return;
    }
    notifyLeave();
    const id: unknown = (event.state as { id?: unknown } | null)?.id;
    if (typeof id === "number") {
      current = id;
    } else {
      newest += 1;
      current = newest;
      history.replaceState({ id: current }, "");
    }
    showPlace(scrolls.get(current) ?? 0);
  });
  document.addEventListener("click", followLink);
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
