import { t } from "../i18n/about";

/** Explanation says what the two kinds of encryption mean, and what neither can promise. */
export default function Explanation() {
  return (
    <div class="stack-s">
      <p>{t("about.encryption.end_to_end")}</p>
      <p>{t("about.encryption.server")}</p>
      <ul class="limits">
        <li>{t("about.encryption.page")}</li>
        <li>{t("about.encryption.once")}</li>
        <li>{t("about.encryption.history")}</li>
      </ul>
    </div>
  );
}
