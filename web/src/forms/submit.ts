import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { forgetEndedSession } from "../session";

/** Problem says why a form was refused, beside one of its fields or beside its button. */
export interface Problem {
  /** The form's own name for the field; empty if the problem concerns the whole form. */
  field: string;
  text: string;
}

/** Submission is the state of a form's calls. */
export interface Submission {
  busy: boolean;
  problem: Problem | undefined;
  /** The element around the form; its first invalid field takes the focus. */
  area: RefObject<HTMLDivElement | null>;
  /** errorAt returns the problem's text if it concerns the field. */
  errorAt: (field: string) => string | undefined;
  /** run calls fn, unless check found a problem or the last call still runs. */
  run: (fn: () => Promise<void>, check?: Problem) => void;
  /** clear removes the problem. */
  clear: () => void;
}

/** useSubmit runs a form's calls one at a time, and keeps why the last one was refused. */
export function useSubmit(problemOf: (thrown: unknown) => Problem = plainProblem): Submission {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const running = useRef(false);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem?.field) {
      area.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  }, [problem]);
  const call = async (fn: () => Promise<void>) => {
    running.current = true;
    setBusy(true);
    try {
      await fn();
    } catch (thrown) {
      setProblem(problemOf(thrown));
      forgetEndedSession(thrown);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return {
    busy,
    problem,
    area,
    errorAt: (field) => (problem?.field === field ? problem.text : undefined),
    run: (fn, check) => {
      if (running.current) {
        return;
      }
      setProblem(check);
      if (!check) {
        void call(fn);
      }
    },
    clear: () => setProblem(undefined),
  };
}

/** plainProblem returns the problem of a refusal that concerns no field. */
function plainProblem(thrown: unknown): Problem {
  return { field: "", text: problemText(thrown) };
}

/** fieldOf returns the field that a refusal names, if the form has it. */
export function fieldOf(thrown: unknown, fields: readonly string[]): string {
  const { field } = asRefusal(thrown);
  return fields.includes(field) ? field : "";
}
