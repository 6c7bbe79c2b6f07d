import { t } from "../i18n/answer";
import { Button, Card, Notice, Page } from "../ui";
import type { To } from "./delivery";
import type { Call } from "./sealing";
import { useSending } from "./sending";

interface UnconfirmedProps {
  to: To;
  name: string;
  call: Call;
  /** Gives the answer up. */
  onNew: () => void;
}

/** Unconfirmed sends an answer again that was on its way when the page was left or loaded again. */
export function Unconfirmed({ to, name, call, onNew }: UnconfirmedProps) {
  const sending = useSending(to, name, false, true);
  return (
    <Page short title={t("answer.unconfirmed.title")}>
      <Card>
        <p>{t("answer.unconfirmed")}</p>
        {sending.problem && <Notice kind={sending.unknown ? "warn" : "bad"}>{sending.problem}</Notice>}
        <div class="stack-s">
          <Button
            kind="primary"
            wide
            busy={sending.doing !== undefined}
            onClick={() => void sending.send(async () => call)}
          >
            {sending.busy || t("answer.again")}
          </Button>
          {!sending.doing && (
            <Button wide onClick={onNew}>
              {t("answer.unconfirmed.new")}
            </Button>
          )}
        </div>
      </Card>
    </Page>
  );
}
