/** The only pages that sign-in leads back to, besides the page of a domain. */
const pages: readonly string[] = [
  "/#ask",
  "/recent",
  "/account",
  "/account/requests",
  "/account/tokens",
  "/account/domains",
  "/colonel",
];

const domainPage = /^\/account\/domains\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;

/** signInFor returns the address of the sign-in page that leads back to a path. */
export function signInFor(path: string): string {
  const back = returnPath(path);
  return back === "/" ? "/signin" : `/signin?next=${encodeURIComponent(back)}`;
}

/**
 * returnPath returns where sign-in leads: to the requested path if it is in the
 * list, and to the home page if not.
 */
export function returnPath(asked: string | null): string {
  if (asked !== null && (pages.includes(asked) || domainPage.test(asked))) {
    return asked;
  }
  return "/";
}
