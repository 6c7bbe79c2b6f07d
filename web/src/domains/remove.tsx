import { useState } from "preact/hooks";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { t } from "../i18n/domains";
import { navigate } from "../router";
import { domains } from "../rpc";
import { announce, Button, Card } from "../ui";

/** Remove removes a domain, after a confirmation. */
export function Remove({ domain }: { domain: Domain }) {
  const [open, setOpen] = useState(false);
  const submission = useSubmit();
  const name = domain.displayDomain;
  const remove = () =>
    submission.run(async () => {
      await domains.removeDomain({ domain: domain.domainId });
      announce(t("domain.removed", { name }));
      navigate("/account/domains", { replace: true });
    });
  return (
    <Card title={t("domain.remove.title")} kind="danger">
      <p>{t("domain.remove.text")}</p>
      <div class="row">
        <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
          {t("domain.remove")}
        </Button>
      </div>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={t("domain.remove.confirm", { name })}
        action={t("domain.remove")}
        onConfirm={remove}
      >
        <p>{t("domain.remove.warning")}</p>
      </ConfirmCall>
    </Card>
  );
}
