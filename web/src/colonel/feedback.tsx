import { dateOf } from "../format";
import type { GetIndexResponse } from "../gen/hush/v1/colonel_service_pb";
import type { Feedback } from "../gen/hush/v1/intake_service_pb";
import { t } from "../i18n/colonel";
import { Card, Relative } from "../ui";

/** FeedbackList lists the feedback by age. */
export function FeedbackList({ index }: { index: GetIndexResponse }) {
  const groups: [string, Feedback[]][] = [
    [t("colonel.feedback.today"), index.todayFeedback],
    [t("colonel.feedback.yesterday"), index.yesterdayFeedback],
    [t("colonel.feedback.older"), index.olderFeedback],
  ];
  const some = groups.filter(([, messages]) => messages.length > 0);
  return (
    <Card title={t("colonel.feedback")}>
      {some.length === 0 && <p class="muted">{t("colonel.feedback.none")}</p>}
      {some.map(([name, messages]) => (
        <section key={name} class="stack-s">
          <h4>{name}</h4>
          <ul class="feedback-list">
            {messages.map((message, i) => (
              <Message key={i} feedback={message} />
            ))}
          </ul>
        </section>
      ))}
    </Card>
  );
}

function Message({ feedback }: { feedback: Feedback }) {
  const time = dateOf(feedback.createTime);
  return (
    <li>
      <blockquote dir="auto">{feedback.message}</blockquote>
      <p class="muted small row">
        {time && <Relative date={time} />}
        <code dir="ltr">{feedback.sender}</code>
      </p>
    </li>
  );
}
