import { useState } from "preact/hooks";
import { region } from "../i18n";
import { t } from "../i18n/share";
import { handOver } from "../router";
import { announce, Button, Checkbox } from "../ui";
import { CopyButton, copyText, isSelected } from "../ui/copy";
import { Dialog } from "../ui/dialog";

/** Words are what is said of a link where it is not a secret's. */
export interface Words {
  /** What the link is, above its field. */
  label: string;
  /** Returns the message that has the link, with when that ends. */
  message: (time: string, link: string) => string;
  /** The subject of a mail with that. A web mailer gets it as an address: it says nothing of the link's content. */
  subject: string;
}

interface SendProps {
  open: boolean;
  onClose: () => void;
  link: string;
  /** The same link as it opens without JavaScript, if there is one. */
  plain?: string | undefined;
  expires: Date;
  hasPassphrase: boolean;
  /** What is said of the link in place of the words about a secret's. */
  words?: Words | undefined;
  /** Called when the link was copied or handed to another program. */
  onKept: () => void;
}

/** Send is the dialog with a message that has the link, and the programs to send it with. */
export function Send({ open, onClose, link, plain, expires, hasPassphrase, words, onKept }: SendProps) {
  const [usesPlain, setUsesPlain] = useState(false);
  const [mailed, setMailed] = useState(false);
  const sent = usesPlain && plain ? plain : link;
  const text = words?.message(zoned(expires), sent) ?? messageText(sent, expires, hasPassphrase);
  const subject = words?.subject ?? t("result.share.title");
  const mail = async () => {
    if (!(await copyText(text))) {
      announce(t("ui.copy_failed"));
      return;
    }
    onKept();
    setMailed(true);
    announce(t("result.message.mailed"));
    // Only a subject: a web mailer would receive the rest as an address that the browser requests.
    handOver(`mailto:?subject=${encodeURIComponent(subject)}`);
  };
  return (
    <Dialog open={open} onClose={onClose} title={t("result.send.title")}>
      <p class="message" dir="auto" onCopy={() => isSelected(sent) && onKept()}>
        {text}
      </p>
      {plain && (
        <Checkbox checked={usesPlain} onChecked={setUsesPlain} hint={t("result.plain.hint")}>
          {t("result.plain")}
        </Checkbox>
      )}
      <div class="send-ways">
        <CopyButton kind="primary" text={text} onCopied={onKept}>
          {t("result.message.copy")}
        </CopyButton>
        {sent !== link && (
          <CopyButton text={sent} icon="copy" done={t("result.copied")} onCopied={onKept}>
            {t("result.copy")}
          </CopyButton>
        )}
        <Button icon="mail" onClick={() => void mail()}>
          {t("result.mail")}
        </Button>
        {"share" in navigator && (
          <Button icon="share" onClick={() => void share(sent, subject, onKept)}>
            {t("result.share")}
          </Button>
        )}
      </div>
      {mailed && <p>{t("result.message.mailed")}</p>}
      <div class="row row-end">
        <Button onClick={onClose}>{t("ui.close")}</Button>
      </div>
    </Dialog>
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

async function share(url: string, title: string, onShared: () => void): Promise<void> {
  try {
    await navigator.share({ title, url });
    onShared();
  } catch {
    // The browser reports a closed dialog as an error.
  }
}
