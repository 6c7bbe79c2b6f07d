import type { ComponentChildren } from "preact";
import { t } from "../i18n/domains";
import { Icon } from "../ui";

/** Steps is a numbered list of steps. */
export function Steps({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <ol class="numbered-steps" aria-label={label}>
      {children}
    </ol>
  );
}

interface StepProps {
  number: number;
  title: string;
  /** Whether the step is done, the next one, or a later one. */
  state: "done" | "now" | "later";
  children?: ComponentChildren;
}

export function Step({ number, title, state, children }: StepProps) {
  return (
    <li class={`numbered-step numbered-step-${state}`} aria-current={state === "now" ? "step" : undefined}>
      <span class="numbered-step-mark" aria-hidden="true">
        {state === "done" ? <Icon name="check" /> : number}
      </span>
      <div class="numbered-step-body stack">
        <h3>
          {title}
          {state === "done" && <span class="visually-hidden"> ({t("domain.step.done")})</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
