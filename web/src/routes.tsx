/*
 * The pages by their paths. A page receives the path's parameters as `params`.
 * Each is loaded on demand. The first script has the scripts of those loaded that
 * visitors begin with.
 * The server must serve index.html for each of these paths.
 */
import type { FunctionComponent } from "preact";
import { lazy, MissingPage } from "./lazy";
import { match } from "./match";
import { Checking } from "./open/checking";
import type { PageProps } from "./router";
import { Beginning } from "./start";

type Page = FunctionComponent<PageProps>;

/** later returns a page whose script is loaded on demand. */
const later = (load: () => Promise<{ default: Page }>): Page => lazy(load, Beginning, MissingPage);

const loadShare = () => import("./pages/share");
const loadReceipt = () => import("./pages/receipt");
const loadSignin = () => import("./pages/signin");
const loadAbout = () => import("./pages/about");

/** nextPages loads the pages that most visitors go to from here. */
export const nextPages = [loadShare, loadReceipt, loadAbout, loadSignin];

const receipt = later(loadReceipt);
const signup = later(() => import("./pages/signup"));
const reset = later(() => import("./pages/reset"));

const open = lazy(() => import("./pages/open"), Checking, MissingPage);

const routes: readonly (readonly [pattern: string, page: Page])[] = [
  ["/", later(loadShare)],
  ["/s", open],
  ["/secret/:key", open],
  ["/e", lazy(() => import("./pages/endtoend"), Checking, MissingPage)],
  ["/q", lazy(() => import("./pages/answer"), Checking, MissingPage)],
  ["/c", later(() => import("./pages/collect"))],
  ["/r", receipt],
  ["/private/:key", receipt],
  ["/metadata/:key", receipt],
  ["/receipt/:key", receipt],
  ["/signin", later(loadSignin)],
  ["/signup", signup],
  ["/signup/:invite", signup],
  ["/verify/:token", later(() => import("./pages/verify"))],
  ["/reset", reset],
  ["/reset/:token", reset],
  ["/confirm/:token", later(() => import("./pages/confirm"))],
  ["/recent", later(() => import("./pages/recent"))],
  ["/account", later(() => import("./pages/account"))],
  ["/account/requests", later(() => import("./pages/requests"))],
  ["/account/tokens", later(() => import("./pages/tokens"))],
  ["/account/domains", later(() => import("./pages/domains"))],
  ["/account/domains/:name", later(() => import("./pages/domain"))],
  ["/colonel", later(() => import("./pages/colonel"))],
  ["/feedback", later(() => import("./pages/feedback"))],
  ["/about", later(loadAbout)],
  ["/security", later(() => import("./pages/security"))],
];

const unknown = later(() => import("./pages/notfound"));

/** find returns the page of a path, the path's parameters and its pattern. */
export function find(path: string): { page: Page; params: Record<string, string>; pattern: string } {
  for (const [pattern, page] of routes) {
    const params = match(pattern, path);
    if (params) {
      return { page, params, pattern };
    }
  }
  return { page: unknown, params: {}, pattern: "*" };
}
