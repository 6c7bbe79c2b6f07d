import { useState } from "preact/hooks";
import { Encryption } from "../contract";
import { EncryptionBadge } from "../endtoend/label";
import { dateOf, exact } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { rich, t } from "../i18n/share";
import { policy } from "../session";
import { announce, Button, Card, CopyButton, copyText, Icon, Relative, Time } from "../ui";
import { Dialog } from "../ui/dialog";
import { Qr } from "../ui/qr";
import type { Created } from "./draft";
import { keep } from "./made";

/** Links shows what the page knows of a secret that was just shared: its link, and the text if it was generated here. */
export default function Links({ created }: { created: Created }) {
  const expires = expiryOf(created);
  return (
    <>
      <ForThem created={created} expires={expires} onKept={keep} />
      {created.generated && (
        <Card title={t("result.value")}>
          <p class="generated mono" dir="ltr">
            {created.generated}
          </p>
          <div class="row">
            <CopyButton text={created.generated} />
            <span class="muted small">{t("result.value.hint")}</span>
          </div>
        </Card>
      )}
      <Next metadata={created.metadata} expires={expires} />
    </>
  );
}

/** expiryOf returns when a secret expires. */
function expiryOf({ secret }: Created): Date {
  return dateOf(secret.expireTime) ?? new Date();
}

interface ForThemProps {
  created: Created;
  expires: Date;
  /** Called when the link was copied or handed to another program. */
  onKept: () => void;
}

/** ForThem shows the link for the recipient, with the ways to send it. */
function ForThem({ created, expires, onKept }: ForThemProps) {
  const { link, kind, secret } = created;
  const [qr, setQr] = useState(false);
  const [message, setMessage] = useState(false);
  return (
    <Card kind="give" title={t("result.link")}>
      <p>{t("result.link.hint")}</p>
      <p class="link-text" dir="ltr" tabIndex={0} onCopy={onKept}>
        {link}
      </p>
      <div class="row">
        <CopyButton kind="primary" size="large" text={link} done={t("result.copied")} onCopied={onKept}>
          {t("result.copy")}
        </CopyButton>
        {"share" in navigator && (
          <Button icon="share" onClick={() => void share(link, onKept)}>
            {t("result.share")}
          </Button>
        )}
        <Button icon="qr" onClick={() => setQr(true)}>
          {t("result.qr")}
        </Button>
        <Button icon="mail" aria-expanded={message} onClick={() => setMessage(!message)}>
          {t("result.message")}
        </Button>
      </div>
      {message && <Message text={messageText(link, expires, secret.hasPassphrase)} onCopied={onKept} />}
      <p>
        <EncryptionBadge encryption={Encryption[kind]} /> {kind === "end_to_end" && t("result.link.once")}
      </p>
      <Dialog open={qr} onClose={() => setQr(false)} title={t("result.link")}>
        <Qr text={link} />
        <div class="row row-end">
          <Button onClick={() => setQr(false)}>{t("ui.close")}</Button>
        </div>
      </Dialog>
    </Card>
  );
}

/**
 * Message is a text to paste. The mail program gets only a subject: a web mailer
 * would receive the rest as an address that the browser requests.
 */
function Message({ text, onCopied }: { text: string; onCopied: () => void }) {
  const mail = async () => {
    if (!(await copyText(text))) {
      announce(t("ui.copy_failed"));
      return;
    }
    onCopied();
    announce(t("result.message.mailed"));
    location.href = `mailto:?subject=${encodeURIComponent(t("result.share.title"))}`;
  };
  return (
    <div class="stack-s">
      <p class="message" dir="auto" onCopy={onCopied}>
        {text}
      </p>
      <div class="row">
        <CopyButton text={text} size="small" onCopied={onCopied}>
          {t("result.message.copy")}
        </CopyButton>
        <Button size="small" icon="mail" onClick={() => void mail()}>
          {t("result.message.mail")}
        </Button>
      </div>
    </div>
  );
}

function messageText(link: string, expires: Date, hasPassphrase: boolean): string {
  const text = t("result.message.text", { time: exact(expires), link });
  return hasPassphrase ? `${text}\n\n${t("result.message.passphrase")}` : text;
}

async function share(url: string, onShared: () => void): Promise<void> {
  try {
    await navigator.share({ title: t("result.share.title"), url });
    onShared();
  } catch {
    // The browser reports a closed dialog as an error.
  }
}

/** Next says what will happen, and when it will happen. */
function Next({ metadata, expires }: { metadata: Metadata; expires: Date }) {
  const forgotten = dateOf(metadata.expireTime);
  const recipients = metadata.recipients.join(", ");
  return (
    <Card title={t("result.next")}>
      <ul class="steps">
        {recipients && (
          <li>
            <Icon name="mail" />
            <span>{t(policy.value?.mail ? "result.next.mailed" : "result.next.not_mailed", { recipients })}</span>
          </li>
        )}
        <li>
          <Icon name="eye" />
          <span>{t("result.next.once")}</span>
        </li>
        {metadata.hasPassphrase && (
          <li>
            <Icon name="lock" />
            <span>{t("result.next.passphrase")}</span>
          </li>
        )}
        <li>
          <Icon name="clock" />
          <span>
            {rich("result.next.expire", { relative: <Relative date={expires} />, time: <Time date={expires} /> })}
          </span>
        </li>
        {forgotten && (
          <li>
            <Icon name="receipt" />
            <span>{t("result.next.receipt", { time: exact(forgotten) })}</span>
          </li>
        )}
      </ul>
    </Card>
  );
}
