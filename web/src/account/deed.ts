import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { noticeEnd } from "./gate";

/** Problem is why a form was refused: beside one of its fields, or beside its button. */
export interface Problem {
  /** The form's own name of the field; empty for none of them. */
  field: string;
  text: string;
}

export interface Deed {
  busy: boolean;
  problem: Problem | undefined;
  /** Goes around the form: its first wrong field takes the focus. */
  area: RefObject<HTMLDivElement | null>;
  /** The problem's text if it is the field's. */
  at: (field: string) => string | undefined;
  /** do runs fn, unless check finds something or the last one still runs. */
  do: (fn: () => Promise<void>, check?: Problem) => void;
  forget: () => void;
}

/** useDeed is what a form does: one call at a time, and why it was refused. */
export function useDeed(words: (thrown: unknown) => Problem = plainly): Deed {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const running = useRef(false);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem?.field) {
      area.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  }, [problem]);
  const run = async (fn: () => Promise<void>) => {
    running.current = true;
    setBusy(true);
    try {
      await fn();
    } catch (thrown) {
      setProblem(words(thrown));
      noticeEnd(thrown);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return {
    busy,
    problem,
    area,
    at: (field) => (problem?.field === field ? problem.text : undefined),
    do: (fn, check) => {
      if (running.current) {
        return;
      }
      setProblem(check);
      if (!check) {
        void run(fn);
      }
    },
    forget: () => setProblem(undefined),
  };
}

/** plainly has the words for a refusal that is about no field. */
export function plainly(thrown: unknown): Problem {
  return { field: "", text: problemText(thrown) };
}

/** fieldOf is the field that a refusal names, if the form has it. */
export function fieldOf(thrown: unknown, fields: readonly string[]): string {
  const { field } = asRefusal(thrown);
  return fields.includes(field) ? field : "";
}
