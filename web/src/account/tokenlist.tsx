import { useState } from "preact/hooks";
import { dateOf } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { ApiToken } from "../gen/hush/v1/account_pb";
import { rich, t } from "../i18n/account";
import { asRefusal } from "../refusal";
import { accounts } from "../rpc";
import { announce, Button, Icon, Relative } from "../ui";
import { scopes } from "./scopes";

interface ListProps {
  tokens: readonly ApiToken[];
  onRevoked: (tokenId: string) => void;
}

/** TokenList lists tokens, with a button that revokes each. */
export function TokenList({ tokens, onRevoked }: ListProps) {
  const [ending, setEnding] = useState<ApiToken>();
  return (
    <>
      <ul class="entries">
        {tokens.map((token) => (
          <Row key={token.tokenId} token={token} onRevoke={() => setEnding(token)} />
        ))}
      </ul>
      <RevokeDialog
        token={ending}
        onClose={() => setEnding(undefined)}
        onRevoked={(id) => {
          setEnding(undefined);
          onRevoked(id);
        }}
      />
    </>
  );
}

function Row({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const created = dateOf(token.createTime);
  const used = dateOf(token.useTime);
  return (
    <li class="entry">
      <Icon name="key" />
      <div class="entry-what">
        <p class="entry-name">
          <strong dir="auto">{token.name}</strong>
          <ScopeBadges token={token} />
        </p>
        <p class="muted small receipt-facts">
          {created && <span>{rich("tokens.made", { when: <Relative date={created} /> })}</span>}
          <span>{used ? rich("tokens.used", { when: <Relative date={used} /> }) : t("tokens.unused")}</span>
          <Ends token={token} />
        </p>
      </div>
      <Button size="small" aria-label={t("tokens.revoke.named", { name: token.name })} onClick={onRevoke}>
        {t("tokens.revoke")}
      </Button>
    </li>
  );
}

function ScopeBadges({ token }: { token: ApiToken }) {
  const known = scopes.filter(([scope]) => token.scopes.includes(scope));
  if (known.length === scopes.length) {
    return <span class="badge badge-accent">{t("tokens.everything")}</span>;
  }
  return (
    <>
      {known.map(([scope, name]) => (
        <span key={scope} class="badge">
          {t(`tokens.scope.${name}`)}
        </span>
      ))}
    </>
  );
}

function Ends({ token }: { token: ApiToken }) {
  const end = dateOf(token.expireTime);
  if (!end) {
    return <span>{t("tokens.forever")}</span>;
  }
  return (
    <span>{rich(end.getTime() > Date.now() ? "tokens.ends" : "tokens.ended", { when: <Relative date={end} /> })}</span>
  );
}

interface RevokeProps {
  /** The token to revoke; the dialog is open while it is set. */
  token: ApiToken | undefined;
  onClose: () => void;
  onRevoked: (tokenId: string) => void;
}

function RevokeDialog({ token, onClose, onRevoked }: RevokeProps) {
  const submission = useSubmit();
  const revoke = () =>
    submission.run(async () => {
      const tokenId = token?.tokenId ?? "";
      try {
        await accounts.revokeApiToken({ tokenId });
      } catch (thrown) {
        // The token is gone if it was revoked elsewhere in the meantime.
        if (asRefusal(thrown).code !== "not_found") {
          throw thrown;
        }
      }
      announce(t("tokens.revoked"));
      onRevoked(tokenId);
    });
  return (
    <ConfirmCall
      submission={submission}
      open={token !== undefined}
      onClose={onClose}
      title={t("tokens.revoke.title", { name: token?.name ?? "" })}
      action={t("tokens.revoke")}
      busy={t("tokens.revoke.busy")}
      onConfirm={revoke}
    >
      <p>{t("tokens.revoke.text")}</p>
    </ConfirmCall>
  );
}
