import { t } from "../i18n";
import { Failure, Loading, Page } from "../ui";

/** Checking is shown until it is known what a link leads to. It says of no secret that it exists. */
export function Checking() {
  return (
    <Page title={t("open.checking")}>
      <Loading />
    </Page>
  );
}

/** Unchecked says why it is unknown what a link leads to. */
export function Unchecked({ thrown, retry }: { thrown: unknown; retry: () => void }) {
  return (
    <Page title={t("open.unchecked")}>
      <Failure error={thrown} retry={retry} />
    </Page>
  );
}
