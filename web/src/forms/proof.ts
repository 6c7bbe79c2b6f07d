import { useEffect, useRef, useState } from "preact/hooks";
import { needed } from "../call";

export interface Proof {
  /** idle: not started. working: solving the challenge. done: the solution is ready. */
  state: "idle" | "working" | "done";
  /** begin starts to solve a challenge, unless a fresh solution exists or is on its way. */
  begin: () => void;
  /** take returns the solution. Each solution is returned once. */
  take: () => Promise<string>;
}

/** Challenges expire after ten minutes; a solution older than this is not sent. */
const freshFor = 8 * 60_000;

interface Solution {
  payload: Promise<string>;
  since: number;
}

/** useProof solves a challenge while the visitor fills in a form. */
export function useProof(action: "signup" | "feedback"): Proof {
  const [state, setState] = useState<Proof["state"]>("idle");
  const solution = useRef<Solution>(undefined);
  const left = useRef(new AbortController());
  useEffect(
    () => () => {
      solution.current = undefined;
      left.current.abort();
    },
    [],
  );
  const begin = () => {
    const known = solution.current;
    if (known && Date.now() - known.since < freshFor) {
      return;
    }
    const { signal } = left.current;
    const payload = needed(() => import("../altcha")).then((m) => m.solveChallenge(action, signal));
    const mine: Solution = { payload, since: Date.now() };
    solution.current = mine;
    setState("working");
    const settle = (next: Proof["state"], found: Solution | undefined) => {
      if (solution.current === mine) {
        solution.current = found;
        setState(next);
      }
    };
    // A failure shows when the form is sent: take tries again.
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
