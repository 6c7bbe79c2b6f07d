import { t } from "../i18n/requests";
import { mayAsk } from "../share/fields";
import { LinkButton } from "../ui";

/** AskLink leads to the form that asks for a secret, where there is one. */
export function AskLink() {
  return mayAsk() ? (
    <LinkButton kind="primary" icon="plus" href="/#ask">
      {t("requests.ask")}
    </LinkButton>
  ) : null;
}
