import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exact, relative } from "../format";

/** Changes while a relative time is shown, so that it is drawn anew. */
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
 * Relative is a moment seen from now; the exact time is its title. What is past
 * is never in the future, however wrong the visitor's clock is.
 */
export function Relative({ date, past }: { date: Date; past?: boolean }) {
  useTick();
  const seen = past && date.getTime() > Date.now() ? new Date() : date;
  return (
    <time dateTime={date.toISOString()} title={exact(date)}>
      {relative(seen)}
    </time>
  );
}

/** Time is a moment, exactly. */
export function Time({ date }: { date: Date }) {
  return <time dateTime={date.toISOString()}>{exact(date)}</time>;
}
