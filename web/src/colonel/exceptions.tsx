import { useState } from "preact/hooks";
import { dateOf } from "../format";
import { FormError } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { Exception } from "../gen/hush/v1/intake_service_pb";
import { t, tn } from "../i18n/colonel";
import { LoadState, useLoaded } from "../loaded";
import { colonel } from "../rpc";
import { announce, Button, Card, Facts, Icon, Relative, Time } from "../ui";

const pageSize = 20;

function fetchPage(pageToken: string) {
  return colonel.listExceptions({ pageSize, pageToken });
}

/** Exceptions lists the errors that browsers reported, newest first. */
export function Exceptions() {
  const first = useLoaded(() => fetchPage(""));
  return (
    <Card title={t("colonel.exceptions")}>
      <LoadState of={first} />
      {first.value && first.value.exceptions.length === 0 && <p class="muted">{t("colonel.exceptions.none")}</p>}
      {first.value && first.value.exceptions.length > 0 && (
        <Pages exceptions={first.value.exceptions} next={first.value.nextPageToken} />
      )}
    </Card>
  );
}

function Pages({ exceptions, next }: { exceptions: Exception[]; next: string }) {
  const [more, setMore] = useState<Exception[]>([]);
  const [token, setToken] = useState(next);
  const submission = useSubmit();
  const load = () =>
    submission.run(async () => {
      const page = await fetchPage(token);
      setMore([...more, ...page.exceptions]);
      setToken(page.nextPageToken);
      announce(tn("colonel.exceptions.loaded", page.exceptions.length));
    });
  return (
    <>
      <ul class="exceptions">
        {[...exceptions, ...more].map((exception) => (
          <li key={exception.exceptionId}>
            <Report exception={exception} />
          </li>
        ))}
      </ul>
      <FormError submission={submission} />
      {token && (
        <div>
          <Button busy={submission.busy} onClick={load}>
            {t("colonel.exceptions.more")}
          </Button>
        </div>
      )}
    </>
  );
}

function Report({ exception: e }: { exception: Exception }) {
  const time = dateOf(e.createTime);
  const where = e.line > 0 ? `${e.url} (${e.line}:${e.column})` : e.url;
  return (
    <details class="exception">
      <summary>
        <Icon name="down" />
        <span class="exception-message">
          {e.type && <code dir="ltr">{e.type}</code>} <bdi>{e.message}</bdi>
        </span>
        {time && (
          <span class="muted small">
            <Relative date={time} />
          </span>
        )}
      </summary>
      <div class="stack">
        <Facts
          rows={[
            [t("colonel.exception.time"), time && <Time date={time} />],
            [t("colonel.exception.page"), where && <code dir="ltr">{where}</code>],
            [t("colonel.exception.browser"), e.userAgent && <bdi>{e.userAgent}</bdi>],
            [t("colonel.exception.environment"), e.environment],
            [t("colonel.exception.release"), e.release],
            [t("colonel.exception.user"), e.user && <code dir="ltr">{e.user}</code>],
          ]}
        />
        {e.stack && (
          <pre class="exception-stack" dir="ltr" tabIndex={0} role="region" aria-label={t("colonel.exception.stack")}>
            {e.stack}
          </pre>
        )}
      </div>
    </details>
  );
}
