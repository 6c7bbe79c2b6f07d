import type { ButtonHTMLAttributes, ComponentChildren, PartialAnchorHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon";
import { Spinner } from "./spinner";

interface ButtonStyle {
  /** primary: the page's main action. danger: destroys something. quiet: looks like text. */
  kind?: "primary" | "plain" | "quiet" | "danger";
  /** large: for the page's main action. */
  size?: "small" | "large";
  /** Takes the whole line. */
  wide?: boolean;
  icon?: IconName;
  children?: ComponentChildren;
}

type ButtonProps = ButtonStyle &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, "size" | "icon"> & {
    /** Shows a spinner and ignores clicks. */
    busy?: boolean;
  };

/** Button is a button. It does not submit a form unless type says so. */
export function Button({
  kind = "plain",
  size,
  wide,
  icon,
  busy,
  children,
  onClick,
  class: more,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={classes(kind, size, wide, more)}
      aria-disabled={busy || rest.disabled ? "true" : undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** LinkButton is a link that looks like a Button. */
export function LinkButton({
  kind = "plain",
  size,
  wide,
  icon,
  children,
  class: more,
  ...rest
}: ButtonStyle & { href: string } & Omit<
    PartialAnchorHTMLAttributes<HTMLAnchorElement>,
    "size" | "icon" | "href" | "role"
  >) {
  return (
    <a {...rest} class={classes(kind, size, wide, more)}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}

function classes(kind: string, size: string | undefined, wide: boolean | undefined, more: unknown): string {
  return ["button", `button-${kind}`, size && `button-${size}`, wide && "button-wide", typeof more === "string" && more]
    .filter(Boolean)
    .join(" ");
}
