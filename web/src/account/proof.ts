import { useEffect, useRef, useState } from "preact/hooks";

export interface Proof {
  /** idle: not begun. working, and then done: a solution is there. */
  state: "idle" | "working" | "done";
  /** begin starts to solve a challenge, unless that was done before. */
  begin: () => void;
  /** take answers a solution, once; the next one has to be worked for again. */
  take: () => Promise<string>;
}

/** Challenges are good for ten minutes; an old solution is not sent. */
const freshFor = 8 * 60_000;

interface Solution {
  payload: Promise<string>;
  since: number;
}

/** useProof solves a challenge while the visitor fills in a form. */
export function useProof(action: "signup" | "feedback"): Proof {
  const [state, setState] = useState<Proof["state"]>("idle");
  const solution = useRef<Solution>(undefined);
  useEffect(
    () => () => {
      solution.current = undefined;
    },
    [],
  );
  const begin = () => {
    const known = solution.current;
    if (known && Date.now() - known.since < freshFor) {
      return;
    }
    const mine: Solution = { payload: import("../altcha").then((m) => m.prove(action)), since: Date.now() };
    solution.current = mine;
    setState("working");
    const settle = (next: Proof["state"], found: Solution | undefined) => {
      if (solution.current === mine) {
        solution.current = found;
        setState(next);
      }
    };
    // A failure is told when the form is sent: take tries once more.
    mine.payload.then(
      () => settle("done", mine),
      () => settle("idle", undefined),
    );
  };
  const take = async () => {
    begin();
    const payload = await solution.current?.payload;
    solution.current = undefined;
    setState("idle");
    return payload ?? "";
  };
  return { state, begin, take };
}
