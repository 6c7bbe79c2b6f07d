/** Spinner turns while something works. It needs a text beside it. */
export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}
