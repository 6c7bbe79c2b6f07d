import { byteLength, charCount } from "../format";
import type { Problem } from "../forms/submit";
import { t, tn } from "../i18n/signin";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { Field, Icon, PasswordInput, TextInput } from "../ui";

const fewest = 10;
const mostBytes = 256;

interface Input {
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}

/** AddressField is the field for an account's e-mail address. */
export function AddressField({
  label,
  hint,
  autocomplete = "username",
  required = true,
  ...input
}: Input & AddressLook) {
  return (
    <Field label={label ?? t("address.label")} hint={hint} error={input.error}>
      <TextInput
        type="email"
        name="address"
        autocomplete={autocomplete}
        autocapitalize="none"
        spellcheck={false}
        required={required}
        value={input.value}
        onValue={input.onValue}
      />
    </Field>
  );
}

interface AddressLook {
  label?: string;
  hint?: string;
  autocomplete?: "username" | "email" | "off";
  required?: boolean;
}

/** PasswordField is the field for an account's current password. */
export function PasswordField({ label, ...input }: Input & { label?: string }) {
  return (
    <Field label={label ?? t("password.label")} error={input.error}>
      <PasswordInput
        of="password"
        name="password"
        autocomplete="current-password"
        required
        value={input.value}
        onValue={input.onValue}
      />
    </Field>
  );
}

/** NewPasswordField is the field for a new password. It shows whether the password is long enough. */
export function NewPasswordField({ label, ...input }: Input & { label?: string }) {
  const missing = fewest - charCount(input.value);
  return (
    <div class="stack-s">
      <Field label={label ?? t("password.label")} hint={t("password.hint")} error={input.error}>
        <PasswordInput
          of="password"
          name="new-password"
          autocomplete="new-password"
          required
          value={input.value}
          onValue={input.onValue}
        />
      </Field>
      {input.value && !input.error && (
        <p class={`password-length ${missing > 0 ? "" : "password-length-enough"}`} aria-hidden="true">
          <Icon name={missing > 0 ? "more" : "check"} />
          {missing > 0 ? tn("password.more", missing) : t("password.enough")}
        </p>
      )}
    </div>
  );
}

/** checkAddress returns what is wrong with an address before it is sent. */
export function checkAddress(field: string, address: string): Problem | undefined {
  const trimmed = address.trim();
  if (!trimmed) {
    return { field, text: t("address.missing") };
  }
  return /^[^\s@]+@[^\s@]+$/.test(trimmed) ? undefined : { field, text: t("address.bad") };
}

/** checkPassword returns a problem if the password is empty. */
export function checkPassword(field: string, password: string): Problem | undefined {
  return password ? undefined : { field, text: t("password.missing") };
}

/** checkNewPassword returns what is wrong with a new password before it is sent. */
export function checkNewPassword(field: string, password: string, address = ""): Problem | undefined {
  const folded = password.toLowerCase();
  const own = address.trim().toLowerCase();
  if (charCount(password) < fewest) {
    return { field, text: t("password.short") };
  }
  if (byteLength(password) > mostBytes) {
    return { field, text: t("password.long") };
  }
  if (own && (folded === own || folded === own.slice(0, own.lastIndexOf("@")))) {
    return { field, text: t("password.address") };
  }
  return undefined;
}

/** Names maps what a refusal may concern to the fields of a form. */
interface Names {
  /** The address field, as the contract names it. */
  address?: string;
  /** The new password's field, as the contract names it. */
  fresh?: string;
  /** The field that shows wrong credentials. */
  password?: string;
}

/** credentialProblem returns a function that turns a refusal into the problem of a form with credentials. */
export function credentialProblem(names: Names): (thrown: unknown) => Problem {
  return (thrown) => {
    const { reason, field } = asRefusal(thrown);
    const ofAddress = names.address !== undefined && field === names.address;
    if (reason === "credentials" && names.password !== undefined) {
      return { field: names.password, text: t("password.wrong") };
    }
    if (reason === "invalid" && field !== "" && field === names.fresh) {
      return { field, text: t("password.easy") };
    }
    if (reason === "invalid" && ofAddress) {
      return { field, text: t("address.bad") };
    }
    if (reason === "policy" && ofAddress) {
      return { field, text: t("address.policy") };
    }
    return { field: ofAddress ? field : "", text: problemText(thrown) };
  };
}
