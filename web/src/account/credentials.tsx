import { byteLength } from "../format";
import { t, tn } from "../i18n/more";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { Field, Icon, PasswordInput, TextInput } from "../ui";
import type { Problem } from "./submit";

const fewest = 10;
const mostBytes = 256;

interface Input {
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
}

/** AddressField is for the address that somebody has. */
export function AddressField({ label, hint, autocomplete = "username", ...input }: Input & AddressLook) {
  return (
    <Field label={label ?? t("address.label")} hint={hint} error={input.error}>
      <TextInput
        type="email"
        name="address"
        autocomplete={autocomplete}
        autocapitalize="none"
        spellcheck={false}
        required
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
}

/** PasswordField is for the password that an account has. */
export function PasswordField({ label, ...input }: Input & { label?: string }) {
  return (
    <Field label={label ?? t("password.label")} error={input.error}>
      <PasswordInput
        name="password"
        autocomplete="current-password"
        required
        value={input.value}
        onValue={input.onValue}
      />
    </Field>
  );
}

/** NewPasswordField is for one that is to be, and says whether it is long enough. */
export function NewPasswordField({ label, ...input }: Input & { label?: string }) {
  const missing = fewest - [...input.value].length;
  return (
    <div class="stack-s">
      <Field label={label ?? t("password.label")} hint={t("password.hint")} error={input.error}>
        <PasswordInput
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

/** checkAddress finds what is wrong with an address before it is sent. */
export function checkAddress(field: string, address: string): Problem | undefined {
  const trimmed = address.trim();
  if (!trimmed) {
    return { field, text: t("address.missing") };
  }
  return /^[^\s@]+@[^\s@]+$/.test(trimmed) ? undefined : { field, text: t("address.bad") };
}

/** checkPassword finds out that there is no password at all. */
export function checkPassword(field: string, password: string): Problem | undefined {
  return password ? undefined : { field, text: t("password.missing") };
}

/** checkNewPassword finds what is wrong with a new password before it is sent. */
export function checkNewPassword(field: string, password: string, address = ""): Problem | undefined {
  const folded = password.toLowerCase();
  const own = address.trim().toLowerCase();
  if ([...password].length < fewest) {
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

/** The names that a form has for the fields that a refusal may be about. */
interface Names {
  /** The address, by the contract's name. */
  address?: string;
  /** The new password, by the contract's name. */
  fresh?: string;
  /** Whose the blame is if the credentials are wrong: the password field's. */
  password?: string;
}

/** credentialProblem has the words for what a form about credentials is refused for. */
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
