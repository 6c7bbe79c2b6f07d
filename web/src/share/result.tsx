import { Encryption } from "../contract";
import { dateOf } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/share";
import { plainLink } from "../link";
import { policy } from "../session";
import { Card, Icon } from "../ui";
import { CopyButton, CopyField } from "../ui/copy";
import type { Created } from "./draft";
import LinkCard from "./linkcard";
import { keep } from "./made";

/** Links shows what the page knows of a secret that was just shared: its link, and what was generated here. */
export default function Links({ created }: { created: Created }) {
  const { link, kind, secret, metadata, file, generated, phrase } = created;
  const once = kind === "end_to_end" ? ` ${t("result.link.once")}` : "";
  return (
    <LinkCard
      {...{ link, file }}
      plain={
        kind === "server" ? plainLink(policy.value?.baseUrl ?? "", secret.secretKey, secret.shareDomain) : undefined
      }
      encryption={Encryption[kind]}
      expires={dateOf(secret.expireTime) ?? new Date()}
      hasPassphrase={secret.hasPassphrase}
      hint={t("result.link.hint") + once}
      onKept={() => keep([metadata.metadataKey])}
    >
      {generated && <Once label={t("result.value")} text={generated} />}
      {phrase && <Once label={t("phrase.result")} text={phrase} />}
      <Notes metadata={metadata} />
    </LinkCard>
  );
}

/** Once shows what this page generated in a line of the card with the link. */
function Once({ label, text }: { label: string; text: string }) {
  return (
    <div class="field no-print">
      <span class="field-label" aria-hidden="true">
        {label}
      </span>
      <CopyField label={label} text={text} />
      <p class="field-hint">{t("result.value.hint")}</p>
    </div>
  );
}

/** Generated shows a text or passphrase that this page generated. It is not printed: a print has the link. */
export function Generated({ title, text }: { title: "result.value" | "phrase.result"; text: string }) {
  return (
    <div class="no-print">
      <Card title={t(title)}>
        <p class="generated mono" dir="ltr">
          {text}
        </p>
        <div class="row">
          <CopyButton text={text} />
          <span class="muted small">{t("result.value.hint")}</span>
        </div>
      </Card>
    </div>
  );
}

/** Notes says what else the recipient needs, and what the server mails. */
function Notes({ metadata }: { metadata: Metadata }) {
  const recipients = metadata.recipients.join(", ");
  return recipients || metadata.hasPassphrase ? (
    <ul class="steps small">
      {recipients && (
        <li>
          <Icon name="mail" />
          <span>{t(policy.value?.mail ? "result.next.mailed" : "result.next.not_mailed", { recipients })}</span>
        </li>
      )}
      {metadata.hasPassphrase && (
        <li>
          <Icon name="lock" />
          <span>{t("result.next.passphrase")}</span>
        </li>
      )}
    </ul>
  ) : null;
}
