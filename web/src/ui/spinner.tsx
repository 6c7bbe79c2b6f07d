/** Spinner turns while something works; it stands beside words. */
export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}
