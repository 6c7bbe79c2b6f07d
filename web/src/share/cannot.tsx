import { t } from "../i18n/share";
import { LinkButton, Notice } from "../ui";

interface CannotProps {
  /** "account": only accounts share here. "none": this browser can share nothing here. "server": the server has to encrypt. */
  why: "account" | "none" | "server";
}

/** Cannot says what this visitor or this browser cannot do here, and what comes of that. */
export default function Cannot({ why }: CannotProps) {
  switch (why) {
    case "account":
      return (
        <Notice>
          <p>{t("share.signin")}</p>
          <LinkButton kind="primary" href="/signin">
            {t("app.signin")}
          </LinkButton>
        </Notice>
      );
    case "none":
      return <Notice kind="warn">{t("share.kind.impossible")}</Notice>;
    case "server":
      return <p class="field-hint">{t("share.kind.no_crypto")}</p>;
  }
}
