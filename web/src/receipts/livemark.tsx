import { t } from "../i18n/receipts";

/**
 * LiveMark says that a page shows within seconds what happens, or that it cannot at the
 * moment. It says nothing for a page that does not follow anything.
 */
export function LiveMark({ live }: { live: boolean | undefined }) {
  return live === undefined ? null : (
    <span class={`live no-print ${live ? "" : "live-lost"}`} title={t("receipt.live.hint")}>
      {t(live ? "receipt.live" : "receipt.live.lost")}
    </span>
  );
}
