import { signal } from "@preact/signals";

const message = signal("");

/** announce makes screen readers speak a text. */
export function announce(text: string): void {
  message.value = "";
  // Two changes, so that the same text is spoken again.
  setTimeout(() => {
    message.value = text;
  }, 50);
}

/** LiveRegion is the element that announce writes to; the app has one. */
export function LiveRegion() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {message.value}
    </div>
  );
}
