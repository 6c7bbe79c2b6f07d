import { Encryption } from "../contract";
import { EncryptionBadge } from "../endtoend/label";
import { dateOf, exact } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { rich, t } from "../i18n/share";
import { policy } from "../session";
import { Card, CopyButton, Icon, isSelected, Relative, Time } from "../ui";
import type { Created } from "./draft";
import { keep } from "./made";
import Ways from "./ways";

/** Links shows what the page knows of a secret that was just shared: its link, and what was generated here. */
export default function Links({ created }: { created: Created }) {
  const expires = expiryOf(created);
  return (
    <>
      <ForThem created={created} expires={expires} onKept={() => keep([created.metadata.metadataKey])} />
      {created.generated && <Generated title="result.value" text={created.generated} />}
      {created.phrase && <Generated title="phrase.result" text={created.phrase} />}
      <Next metadata={created.metadata} expires={expires} />
    </>
  );
}

/** Generated shows a text or passphrase that this page generated. */
export function Generated({ title, text }: { title: "result.value" | "phrase.result"; text: string }) {
  return (
    <Card title={t(title)}>
      <p class="generated mono" dir="ltr">
        {text}
      </p>
      <div class="row">
        <CopyButton text={text} />
        <span class="muted small">{t("result.value.hint")}</span>
      </div>
    </Card>
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
  return (
    <Card kind="give" title={t("result.link")}>
      <p>{t("result.link.hint")}</p>
      <p class="link-text" dir="ltr" tabIndex={0} onCopy={() => isSelected(link) && onKept()}>
        {link}
      </p>
      <Ways link={link} expires={expires} hasPassphrase={secret.hasPassphrase} onKept={onKept} />
      <p>
        <EncryptionBadge encryption={Encryption[kind]} /> {kind === "end_to_end" && t("result.link.once")}
      </p>
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
