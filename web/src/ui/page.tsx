import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { moved } from "../router";
import { instanceName } from "../session";

interface PageProps {
  /** The heading, and with the service's name the document's title. */
  title: string;
  /** A sentence below the heading. */
  lead?: ComponentChildren;
  /** narrow: forms. wide: tables. */
  width?: "narrow" | "wide";
  /** What stands beside the heading: buttons. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

/**
 * acted tells that the visitor did something since the document was loaded: a
 * page that then takes the place of another is the answer to it. Until then
 * pages are what was being loaded, and the visitor keeps their place.
 */
let acted = false;
for (const kind of ["keydown", "pointerdown"]) {
  addEventListener(kind, () => (acted = true), { capture: true, once: true });
}

/**
 * Page is what each page draws. Its heading takes the focus unless it is the
 * first thing that the visitor gets to see.
 */
export function Page({ title, lead, width, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = instanceName.value;
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  useEffect(() => {
    if (moved || acted) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [title]);
  return (
    <div class={`page ${width ? `page-${width}` : ""}`}>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="row">{actions}</div>}
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children}
    </div>
  );
}

interface CardProps {
  title?: ComponentChildren;
  /** give: what others get. keep: what is the visitor's alone. danger: ends something. */
  kind?: "plain" | "give" | "keep" | "danger";
  children?: ComponentChildren;
  id?: string;
}

/** Card groups what belongs together, under a heading of the second level. */
export function Card({ title, kind = "plain", children, id }: CardProps) {
  return (
    <section class={`card card-${kind}`} id={id}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** Facts is a list of names and values; rows without a value are left out. */
export function Facts({ rows }: { rows: [ComponentChildren, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
        .map(([name, value], i) => (
          <div key={i}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
