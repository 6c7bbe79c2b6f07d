import type { World } from "./reveal";

/**
 * world is the browser's clock and line. Its time is not that of day: a device that sets
 * its clock meanwhile must not take a secret for lost that still waits for this page.
 */
export const world: World = {
  now: () => performance.now(),
  after: (milliseconds, fn) => {
    const timer = setTimeout(fn, milliseconds);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  online: () => navigator.onLine,
  onLine: (fn) => {
    const up = () => fn(true);
    const down = () => fn(false);
    addEventListener("online", up);
    addEventListener("offline", down);
    return () => {
      removeEventListener("online", up);
      removeEventListener("offline", down);
    };
  },
};
