import { signal } from "@preact/signals";

const words = signal("");

/** announce says something to those who hear the page. */
export function announce(text: string): void {
  words.value = "";
  // Two changes, so that the same words are said twice.
  setTimeout(() => {
    words.value = text;
  }, 50);
}

/** LiveRegion is what announce speaks through; the frame has one. */
export function LiveRegion() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {words.value}
    </div>
  );
}
