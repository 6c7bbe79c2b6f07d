import { useState } from "preact/hooks";
import { dateOf, relative } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { FormError } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { Session } from "../gen/hush/v1/account_pb";
import { rich, t } from "../i18n/account";
import { LoadState, useLoaded } from "../loaded";
import { navigate } from "../router";
import { sessions } from "../rpc";
import { forgetAccount } from "../session";
import { announce, Button, Card, Icon, Relative } from "../ui";

/** Sessions lists the account's sessions, and ends them. */
export function Sessions() {
  const loaded = useLoaded(async () => (await sessions.listSessions({})).sessions);
  const all = loaded.value;
  const submission = useSubmit();
  const end = (session: Session) =>
    submission.run(async () => {
      await sessions.revokeSessions({ sessionIds: [session.sessionId] });
      announce(t("account.session.ended"));
      loaded.set((all ?? []).filter((other) => other.sessionId !== session.sessionId));
    });
  return (
    <Card title={t("account.sessions")}>
      <LoadState of={loaded} loading={t("account.sessions.loading")} />
      {all && (
        <ul class="entries">
          {all.map((session) => (
            <Row key={session.sessionId} session={session} onEnd={() => end(session)} />
          ))}
        </ul>
      )}
      <FormError submission={submission} />
      <Everywhere />
    </Card>
  );
}

function Row({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const began = dateOf(session.createTime);
  const used = dateOf(session.useTime);
  const ends = dateOf(session.expireTime);
  const network = session.network;
  const from = network && network !== "unknown" ? t("account.session.from", { network }) : t("account.session.unknown");
  const device = deviceOf(session);
  return (
    <li class="entry">
      <Icon name="globe" />
      <div class="entry-what">
        <p class="entry-name">
          <strong>{device || from}</strong>
          {session.current && <span class="badge badge-good">{t("account.session.current")}</span>}
        </p>
        <p class="muted small receipt-facts">
          {device && <span>{from}</span>}
          {used && <span>{rich("account.session.used", { when: <Relative date={used} /> })}</span>}
          {began && <span>{rich("account.session.began", { when: <Relative date={began} /> })}</span>}
          {ends && <span>{rich("account.session.ends", { when: <Relative date={ends} /> })}</span>}
          {session.remembered && <span>{t("account.session.remembered")}</span>}
        </p>
      </div>
      {!session.current && (
        <Button
          size="small"
          aria-label={t("account.session.end.named", { network, when: began ? relative(began) : "" })}
          onClick={onEnd}
        >
          {t("account.session.end")}
        </Button>
      )}
    </li>
  );
}

/** deviceOf names the browser and the system of a session, or returns "" if neither is known. */
function deviceOf({ browser, system }: Session): string {
  return browser && system ? t("account.session.device", { browser, system }) : browser || system;
}

/** Everywhere ends all sessions, including this one. */
function Everywhere() {
  const [open, setOpen] = useState(false);
  const submission = useSubmit();
  const end = () =>
    submission.run(async () => {
      await sessions.revokeSessions({ all: true });
      forgetAccount();
      navigate("/signin", { replace: true });
    });
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{t("account.sessions.all")}</Button>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={t("account.sessions.all.title")}
        action={t("account.sessions.all")}
        busy={t("account.sessions.all.busy")}
        onConfirm={end}
      >
        <p>{t("account.sessions.all.text")}</p>
      </ConfirmCall>
    </div>
  );
}
