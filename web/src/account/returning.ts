/** The pages that sign-in leads back to. There are no others. */
const pages: readonly string[] = ["/recent", "/account", "/account/tokens", "/account/domains", "/colonel"];

const domainPage = /^\/account\/domains\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;

/** signInFor is the address of the sign-in page that leads back to a path. */
export function signInFor(path: string): string {
  const back = returnPath(path);
  return back === "/" ? "/signin" : `/signin?next=${encodeURIComponent(back)}`;
}

/**
 * returnPath is where sign-in leads to: the path that was asked for if it is
 * one of the list, and the home page if not.
 */
export function returnPath(asked: string | null): string {
  if (asked !== null && (pages.includes(asked) || domainPage.test(asked))) {
    return asked;
  }
  return "/";
}
