import { t } from "../i18n/share";
import { Notice } from "../ui";

/** NoCrypto says that this browser cannot encrypt here, and what comes of that: the server encrypts, or nothing can be shared. */
export default function NoCrypto({ impossible }: { impossible: boolean }) {
  return impossible ? (
    <Notice kind="warn">{t("share.kind.impossible")}</Notice>
  ) : (
    <p class="field-hint">{t("share.kind.no_crypto")}</p>
  );
}
