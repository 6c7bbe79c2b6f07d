/*
 * What the service sent within the page stands there until the client draws, with the
 * first words of the page and the name of the service. The client goes on from there.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { tag } from "./i18n";
import { hasNavigated } from "./router";
import { Loading } from "./ui";

/** The part with the words of the first page, once the client has drawn in its place. */
let first: HTMLElement | undefined;

/** takeOver removes what the service sent. The client calls it when it has drawn. */
export function takeOver(): void {
  document.getElementById("start")?.remove();
}

/** firstWords returns the words that the service sent for the page that is still loading, if they are in its language. */
function firstWords(): HTMLElement | undefined {
  const start = document.getElementById("start");
  if (start?.lang === tag.peek()) {
    first = start.querySelector<HTMLElement>(".page") ?? undefined;
  }
  return hasNavigated ? undefined : first;
}

/** Beginning stands in place of a page that is not there yet. */
export function Beginning() {
  const [words] = useState(firstWords);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (words) {
      place.current?.append(words);
    }
  }, []);
  return words ? <div ref={place} /> : <Loading />;
}
