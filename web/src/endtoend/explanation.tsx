import { t } from "../i18n/about";
import { policy } from "../session";
import { allows } from "../share/kind";

/** Explanation says what the kinds of encryption that are allowed here mean, and what neither can promise. */
export default function Explanation() {
  return (
    <div class="stack-s">
      {allows("end_to_end") && <p>{t("about.encryption.end_to_end")}</p>}
      {allows("server") && (
        <p>
          {t("about.encryption.server")}{" "}
          {allows("end_to_end") && t(policy.value?.mail ? "about.encryption.only.mail" : "about.encryption.only")}
        </p>
      )}
      <ul class="limits">
        <li>{t("about.encryption.page")}</li>
        <li>{t("about.encryption.once")}</li>
        <li>{t("about.encryption.history")}</li>
      </ul>
    </div>
  );
}
