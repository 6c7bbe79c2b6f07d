import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { download } from "../download";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import { t } from "../i18n/revealed";
import { onLeave } from "../router";
import { announce, Button, Card, Checkbox, Empty, LinkButton, Notice, Page } from "../ui";
import { CopyButton, copyText } from "../ui/copy";
import { File } from "./file";
import { Hide, hidden } from "./hide";
import type { Content } from "./source";

/** How texts are shown. The choice lasts until the page is closed. */
const wrapped = signal(true);

/** What stands in place of a hidden text. It does not even show how long that is. */
const dots = "••••••••••••";

/** How long a page in the background keeps the value. */
const idle = 5 * 60_000;

/** Words are what a page says of its content in place of "the secret". */
interface Words {
  /** The heading. It is in the document's title, too. */
  title: string;
  /** The first sentence below it. */
  lead: ComponentChildren;
  /** The text of the button that ends. */
  done: string;
}

interface RevealedProps {
  content: Signal<Content | undefined>;
  words?: Words;
  brand: GetPublicBrandResponse | undefined;
  /** What stands below the content in place of the way to reply. */
  after?: ComponentChildren;
  /** Called when the content is on the page. */
  onShown: () => void;
  /** Called when the content has been removed from memory and from the page. */
  onClear: () => void;
}

/** Revealed shows the content, and forgets it when the page is left or hidden for long. */
export function Revealed({ content, words, brand, after, onShown, onClear }: RevealedProps) {
  useClearing(content, onClear);
  useEffect(onShown, []);
  const shown = content.value;
  const end = () => clear(content, onClear);
  const once = shown?.kind === "text" && t("open.revealed.text");
  const lead = words ? (
    <>
      {words.lead} {once}
    </>
  ) : (
    once
  );
  const done = words?.done ?? t("open.clear");
  return (
    <Page title={words?.title ?? t("open.revealed")} lead={lead}>
      <Card>
        {shown?.kind === "text" && <Text text={shown.text} done={done} onClear={end} />}
        {shown?.kind === "file" && <File {...shown} done={done} onClear={end} />}
        {brand?.brand?.instructionsReveal && (
          <p class="brand-words" dir="auto">
            {brand.brand.instructionsReveal}
          </p>
        )}
        <p class="muted small">{t("open.idle")}</p>
      </Card>
      {brand?.brand?.instructionsPostReveal && (
        <p class="brand-words" dir="auto">
          {brand.brand.instructionsPostReveal}
        </p>
      )}
      {after === undefined ? <Reply /> : after}
    </Page>
  );
}

function Reply() {
  return (
    <p>
      {/* In a tab of its own: this one keeps the secret, and the other one gets nothing of it. */}
      <LinkButton href="/" target="_blank" rel="noopener noreferrer" icon="plus">
        {t("reveal.reply")}
      </LinkButton>
    </p>
  );
}

function Text({ text, done, onClear }: { text: string; done: string; onClear: () => void }) {
  const [copied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  const overflows = useOverflow(shown);
  const onCopied = () => setCopied(true);
  return (
    <>
      <div class="secret">
        <pre
          ref={shown}
          class={wrapped.value ? undefined : "secret-lines"}
          dir="auto"
          tabIndex={0}
          role="region"
          aria-label={t("open.secret")}
          translate={false}
          spellcheck={false}
        >
          {hidden.value ? <span class="secret-hidden">{dots}</span> : text}
        </pre>
        <CopyButton kind="quiet" size="small" text={text} done={t("open.copied")} onCopied={onCopied}>
          {t("ui.copy")}
        </CopyButton>
      </div>
      {overflows && (
        <Checkbox
          checked={wrapped.value}
          onChecked={(on) => {
            wrapped.value = on;
          }}
        >
          {t("reveal.wrap")}
        </Checkbox>
      )}
      <div class="row reveal-actions">
        <CopyButton kind="primary" text={text} done={t("open.copied")} onCopied={onCopied}>
          {t("open.copy")}
        </CopyButton>
        <Button icon="download" onClick={() => download("secret.txt", text)}>
          {t("open.download")}
        </Button>
        <Hide />
        <Button icon="check" onClick={onClear}>
          {done}
        </Button>
      </div>
      {copied && <ClipboardHint onCleared={() => setCopied(false)} />}
    </>
  );
}

/** useOverflow reports whether a line of a text is wider than its place. What is hidden is as before. */
function useOverflow(of: RefObject<HTMLPreElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) {
      return;
    }
    const look = () => {
      if (!hidden.peek()) {
        const { className } = element;
        element.className = "secret-lines";
        setOverflows(element.scrollWidth > element.clientWidth);
        element.className = className;
      }
    };
    look();
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return overflows;
}

function ClipboardHint({ onCleared }: { onCleared: () => void }) {
  const clearClipboard = async () => {
    if (await copyText(" ")) {
      announce(t("open.clipboard.cleared"));
      onCleared();
    }
  };
  return (
    <Notice>
      <p>{t("open.clipboard")}</p>
      <Button size="small" onClick={() => void clearClipboard()}>
        {t("open.clipboard.clear")}
      </Button>
    </Notice>
  );
}

/** Cleared is shown once the visitor is done with a secret. */
export function Cleared({ after }: { after: string | undefined }) {
  return (
    <Page title={t("open.cleared.title")}>
      <Empty icon="check" title={t("open.cleared")}>
        {after && (
          <p class="brand-words" dir="auto">
            {after}
          </p>
        )}
        <LinkButton href="/">{t("reveal.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}

function clear(content: Signal<Content | undefined>, onClear: () => void): void {
  content.value = undefined;
  onClear();
}

/**
 * useClearing clears the content when the page is left, when the browser restores it
 * from its cache, and when it was in the background for too long. It may be in the
 * background from the start.
 */
function useClearing(content: Signal<Content | undefined>, onClear: () => void): void {
  useLayoutEffect(() => {
    let hiddenSince = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => clear(content, onClear);
    const look = () => {
      clearTimeout(timer);
      if (document.hidden) {
        hiddenSince = Date.now();
        timer = setTimeout(end, idle);
      } else if (hiddenSince > 0 && Date.now() - hiddenSince >= idle) {
        end();
      }
    };
    const restored = (event: PageTransitionEvent) => {
      if (event.persisted) {
        end();
      }
    };
    addEventListener("pagehide", end);
    addEventListener("pageshow", restored);
    document.addEventListener("visibilitychange", look);
    const stay = onLeave(end);
    look();
    return () => {
      content.value = undefined;
      clearTimeout(timer);
      removeEventListener("pagehide", end);
      removeEventListener("pageshow", restored);
      document.removeEventListener("visibilitychange", look);
      stay();
    };
  }, []);
}
