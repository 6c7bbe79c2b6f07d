import type { ComponentChildren } from "preact";
import { t } from "../i18n/more";
import { Icon } from "../ui";

/** Stages is a way of several steps, in their order. */
export function Stages({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <ol class="stages" aria-label={label}>
      {children}
    </ol>
  );
}

interface StageProps {
  number: number;
  title: string;
  /** Whether it lies behind, is the next, or comes after that. */
  state: "done" | "now" | "later";
  children?: ComponentChildren;
}

export function Stage({ number, title, state, children }: StageProps) {
  return (
    <li class={`stage stage-${state}`} aria-current={state === "now" ? "step" : undefined}>
      <span class="stage-mark" aria-hidden="true">
        {state === "done" ? <Icon name="check" /> : number}
      </span>
      <div class="stage-body stack">
        <h3>
          {title}
          {state === "done" && <span class="visually-hidden"> ({t("domain.stage.done")})</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
