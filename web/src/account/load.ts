import { useEffect, useRef, useState } from "preact/hooks";
import { forgetEndedSession } from "./requireaccount";

export interface Loaded<T> {
  value: T | undefined;
  /** What was thrown instead. */
  refused: unknown;
  /** Fetches it again; what was shown stays until it is there. */
  again: () => void;
  change: (next: T) => void;
}

/** useLoaded fetches something when the component is first drawn. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [refused, setRefused] = useState<unknown>();
  const round = useRef(0);
  const again = () => {
    const mine = ++round.current;
    setRefused(undefined);
    load().then(
      (found) => {
        if (mine === round.current) {
          setValue(() => found);
        }
      },
      (thrown: unknown) => {
        if (mine === round.current) {
          setRefused(thrown);
          forgetEndedSession(thrown);
        }
      },
    );
  };
  useEffect(() => {
    again();
    return () => {
      round.current = -1;
    };
  }, []);
  return { value, refused, again, change: (next) => setValue(() => next) };
}
