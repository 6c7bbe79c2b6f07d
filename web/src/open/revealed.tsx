import { type Signal, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { download } from "../download";
import type { Bytes } from "../endtoend/bytes";
import { size } from "../format";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import { t } from "../i18n/open";
import { askBeforeLeaving, onLeave } from "../router";
import { announce, Button, Card, CopyButton, copyText, Notice, Page, Segmented } from "../ui";
import type { Content } from "./source";

/** How secrets are shown. The choice lasts until the page is closed. */
const look = signal<"plain" | "veiled">("plain");

/** How long a page in the background keeps the value. */
const idle = 5 * 60_000;

interface RevealedProps {
  content: Signal<Content | undefined>;
  brand: GetPublicBrandResponse | undefined;
  /** Called when the content is on the page. */
  onShown: () => void;
  /** Called when the content has been removed from memory and from the page. */
  onClear: () => void;
}

/** Revealed shows the content, and forgets it when the page is left or hidden for long. */
export function Revealed({ content, brand, onShown, onClear }: RevealedProps) {
  useClearing(content, onClear);
  useEffect(onShown, []);
  const shown = content.value;
  return (
    <Page title={t("open.revealed")} lead={shown?.kind === "file" ? t("reveal.file.text") : t("open.revealed.text")}>
      <Card>
        {shown?.kind === "text" && <Text text={shown.text} onClear={() => clear(content, onClear)} />}
        {shown?.kind === "file" && <File {...shown} onClear={() => clear(content, onClear)} />}
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
    </Page>
  );
}

function Text({ text, onClear }: { text: string; onClear: () => void }) {
  const [copied, setCopied] = useState(false);
  const veiled = look.value === "veiled";
  return (
    <>
      <pre
        class={`secret ${veiled ? "secret-veiled" : ""}`}
        dir="auto"
        tabIndex={0}
        role="region"
        aria-label={t("open.secret")}
        translate={false}
        spellcheck={false}
      >
        {text}
      </pre>
      <div class="row">
        <CopyButton kind="primary" text={text} done={t("open.copied")} onCopied={() => setCopied(true)}>
          {t("open.copy")}
        </CopyButton>
        <Button icon="download" onClick={() => download("secret.txt", text)}>
          {t("open.download")}
        </Button>
        <Button icon="close" onClick={onClear}>
          {t("open.clear")}
        </Button>
      </div>
      {copied && <ClipboardHint onCleared={() => setCopied(false)} />}
      <Segmented
        label={t("open.view")}
        value={look.value}
        onValue={(next) => {
          look.value = next;
        }}
        options={[
          ["plain", t("open.view.plain")],
          ["veiled", t("open.view.veiled")],
        ]}
      />
    </>
  );
}

/** File offers a file to save. It never shows what the file holds, whatever its type. */
function File({ name, body, onClear }: { name: string; body: Bytes; onClear: () => void }) {
  const [saved, setSaved] = useState(false);
  useLayoutEffect(() => (saved ? undefined : askBeforeLeaving(() => t("reveal.file.leave"))), [saved]);
  const save = () => {
    download(name || t("reveal.file.unnamed"), body);
    setSaved(true);
  };
  return (
    <>
      <div class="file" role="region" aria-label={t("open.secret")}>
        <p class="file-name" dir="auto" translate={false}>
          {name || t("reveal.file.unnamed")}
        </p>
        <p class="muted">{size(body.length)}</p>
        {/^\.+[^.]/.test(name) && <p class="muted small">{t("reveal.file.dot", { name: name.replace(/^\.+/, "") })}</p>}
      </div>
      <div class="row">
        <Button kind="primary" icon="download" onClick={save}>
          {t("reveal.file.save")}
        </Button>
        <Button icon="close" onClick={onClear}>
          {t("open.clear")}
        </Button>
      </div>
      <p class="muted small">{t("reveal.file.trust")}</p>
    </>
  );
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
