import { useEffect, useRef, useState } from "preact/hooks";
import { forgetEndedSession } from "./account/requireaccount";

export interface Loaded<T> {
  value: T | undefined;
  /** The error of the last load; undefined if there was none. */
  refused: unknown;
  /** Loads the value again; the old value stays until then. */
  again: () => void;
  change: (next: T) => void;
}

/** useLoaded loads a value when the component is first rendered. */
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
