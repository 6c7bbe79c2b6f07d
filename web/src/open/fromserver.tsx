import { Encryption } from "../contract";
import type { Secret } from "../gen/hush/v1/secret_pb";
import { t } from "../i18n/open";
import { AskLink } from "./asklink";
import { Mangled } from "./mangled";
import { fromServer } from "./source";
import { Stage } from "./stage";

// The other kind's page takes it from here, so that both are one script.
export { Stage };

/** FromServer opens a secret that the server encrypted. It never opens another one: this link lacks what that needs. */
export default function FromServer({ secretKey, secret }: { secretKey: string; secret: Secret }) {
  if (secret.encryption === Encryption.end_to_end) {
    return <AskLink title={t("open.bad.title")} lead={t("reveal.incomplete")} />;
  }
  return <Stage secret={secret} source={() => fromServer(secretKey)} notice={<Mangled text={t("reveal.mangled")} />} />;
}
