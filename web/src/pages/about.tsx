import { Kinds } from "../about/kinds";
import { Questions } from "../about/questions";
import { Way } from "../about/way";
import { t } from "../i18n/about";
import { instanceName } from "../session";
import { allows } from "../share/kind";
import { Card, Page } from "../ui";

/** About says how the service works, and answers what people ask about it. */
export default function About() {
  const both = allows("end_to_end") && allows("server");
  return (
    <Page title={t("about.title", { name: instanceName.value })} lead={t("about.lead")}>
      <Card title={t("about.way.title")}>
        <Way />
      </Card>
      <Card title={t(both ? "about.encryption.title" : "share.kind")}>
        <Kinds />
      </Card>
      <Questions />
      <p>
        <a href="/security">{t("about.more")}</a>
      </p>
    </Page>
  );
}
