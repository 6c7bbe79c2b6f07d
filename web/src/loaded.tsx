import { useEffect, useRef, useState } from "preact/hooks";
import { forgetEndedSession } from "./session";
import { Failure, Loading } from "./ui";

export interface Loaded<T> {
  value: T | undefined;
  /** The error of the last load; undefined if there was none. */
  error: unknown;
  /** Loads the value again; the old value stays until then. */
  reload: () => void;
  /** Replaces the value, for example after a call changed it. */
  set: (value: T) => void;
}

/** useLoaded loads a value when the component is first rendered. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<unknown>();
  const latest = useRef(0);
  const reload = () => {
    const own = ++latest.current;
    setError(undefined);
    load().then(
      (loaded) => {
        if (own === latest.current) {
          setValue(() => loaded);
        }
      },
      (thrown: unknown) => {
        if (own === latest.current) {
          setError(thrown);
          forgetEndedSession(thrown);
        }
      },
    );
  };
  useEffect(() => {
    reload();
    return () => {
      latest.current = -1;
    };
  }, []);
  return { value, error, reload, set: (next) => setValue(() => next) };
}

interface LoadStateProps {
  of: Pick<Loaded<unknown>, "value" | "error" | "reload">;
  /** The text while the first value loads. */
  loading?: string;
}

/** LoadState says that a value is loading for the first time, or why loading it failed. */
export function LoadState({ of: { value, error, reload }, loading }: LoadStateProps) {
  if (error !== undefined) {
    return <Failure error={error} retry={reload} />;
  }
  return value === undefined ? <Loading>{loading}</Loading> : null;
}
