import type { ComponentChildren } from "preact";
import { Requests } from "../contract";
import { duration, size } from "../format";
import { t } from "../i18n/about";
import { policy } from "../session";
import { allows } from "../share/kind";
import { Card, Icon } from "../ui";

/** Questions answers what people ask before they trust the service. */
export function Questions() {
  return (
    <Card title={t("about.questions")}>
      <div class="questions">
        <Question ask={t("about.question.operator")}>
          {(["end_to_end", "server"] as const).filter(allows).map((kind) => (
            <p key={kind}>
              <strong>{t(`encryption.${kind}`)}</strong>: {t(`encryption.${kind}.text`)}
            </p>
          ))}
          <p>{t("about.encryption.page")}</p>
        </Question>
        <Question ask={t("about.question.twice")}>
          <p>{t("about.once")}</p>
          <p>{t("about.encryption.once")}</p>
        </Question>
        <Question ask={t("about.question.preview")}>
          <p>{t("about.answer.preview")}</p>
        </Question>
        <Question ask={t("about.question.stolen")}>
          <p>{t("about.answer.stolen")}</p>
          <p>{t("about.kept")}</p>
        </Question>
        <Limits />
        <Question ask={t("about.question.receipt")}>
          <p>{t("about.receipt")}</p>
        </Question>
        {asks() && (
          <Question ask={t("about.question.ask")}>
            <p>{t("about.answer.ask")}</p>
          </Question>
        )}
        <Question ask={t("about.question.browser")}>
          <p>{t("about.browser")}</p>
          {asks() && <p>{t("about.browser.ask")}</p>}
          <p>{t("about.encryption.history")}</p>
        </Question>
      </div>
    </Card>
  );
}

/** asks reports whether secrets can be asked for here. */
function asks(): boolean {
  return policy.value !== undefined && policy.value.requests !== (Requests.off as number);
}

function Question({ ask, children }: { ask: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>
        <span>{ask}</span>
        <Icon name="down" />
      </summary>
      <div class="stack-s">{children}</div>
    </details>
  );
}

function Limits() {
  const p = policy.value;
  if (!p) {
    return null;
  }
  const [ttls, sizes] = [
    { anonymous: duration(Number(p.anonymousTtl)), account: duration(Number(p.accountTtl)) },
    { anonymous: size(Number(p.anonymousSecret)), account: size(Number(p.accountSecret)) },
  ];
  return (
    <Question ask={t("about.question.long")}>
      <p>{t("about.limits.ttl", ttls)}</p>
      <p>{t("about.limits.size", sizes)}</p>
    </Question>
  );
}
