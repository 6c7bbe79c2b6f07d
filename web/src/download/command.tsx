import { t } from "../i18n/download";
import { Icon } from "../ui";

/** Command says how to download a file without a browser. The link is not repeated: it is in the address. */
export function Command() {
  return (
    <details class="address">
      <summary>
        {t("download.hush")}
        <Icon name="down" />
      </summary>
      <p>{t("download.hush.text")}</p>
      <p>
        <code class="mono" dir="ltr" translate={false}>
          hush open LINK --output FILE
        </code>
      </p>
    </details>
  );
}
