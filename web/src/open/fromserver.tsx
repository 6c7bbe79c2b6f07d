import { Encryption } from "../contract";
import { t } from "../i18n/open";
import { AskLink } from "./asklink";
import { Checked } from "./checked";
import { Mangled } from "./mangled";
import { fromServer } from "./source";
import { Stage } from "./stage";

// The other kind's page takes these from here, so that both are one script.
export { Checked, Stage };

/** FromServer opens a secret that the server encrypted. It never opens another one: this link lacks what that needs. */
export function FromServer({ secretKey }: { secretKey: string }) {
  return (
    <Checked
      secretKey={secretKey}
      show={(secret) =>
        secret.encryption === Encryption.end_to_end ? (
          <AskLink title={t("open.bad.title")} lead={t("reveal.incomplete")} />
        ) : (
          <Stage secret={secret} source={() => fromServer(secretKey)} notice={<Mangled text={t("reveal.mangled")} />} />
        )
      }
    />
  );
}
