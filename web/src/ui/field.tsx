import type {
  ComponentChildren,
  InputHTMLAttributes,
  PartialInputHTMLAttributes,
  PartialSelectHTMLAttributes,
  TextareaHTMLAttributes,
} from "preact";
import { createContext } from "preact";
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "./icon";

interface FieldProps {
  label: ComponentChildren;
  hint?: ComponentChildren;
  /** Why the value is refused. It marks the control and is spoken. */
  error?: string | undefined;
  optional?: boolean;
  /** Shows the label to screen readers only. */
  hideLabel?: boolean;
  /** The control: TextInput, PasswordInput, TextArea or Select. */
  children: ComponentChildren;
}

interface Wiring {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

const FieldContext = createContext<Wiring | undefined>(undefined);

/** Field connects a control with its label, hint and error. */
export function Field({ label, hint, error, optional, hideLabel, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ") || undefined;
  return (
    <div class={`field ${error ? "field-invalid" : ""}`}>
      <label for={id} class={hideLabel ? "visually-hidden" : undefined}>
        {label}
        {optional && <span class="field-optional"> {t("ui.optional")}</span>}
      </label>
      <FieldContext.Provider value={{ id, describedBy, invalid: Boolean(error) }}>{children}</FieldContext.Provider>
      {error && (
        <p class="field-error" id={`${id}-error`} role="alert">
          <Icon name="warn" />
          <span>{error}</span>
        </p>
      )}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function useWiring(): { id?: string; "aria-describedby"?: string; "aria-invalid"?: "true" } {
  const wiring = useContext(FieldContext);
  return wiring
    ? { id: wiring.id, "aria-describedby": wiring.describedBy, "aria-invalid": wiring.invalid ? "true" : undefined }
    : {};
}

/** typed returns the type attribute for a type that is chosen at run time. */
function typed(type: string): InputHTMLAttributes<HTMLInputElement> {
  return { type } as InputHTMLAttributes<HTMLInputElement>;
}

interface Value {
  value: string;
  /** Called with the new text at every keystroke. */
  onValue: (value: string) => void;
}

/** directionFor lets a text choose its direction. An empty field has that of the page, for its placeholder and caret. */
function directionFor(value: string): "auto" | undefined {
  return value ? "auto" : undefined;
}

type InputProps = Value & {
  type?: "text" | "email" | "search" | "url";
} & Omit<PartialInputHTMLAttributes<HTMLInputElement>, "value" | "type" | "role">;

/** TextInput is one line of text. */
export function TextInput({ value, onValue, type = "text", ...rest }: InputProps) {
  return (
    <input
      dir={directionFor(value)}
      {...useWiring()}
      {...rest}
      {...typed(type)}
      class={`input ${rest.class ?? ""}`}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}

/** PasswordInput is a field for a passphrase, or for a password, with a button that shows it. */
export function PasswordInput({
  value,
  onValue,
  of = "passphrase",
  type: _,
  ...rest
}: InputProps & { of?: "passphrase" | "password" }) {
  const [shown, setShown] = useState(false);
  const show = t(`ui.show.${of}`);
  return (
    <div class="input input-group">
      <input
        dir={directionFor(value)}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        {...useWiring()}
        {...rest}
        {...typed(shown ? "text" : "password")}
        class="input"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <button
        type="button"
        class="input-button"
        aria-pressed={shown}
        aria-label={show}
        title={shown ? t("ui.hide") : show}
        onClick={() => setShown(!shown)}
      >
        <Icon name={shown ? "eye-off" : "eye"} />
      </button>
    </div>
  );
}

/** TextArea is a text area that grows with its content. */
export function TextArea({
  value,
  onValue,
  mono,
  ...rest
}: Value & { mono?: boolean } & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value">) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element) {
      element.style.setProperty("block-size", "auto");
      element.style.setProperty("block-size", `${Math.min(element.scrollHeight + 2, innerHeight * 0.6)}px`);
    }
  }, [value]);
  return (
    <textarea
      dir={directionFor(value)}
      rows={4}
      {...useWiring()}
      {...rest}
      ref={area}
      class={`input textarea ${mono ? "mono" : ""}`}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}

type SelectProps = Value & { options: readonly (readonly [value: string, text: string])[] } & Omit<
    PartialSelectHTMLAttributes<HTMLSelectElement>,
    "value" | "role" | "size" | "multiple"
  >;

/** Select is a drop-down list. */
export function Select({ value, onValue, options, ...rest }: SelectProps) {
  return (
    <div class="select">
      <select
        {...useWiring()}
        {...rest}
        class="input"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </div>
  );
}

interface CheckboxProps {
  checked: boolean;
  onChecked: (checked: boolean) => void;
  hint?: ComponentChildren;
  disabled?: boolean;
  children: ComponentChildren;
}

/** Checkbox is a check box with its label. It needs no Field. */
export function Checkbox({ checked, onChecked, hint, disabled, children }: CheckboxProps) {
  const id = useId();
  return (
    <div class="checkbox">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{children}</label>
        {hint && (
          <p class="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** Form calls onSend for Enter and for its submit button. The browser sends nothing. */
export function Form({ onSend, children, label }: { onSend: () => void; children: ComponentChildren; label?: string }) {
  return (
    <form
      class="stack"
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
    </form>
  );
}
