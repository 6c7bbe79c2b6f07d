import { t } from "../i18n";
import { Failure, Page, Skeleton } from "../ui";

/** Checking is shown until it is known what a link leads to. It says of no secret that it exists. */
export function Checking() {
  return (
    <Page short title={t("open.checking")}>
      <Skeleton />
    </Page>
  );
}

/** Unchecked says why it is unknown what a link leads to. */
export function Unchecked({ thrown, retry }: { thrown: unknown; retry: () => void }) {
  return (
    <Page short title={t("open.unchecked")}>
      <Failure error={thrown} retry={retry} />
    </Page>
  );
}
