import { useState } from "preact/hooks";
import { dateOf, exact } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { rich, t } from "../i18n";
import { receiptLink, secretLink } from "../link";
import { Burn } from "../receipts/burn";
import { policy } from "../session";
import { Button, Card, CopyButton, Dialog, Icon, LinkButton, Notice, Page, Qr, Relative, Time } from "../ui";
import type { Created } from "./draft";

interface ResultProps {
  created: Created;
  onAnother: () => void;
}

/**
 * Result replaces the form and shows both links. The page's address contains
 * neither, so both are gone when the page is left.
 */
export default function Result({ created, onAnother }: ResultProps) {
  const { metadata, secret } = created.answer;
  const [burned, setBurned] = useState(false);
  if (!metadata || !secret) {
    return <Notice kind="bad">{t("problem.internal")}</Notice>;
  }
  const expires = dateOf(secret.expireTime) ?? new Date();
  if (burned) {
    return (
      <Page title={t("result.burned.title")} width="narrow" lead={t("result.burned")}>
        <div class="row">
          <Button kind="primary" onClick={onAnother}>
            {t("result.another")}
          </Button>
        </div>
      </Page>
    );
  }
  return (
    <Page title={t("result.title")} lead={t("result.lead", { time: exact(expires) })}>
      <ForThem created={created} expires={expires} />
      {created.generated && (
        <Card title={t("result.value")}>
          <p class="generated mono">{created.generated}</p>
          <div class="row">
            <CopyButton text={created.generated} />
            <span class="muted small">{t("result.value.hint")}</span>
          </div>
        </Card>
      )}
      <ForYou metadata={metadata} onBurned={() => setBurned(true)} />
      <Next metadata={metadata} expires={expires} />
      <div class="row">
        <Button icon="plus" onClick={onAnother}>
          {t("result.another")}
        </Button>
      </div>
    </Page>
  );
}

/** ForThem shows the link for the recipient, with the ways to send it. */
function ForThem({ created, expires }: { created: Created; expires: Date }) {
  const secret = created.answer.secret;
  const link = secretLink(policy.value?.baseUrl ?? "", secret?.secretKey ?? "", secret?.shareDomain);
  const [qr, setQr] = useState(false);
  const [message, setMessage] = useState(false);
  return (
    <Card kind="give" title={t("result.link")}>
      <p>{t("result.link.hint")}</p>
      <p class="link-text" tabIndex={0}>
        {link}
      </p>
      <div class="row">
        <CopyButton kind="primary" size="large" text={link} done={t("result.copied")}>
          {t("result.copy")}
        </CopyButton>
        {"share" in navigator && (
          <Button icon="share" onClick={() => void share(link)}>
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
      {message && <Message text={messageText(link, expires, secret?.hasPassphrase ?? false)} />}
      <Dialog open={qr} onClose={() => setQr(false)} title={t("result.link")}>
        <Qr text={link} />
        <div class="row row-end">
          <Button onClick={() => setQr(false)}>{t("ui.close")}</Button>
        </div>
      </Dialog>
    </Card>
  );
}

function Message({ text }: { text: string }) {
  return (
    <div class="stack-s">
      <p class="message">{text}</p>
      <div class="row">
        <CopyButton text={text} size="small">
          {t("result.message.copy")}
        </CopyButton>
      </div>
    </div>
  );
}

function messageText(link: string, expires: Date, hasPassphrase: boolean): string {
  const text = t("result.message.text", { time: exact(expires), link });
  return hasPassphrase ? `${text}\n\n${t("result.message.passphrase")}` : text;
}

async function share(url: string): Promise<void> {
  try {
    await navigator.share({ title: t("result.share.title"), url });
  } catch {
    // The browser reports a closed dialog as an error.
  }
}

/** ForYou is the sender's part. It looks different and shows no link, so that nobody copies the wrong one. */
function ForYou({ metadata, onBurned }: { metadata: Metadata; onBurned: () => void }) {
  const link = receiptLink(policy.value?.baseUrl ?? "", metadata.metadataKey);
  return (
    <Card kind="keep" title={t("result.receipt")}>
      <p>{t("result.receipt.hint")}</p>
      <div class="row">
        <LinkButton icon="receipt" href={`/r#${metadata.metadataKey}`}>
          {t("result.receipt.open")}
        </LinkButton>
        <CopyButton kind="quiet" text={link}>
          {t("result.receipt.copy")}
        </CopyButton>
        <Burn metadata={metadata} onBurned={onBurned} label={t("result.burn")} />
      </div>
    </Card>
  );
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
