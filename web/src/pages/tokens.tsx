import { useState } from "preact/hooks";
import { Places } from "../account/places";
import { RequireAccount } from "../account/requireaccount";
import { TokenList } from "../account/tokenlist";
import { NewToken } from "../account/tokennew";
import { ShownToken } from "../account/tokenshown";
import type { GenerateApiTokenResponse } from "../gen/hush/v1/account_service_pb";
import { t } from "../i18n/account";
import { LoadState, useLoaded } from "../loaded";
import { accounts } from "../rpc";
import { Card, Empty, Page } from "../ui";

/** Tokens is the page of the account's API tokens. */
export default function Tokens() {
  return <RequireAccount>{(who) => <AllTokens address={who.address} />}</RequireAccount>;
}

function AllTokens({ address }: { address: string }) {
  const loaded = useLoaded(async () => (await accounts.listApiTokens({})).apiTokens);
  const tokens = loaded.value;
  const [made, setMade] = useState<GenerateApiTokenResponse>();
  return (
    <Page title={t("tokens.title")} lead={t("tokens.lead")}>
      <Places />
      {made && <ShownToken made={made} address={address} onDone={() => setMade(undefined)} />}
      <LoadState of={loaded} loading={t("tokens.loading")} />
      {tokens?.length === 0 && (
        <Empty icon="key" title={t("tokens.empty")}>
          <p>{t("tokens.empty.hint")}</p>
        </Empty>
      )}
      {tokens && tokens.length > 0 && (
        <Card title={t("tokens.list")}>
          <TokenList
            tokens={tokens}
            onRevoked={(id) => {
              loaded.set(tokens.filter((token) => token.tokenId !== id));
              setMade((shown) => (shown?.apiToken?.tokenId === id ? undefined : shown));
            }}
          />
        </Card>
      )}
      {tokens && (
        <NewToken
          onMade={(answer) => {
            setMade(answer);
            loaded.reload();
          }}
        />
      )}
    </Page>
  );
}
