import type { ComponentChildren } from "preact";
import { exact } from "../format";
import type { Collection } from "../gen/hush/v1/request_service_pb";
import { t } from "../i18n/collect";
import { t as words } from "../i18n/requests";
import { LiveMark } from "../receipts/livemark";
import { Quote } from "../requests/quote";
import { stateOf } from "../requests/state";
import { Card } from "../ui";
import { Close } from "./close";
import { isOpen, type Shown } from "./collector";
import type { Call } from "./usecollection";

interface QuestionProps {
  shown: Shown;
  /** Whether the connection is up; undefined once nothing more can happen. */
  live: boolean | undefined;
  call: Call;
  onChange: (collection: Collection) => void;
  notifyButton: ComponentChildren;
}

/** Question is what was asked for, as quoted plain text, and how the request stands. */
export function Question({ shown, live, call, onChange, notifyButton }: QuestionProps) {
  const { asked, request, entries } = shown;
  const { latest, answers } = asked.card;
  const open = isOpen(shown);
  const state = stateOf(request);
  return (
    <Card kind="plain">
      <div class="asked">
        <Quote card={asked.card} />
      </div>
      <div class="stack-s">
        <div class="state-head">
          <h2>
            {t("collect.state", {
              state: words(`requests.state.${state}`),
              answered: entries.length,
              count: answers,
            })}
          </h2>
          <LiveMark live={live} />
        </div>
        {state === "withdrawn" && <p class="muted">{t("collect.withdrawn")}</p>}
        {open && <p class="muted">{t("collect.until", { time: exact(new Date(latest * 1000)) })}</p>}
      </div>
      {open && (
        <div class="row status-actions">
          {notifyButton}
          <Close {...{ shown, call, onChange }} />
        </div>
      )}
    </Card>
  );
}
