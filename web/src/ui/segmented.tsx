import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface SegmentedProps<V extends string> {
  label: string;
  hideLabel?: boolean;
  value: V;
  onValue: (value: V) => void;
  options: readonly (readonly [value: V, text: ComponentChildren])[];
}

/** Segmented is a choice of a few options that are all visible: radio buttons. */
export function Segmented<V extends string>({ label, hideLabel, value, onValue, options }: SegmentedProps<V>) {
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class={hideLabel ? "visually-hidden" : undefined}>{label}</legend>
      <div class="segmented-options">
        {options.map(([key, text]) => (
          <label key={key}>
            <input type="radio" name={name} value={key} checked={key === value} onChange={() => onValue(key)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
