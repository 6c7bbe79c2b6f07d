import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exact, relative } from "../format";

/** Changes while a relative time is shown, so that it is rendered again. */
const tick = signal(0);
let shown = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function useTick(): void {
  useEffect(() => {
    shown += 1;
    timer ??= setInterval(() => {
      tick.value += 1;
    }, 10_000);
    return () => {
      shown -= 1;
      if (shown === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    };
  }, []);
  void tick.value;
}

/**
 * Relative shows a time relative to now, with the exact time as its title. A past
 * time is never shown as a future one, even if the visitor's clock is wrong. `just` is
 * said of the last seconds, where "now" does not fit the sentence.
 */
export function Relative({ date, past, just }: { date: Date; past?: boolean; just?: string }) {
  useTick();
  const seen = past && date.getTime() > Date.now() ? new Date() : date;
  return (
    <time dateTime={date.toISOString()} title={exact(date)}>
      {just && Math.abs(seen.getTime() - Date.now()) < 5000 ? just : relative(seen)}
    </time>
  );
}

/** Time shows an exact time: to the minute, or to the second if precise. */
export function Time({ date, precise }: { date: Date; precise?: boolean }) {
  return <time dateTime={date.toISOString()}>{exact(date, precise ? "medium" : "short")}</time>;
}
