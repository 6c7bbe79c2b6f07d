import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName } from "../ui";

interface ChipProps {
  icon: IconName;
  /** Whether what it unfolds is shown. */
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Whether it has a value, which is shown while it is folded. */
  set?: boolean;
  children: ComponentChildren;
}

/** Chip unfolds a part of the form. */
export function Chip({ icon, open, onOpen, set, children }: ChipProps) {
  return (
    <button type="button" class="chip" aria-expanded={open} onClick={() => onOpen(!open)}>
      <Icon name={icon} />
      <span>{children}</span>
      {set && !open && <span class="chip-set">✓</span>}
    </button>
  );
}

interface SelectChipProps {
  icon: IconName;
  label: string;
  value: string;
  onValue: (value: string) => void;
  options: readonly (readonly [value: string, text: string])[];
}

/** SelectChip is a drop-down list in a row of chips. */
export function SelectChip({ icon, label, value, onValue, options }: SelectChipProps) {
  const id = useId();
  return (
    <div class="chip chip-select">
      <Icon name={icon} />
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
