import { Requests } from "../contract";
import { t } from "../i18n/requests";
import { policy } from "../session";
import { open } from "../share/kept";
import { canEncrypt } from "../share/kind";
import { LinkButton } from "../ui";

/** AskLink leads to the form that asks for a secret, where there is one. */
export function AskLink() {
  return canEncrypt() && policy.value?.requests !== (Requests.off as number) ? (
    <LinkButton kind="primary" icon="plus" href="/" onClick={() => open("ask")}>
      {t("requests.ask")}
    </LinkButton>
  ) : null;
}
