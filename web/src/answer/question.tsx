import type { ComponentChildren } from "preact";
import { size } from "../format";
import { rich, t } from "../i18n/answer";
import { Quote } from "../requests/quote";
import { Card, Icon, type IconName, LinkButton, Relative, Time } from "../ui";
import type { Question } from "./lookup";

/** Asks says who asks and what for. What the requester wrote is quoted as plain text. */
export function Asks({ question, children }: { question: Question; children?: ComponentChildren }) {
  const { card } = question.asked;
  const latest = new Date(card.latest * 1000);
  return (
    <Card>
      <Who {...question} />
      {children}
      <figure class="answer-quote">
        <figcaption>{t("answer.quote")}</figcaption>
        <Quote card={card} />
      </figure>
      <ul class="open-facts">
        <Fact icon="clock">
          {rich("answer.until", { time: <Time date={latest} />, relative: <Relative date={latest} /> })}
        </Fact>
        <Fact icon={card.kinds.includes("file") ? "upload" : "key"}>
          {t(`answer.accepts.${card.kinds.length > 1 ? "both" : (card.kinds[0] ?? "text")}`, {
            limit: size(question.most),
          })}
        </Fact>
        <Fact icon="lock">{t("answer.once")}</Fact>
      </ul>
    </Card>
  );
}

/** Report leads to the page for messages to the operator. It names the request by its key alone. */
export function Report({ question }: { question: Question }) {
  return (
    <div class="answer-report">
      <LinkButton kind="quiet" size="small" icon="warn" href={`/feedback#${question.key}`}>
        {t("answer.report")}
      </LinkButton>
    </div>
  );
}

function Fact({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <li>
      <Icon name={icon} />
      <span>{children}</span>
    </li>
  );
}

/** Who says as much of the requester as the service knows. */
function Who({ domain, address }: Question) {
  return (
    <section class="asker" aria-label={t("answer.who")}>
      <span class="asker-mark">
        <Icon name={domain ? "globe" : address ? "mail" : "info"} />
      </span>
      <div class="stack-s">
        <p class="asker-name">{domain || address ? <bdi>{domain || address}</bdi> : t("answer.who.unknown")}</p>
        {domain && address && (
          <p class="muted">
            <bdi>{address}</bdi>
          </p>
        )}
        {domain || address ? (
          <p>
            <span class="badge badge-good">
              <Icon name="check" />
              {t(domain ? "answer.who.domain" : "answer.who.address")}
            </span>
          </p>
        ) : (
          <p class="muted small">{t("answer.who.care")}</p>
        )}
      </div>
    </section>
  );
}
