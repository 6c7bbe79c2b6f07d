import { type Signal, signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import { download } from "../download";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import { t } from "../i18n";
import { onLeave } from "../router";
import { announce, Button, Card, CopyButton, copyText, Notice, Page, Segmented } from "../ui";

/** How secrets are shown. The choice lasts until the page is closed. */
const look = signal<"plain" | "veiled">("plain");

/** How long a page in the background keeps the value. */
const idle = 5 * 60_000;

interface RevealedProps {
  value: Signal<string>;
  brand: GetPublicBrandResponse | undefined;
  /** Called when the value has been removed from memory and from the page. */
  onClear: () => void;
}

/** Revealed shows the value, and forgets it when the page is left or hidden for long. */
export function Revealed({ value, brand, onClear }: RevealedProps) {
  useClearing(value, onClear);
  const [copied, setCopied] = useState(false);
  const veiled = look.value === "veiled";
  return (
    <Page title={t("open.revealed")} lead={t("open.revealed.text")}>
      <Card>
        <pre
          class={`secret ${veiled ? "secret-veiled" : ""}`}
          tabIndex={0}
          role="region"
          aria-label={t("open.secret")}
          translate={false}
          spellcheck={false}
        >
          {value.value}
        </pre>
        <div class="row">
          <CopyButton kind="primary" text={value.value} done={t("open.copied")} onCopied={() => setCopied(true)}>
            {t("open.copy")}
          </CopyButton>
          <Button icon="download" onClick={() => download("secret.txt", value.value)}>
            {t("open.download")}
          </Button>
          <Button icon="close" onClick={() => clear(value, onClear)}>
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
        {brand?.brand?.instructionsReveal && <p class="brand-words">{brand.brand.instructionsReveal}</p>}
        <p class="muted small">{t("open.idle")}</p>
      </Card>
      {brand?.brand?.instructionsPostReveal && <p class="brand-words">{brand.brand.instructionsPostReveal}</p>}
    </Page>
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

function clear(value: Signal<string>, onClear: () => void): void {
  value.value = "";
  onClear();
}

/**
 * useClearing clears the value when the page is left, when the browser restores it
 * from its cache, and when it was in the background for too long. It may be in the
 * background from the start.
 */
function useClearing(value: Signal<string>, onClear: () => void): void {
  useLayoutEffect(() => {
    let hiddenSince = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => clear(value, onClear);
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
      value.value = "";
      clearTimeout(timer);
      removeEventListener("pagehide", end);
      removeEventListener("pageshow", restored);
      document.removeEventListener("visibilitychange", look);
      stay();
    };
  }, []);
}
