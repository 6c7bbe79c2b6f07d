import Explanation from "../endtoend/explanation";
import { duration, size } from "../format";
import { t } from "../i18n/about";
import { instanceName, policy } from "../session";
import { allows } from "../share/kind";
import { Card, Page } from "../ui";

export default function About() {
  return (
    <Page title={t("about.title", { name: instanceName.value })} lead={t("about.lead")}>
      <Card title={t("about.once.title")}>
        <p>{t("about.once")}</p>
      </Card>
      <Card title={t(allows("end_to_end") && allows("server") ? "about.encryption.title" : "share.kind")}>
        <Explanation />
      </Card>
      <Card title={t("about.receipt.title")}>
        <p>{t("about.receipt")}</p>
      </Card>
      <Card title={t("about.kept.title")}>
        <p>{t("about.kept")}</p>
      </Card>
      <Card title={t("about.browser.title")}>
        <p>{t("about.browser")}</p>
      </Card>
      <Limits />
    </Page>
  );
}

function Limits() {
  const p = policy.value;
  if (!p) {
    return null;
  }
  return (
    <Card title={t("about.limits.title")}>
      <p>
        {t("about.limits.ttl", {
          anonymous: duration(Number(p.anonymousTtl)),
          account: duration(Number(p.accountTtl)),
        })}
      </p>
      <p>
        {t("about.limits.size", {
          anonymous: size(Number(p.anonymousSecret)),
          account: size(Number(p.accountSecret)),
        })}
      </p>
    </Card>
  );
}
