import { t } from "../i18n/domains";
import { CopyField } from "../ui/copy";

interface RecordProps {
  /** TXT, CNAME, A or AAAA. */
  type: string;
  name: string;
  /** One value for each record. */
  values: string[];
}

/** DnsRecord shows a record that the domain's zone must contain. */
export function DnsRecord({ type, name, values }: RecordProps) {
  return (
    <div class="record" role="group" aria-label={t("domain.record.label", { type })}>
      <Row name={t("domain.record.type")}>
        <code dir="ltr">{type}</code>
      </Row>
      <Row name={t("domain.record.name")}>
        <CopyField label={t("domain.record.name")} text={name} done={t("domain.record.name.copied")}>
          {t("domain.record.name.copy")}
        </CopyField>
      </Row>
      {values.map((value) => (
        <Row key={value} name={t("domain.record.value")}>
          <CopyField label={t("domain.record.value")} text={value} done={t("domain.record.value.copied")}>
            {t("domain.record.value.copy")}
          </CopyField>
        </Row>
      ))}
    </div>
  );
}

function Row({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="record-row">
      <span class="record-name" aria-hidden="true">
        {name}
      </span>
      {children}
    </div>
  );
}
