import { useState } from "preact/hooks";
import { t } from "../i18n/share";
import { lazy } from "../lazy";
import { Button } from "../ui";
import { CopyButton } from "../ui/copy";
import { Dialog } from "../ui/dialog";
import { Send, type Words } from "./send";

const Qr = lazy(() => import("./qr"));

interface WaysProps {
  link: string;
  /** The same link as it opens without JavaScript, if there is one. */
  plain?: string | undefined;
  expires: Date;
  hasPassphrase: boolean;
  /** Whether the page has a sheet to print. */
  prints?: boolean;
  /** What is said of the link in place of the words about a secret's. */
  words?: Words | undefined;
  /** Called when the link was copied, saved or handed to another program. */
  onKept: () => void;
}

/** Ways has the buttons that bring a link to its recipient. */
export default function Ways({ link, plain, expires, hasPassphrase, prints, words, onKept }: WaysProps) {
  const [shown, setShown] = useState<"qr" | "send">();
  const close = () => setShown(undefined);
  return (
    <>
      <div class="row ways no-print">
        <CopyButton kind="primary" size="large" text={link} done={t("result.copied")} onCopied={onKept}>
          {t("result.copy")}
        </CopyButton>
        <Button icon="share" onClick={() => setShown("send")}>
          {t("result.send")}
        </Button>
        <Button icon="qr" onClick={() => setShown("qr")}>
          {t("result.qr")}
        </Button>
        {prints && (
          <Button icon="print" onClick={() => print()}>
            {t("result.print")}
          </Button>
        )}
      </div>
      <Dialog open={shown === "qr"} onClose={close} title={words?.label ?? t("result.link")}>
        <Qr text={link} onSaved={onKept} />
        <div class="row row-end">
          <Button onClick={close}>{t("ui.close")}</Button>
        </div>
      </Dialog>
      <Send open={shown === "send"} onClose={close} {...{ link, plain, expires, hasPassphrase, words, onKept }} />
    </>
  );
}
