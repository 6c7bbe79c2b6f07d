import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { hasNavigated } from "../router";
import { instanceName } from "../session";

interface PageProps {
  /** The heading. With the service's name it is the document's title. */
  title: string;
  /** What the page is about. The heading takes the focus when that changes; it is the title unless it is said. */
  topic?: string;
  /** What the tab says instead: what people wait for in another tab has happened. */
  news?: string | undefined;
  /** A sentence below the heading. */
  lead?: ComponentChildren;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
  /** Whether the page is one short form: it is as wide as its fields, and centred. */
  short?: boolean;
  children?: ComponentChildren;
}

/**
 * acted reports whether the visitor has done something since the document loaded.
 * A page that appears afterwards is the result of that, and takes the focus.
 * Before, pages appear because they loaded, and the focus stays.
 */
let acted = false;
for (const kind of ["keydown", "pointerdown"]) {
  addEventListener(kind, () => (acted = true), { capture: true, once: true });
}

/**
 * Page is the layout of every page. Its heading takes the focus, except on the
 * first page that the visitor sees.
 */
export function Page({ title, topic = title, news, lead, actions, short, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = instanceName.value;
  useEffect(() => {
    document.title = `${news ?? title} · ${name}`;
  }, [title, news, name]);
  // Decided here and not in the effect, which runs a frame later: a key that is
  // pressed in between must not lose the focus that it moved.
  const isResult = hasNavigated || acted;
  const [follows] = useState(isResult);
  useEffect(() => {
    if (isResult) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [topic]);
  return (
    <div class={`page${short ? " page-short" : ""}${follows ? " page-follows" : ""}`}>
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
  /** give: for the recipient. keep: for the visitor only. good: what was waited for has happened. danger: destroys something. */
  kind?: "plain" | "give" | "keep" | "good" | "danger";
  /** Whether that happened just now: the card turns. */
  turned?: boolean;
  children?: ComponentChildren;
  id?: string;
}

/** CardLevel is the level of the headings of cards: h3 below the heading of a part of the page. */
export const CardLevel = createContext<"h2" | "h3">("h2");

/** Card groups content under a heading. */
export function Card({ title, kind = "plain", turned, children, id }: CardProps) {
  const Heading = useContext(CardLevel);
  return (
    <section class={`card card-${kind} ${turned ? "card-turned" : ""}`} id={id}>
      {title && <Heading>{title}</Heading>}
      {children}
    </section>
  );
}

/** Facts is a list of names and values. Rows without a value are left out. */
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
