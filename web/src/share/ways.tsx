import { useState } from "preact/hooks";
import { region } from "../i18n";
import { t } from "../i18n/share";
import { lazy } from "../lazy";
import { handOver } from "../router";
import { announce, Button, CopyButton, copyText, isSelected } from "../ui";
import { Dialog } from "../ui/dialog";

const Qr = lazy(() => import("./qr"));

interface WaysProps {
  link: string;
  expires: Date;
  hasPassphrase: boolean;
  /** Called when the link was copied, saved or handed to another program. */
  onKept: () => void;
}

/** Ways has the buttons that bring a link to its recipient. */
export default function Ways({ link, expires, hasPassphrase, onKept }: WaysProps) {
  const [qr, setQr] = useState(false);
  const [message, setMessage] = useState<"open" | "mailed">();
  const text = messageText(link, expires, hasPassphrase);
  const mail = async () => {
    setMessage("open");
    if (!(await copyText(text))) {
      announce(t("ui.copy_failed"));
      return;
    }
    onKept();
    setMessage("mailed");
    announce(t("result.message.mailed"));
    // Only a subject: a web mailer would receive the rest as an address that the browser requests.
    handOver(`mailto:?subject=${encodeURIComponent(t("result.share.title"))}`);
  };
  return (
    <>
      <div class="row no-print">
        <CopyButton kind="primary" size="large" text={link} done={t("result.copied")} onCopied={onKept}>
          {t("result.copy")}
        </CopyButton>
        {"share" in navigator && (
          <Button icon="share" onClick={() => void share(link, onKept)}>
            {t("result.share")}
          </Button>
        )}
        <Button icon="mail" onClick={() => void mail()}>
          {t("result.mail")}
        </Button>
        <Button icon="qr" onClick={() => setQr(true)}>
          {t("result.qr")}
        </Button>
        <Button icon="file" aria-expanded={Boolean(message)} onClick={() => setMessage(message ? undefined : "open")}>
          {t("result.message")}
        </Button>
      </div>
      {message && (
        <div class="stack-s">
          {message === "mailed" && <p>{t("result.message.mailed")}</p>}
          <p class="message" dir="auto" onCopy={() => isSelected(link) && onKept()}>
            {text}
          </p>
          <div class="row">
            <CopyButton text={text} size="small" onCopied={onKept}>
              {t("result.message.copy")}
            </CopyButton>
          </div>
        </div>
      )}
      <Dialog open={qr} onClose={() => setQr(false)} title={t("result.link")}>
        <Qr text={link} onSaved={onKept} />
        <div class="row row-end">
          <Button onClick={() => setQr(false)}>{t("ui.close")}</Button>
        </div>
      </Dialog>
    </>
  );
}

function messageText(link: string, expires: Date, hasPassphrase: boolean): string {
  const text = t("result.message.text", { time: zoned(expires), link });
  return hasPassphrase ? `${text}\n\n${t("result.message.passphrase")}` : text;
}

/** zoned formats a date and time with its time zone, for a reader who may be in another. */
function zoned(date: Date): string {
  const format = { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat(region.value, { ...format, timeZoneName: "short" }).format(date);
}

async function share(url: string, onShared: () => void): Promise<void> {
  try {
    await navigator.share({ title: t("result.share.title"), url });
    onShared();
  } catch {
    // The browser reports a closed dialog as an error.
  }
}
