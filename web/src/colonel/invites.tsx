import { useEffect, useState } from "preact/hooks";
import { AddressField, checkAddress, credentialProblem } from "../account/credentials";
import { dateOf } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { SubmitButton } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { Invite } from "../gen/hush/v1/account_pb";
import type { CreateInviteResponse } from "../gen/hush/v1/account_service_pb";
import { rich, t } from "../i18n/colonel";
import { LoadState, useLoaded } from "../loaded";
import { asRefusal } from "../refusal";
import { accounts } from "../rpc";
import { announce, Button, Card, Form, Icon, Notice, Relative } from "../ui";
import { CopyField } from "../ui/copy";

/** Invites creates, lists and revokes invitations. A new round loads the list again, and leaves the link that is shown. */
export function Invites({ round }: { round: number }) {
  const loaded = useLoaded(fetchAll);
  const [made, setMade] = useState<Made>();
  const invites = loaded.value;
  useEffect(() => {
    if (round > 0) {
      loaded.reload();
    }
  }, [round]);
  return (
    <Card title={t("colonel.invites")}>
      <p class="muted">{t("colonel.invites.lead")}</p>
      <NewInvite
        onMade={(answer) => {
          setMade(answer);
          loaded.reload();
        }}
      />
      {made && <ShownInvite made={made} onDone={() => setMade(undefined)} />}
      <LoadState of={loaded} />
      {invites?.length === 0 && <p class="muted">{t("colonel.invites.none")}</p>}
      {invites && invites.length > 0 && (
        <InviteList
          invites={invites}
          onRevoked={(id) => loaded.set(invites.filter((invite) => invite.inviteId !== id))}
        />
      )}
    </Card>
  );
}

async function fetchAll(): Promise<Invite[]> {
  const all: Invite[] = [];
  let pageToken = "";
  do {
    const page = await accounts.listInvites({ pageSize: 500, pageToken });
    all.push(...page.invites);
    pageToken = page.nextPageToken;
  } while (pageToken);
  return all;
}

interface Made {
  answer: CreateInviteResponse;
  address: string;
}

function NewInvite({ onMade }: { onMade: (made: Made) => void }) {
  const [address, setAddress] = useState("");
  const submission = useSubmit(credentialProblem({ address: "address" }));
  const send = () =>
    submission.run(
      async () => {
        const answer = await accounts.createInvite({ address: address.trim() });
        setAddress("");
        onMade({ answer, address: address.trim() });
      },
      address.trim() ? checkAddress("address", address) : undefined,
    );
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("colonel.invite.new")}>
        <AddressField
          label={t("colonel.invite.address")}
          hint={t("colonel.invite.address.hint")}
          autocomplete="off"
          required={false}
          value={address}
          onValue={setAddress}
          error={submission.errorAt("address")}
        />
        <SubmitButton submission={submission} text={t("colonel.invite.submit")} busy={t("colonel.invite.busy")} />
      </Form>
    </div>
  );
}

/** ShownInvite shows the link of a new invitation. It cannot be shown again. */
function ShownInvite({ made: { answer, address }, onDone }: { made: Made; onDone: () => void }) {
  return (
    <Notice kind="good">
      <div class="stack-s">
        <p>
          <strong>{answer.mailed ? t("colonel.invite.mailed", { address }) : t("colonel.invite.made")}</strong>
        </p>
        <p>{t("colonel.invite.once")}</p>
        <CopyField
          label={t("colonel.invite.link")}
          text={`${location.origin}/signup/${answer.invite}`}
          done={t("colonel.invite.copied")}
        />
        <div>
          <Button size="small" onClick={onDone}>
            {t("colonel.invite.done")}
          </Button>
        </div>
      </div>
    </Notice>
  );
}

interface ListProps {
  invites: readonly Invite[];
  onRevoked: (inviteId: string) => void;
}

function InviteList({ invites, onRevoked }: ListProps) {
  const [ending, setEnding] = useState<Invite>();
  const submission = useSubmit();
  const revoke = () =>
    submission.run(async () => {
      const inviteId = ending?.inviteId ?? "";
      try {
        await accounts.revokeInvite({ inviteId });
      } catch (thrown) {
        // The invitation is gone if it was used or revoked elsewhere in the meantime.
        if (asRefusal(thrown).code !== "not_found") {
          throw thrown;
        }
      }
      setEnding((now) => (now === ending ? undefined : now)); // perhaps it asks about another by now
      announce(t("colonel.invite.revoked"));
      onRevoked(inviteId);
    });
  return (
    <>
      <ul class="entries">
        {invites.map((invite) => (
          <Row key={invite.inviteId} invite={invite} onRevoke={() => setEnding(invite)} />
        ))}
      </ul>
      <ConfirmCall
        submission={submission}
        open={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={t("colonel.invite.revoke.title")}
        action={t("colonel.invite.revoke")}
        busy={t("colonel.invite.revoke.busy")}
        onConfirm={revoke}
      >
        <p>{t("colonel.invite.revoke.text")}</p>
      </ConfirmCall>
    </>
  );
}

function Row({ invite, onRevoke }: { invite: Invite; onRevoke: () => void }) {
  const [created, expires] = [dateOf(invite.createTime), dateOf(invite.expireTime)];
  const whom = invite.address || t("colonel.invite.anyone");
  return (
    <li class="entry">
      <Icon name="mail" />
      <div class="entry-what">
        <p class="entry-name">
          <strong class="account-address" dir="auto">
            {whom}
          </strong>
        </p>
        <p class="muted small receipt-facts">
          {created && <span>{rich("colonel.invite.created", { when: <Relative date={created} /> })}</span>}
          {expires && <span>{rich("colonel.invite.expires", { when: <Relative date={expires} /> })}</span>}
          <span>
            {invite.creator
              ? rich("colonel.invite.by", { who: <span dir="auto">{invite.creator}</span> })
              : t("colonel.invite.by_operator")}
          </span>
        </p>
      </div>
      <Button size="small" aria-label={t("colonel.invite.revoke.named", { whom })} onClick={onRevoke}>
        {t("colonel.invite.revoke")}
      </Button>
    </li>
  );
}
