import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon";

interface MenuProps {
  /** The button's text. */
  label: ComponentChildren;
  /** The button's accessible name, if label is not enough. */
  name?: string;
  icon?: IconName;
  kind?: "plain" | "quiet";
  /** A short text at the corner, such as a number of what is new. The name has to say it, too. */
  mark?: string;
  /** Shows the icon alone; label is then the name. */
  bare?: boolean;
  /** The items: MenuItem and MenuLink. */
  children: ComponentChildren;
}

/** Menu is a button that opens a list. Arrow keys move in the list; Escape closes it. */
export function Menu({ label, name, icon, kind = "quiet", mark, bare, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) {
      return;
    }
    items(root.current)[0]?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) {
        setOpen(false);
      }
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items(root.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape" && open) {
      close();
    } else if (event.key === "Tab") {
      setOpen(false);
    } else if (open && step !== undefined) {
      event.preventDefault();
      all[(step + all.length) % all.length]?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the button and the items.
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={`button button-${kind}`}
        ref={button}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={name}
        onClick={() => setOpen(!open)}
      >
        {icon && <Icon name={icon} />}
        <span class={bare ? "visually-hidden" : "menu-label"} dir="auto">
          {label}
        </span>
        {mark && <span class="menu-mark" aria-hidden="true" data-mark={mark} />}
        {!bare && <Icon name="down" />}
      </button>
      {open && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a key on an item clicks that item.
        <div class="menu-list" id={id} role="menu" onClick={close}>
          {children}
        </div>
      )}
    </div>
  );
}

function items(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}

/** MenuItem is a menu item that calls a function. */
export function MenuItem({ onClick, children }: { onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" class="menu-item" role="menuitem" tabIndex={-1} onClick={onClick}>
      {children}
    </button>
  );
}

/** MenuLink is a menu item that is a link. */
export function MenuLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="menu-item" role="menuitem" tabIndex={-1} href={href}>
      {children}
    </a>
  );
}
