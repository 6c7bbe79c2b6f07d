import { exact } from "../format";
import { t } from "../i18n/share";
import { instanceName } from "../session";
import { QrCode } from "./qr";

/** PrintSheet is all that a print of the page has: whose link it is, the link, and until when it opens once. */
export default function PrintSheet({ link, expires }: { link: string; expires: Date }) {
  return (
    <section class="print-sheet">
      <p class="print-name" dir="auto">
        {instanceName.value}
      </p>
      <QrCode text={link} />
      <p class="mono">{link}</p>
      <p>{t("result.print.text", { time: exact(expires) })}</p>
    </section>
  );
}
