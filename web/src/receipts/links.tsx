import { signInFor } from "../account/returnpath";
import { dateOf } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import { lazy } from "../lazy";
import { plainLink, secretLink } from "../link";
import { navigate } from "../router";
import { account, policy } from "../session";
import { Card, LinkButton } from "../ui";
import { Burn } from "./burn";
import { isEndToEnd } from "./phase";

const LinkCard = lazy(() => import("../share/linkcard"));

/** Link shows the link for the recipient again, or says why it cannot. */
export function Link({ metadata }: { metadata: Metadata }) {
  if (isEndToEnd(metadata)) {
    return <LinkUnknown metadata={metadata} />;
  }
  return metadata.secretKey ? <LinkAgain metadata={metadata} /> : <LinkWithheld />;
}

/** LinkUnknown says that the link was made on the sender's device, and offers to begin again. */
function LinkUnknown({ metadata }: { metadata: Metadata }) {
  return (
    <Card title={t("receipt.link")}>
      <p>{t("receipt.link.end_to_end")}</p>
      <div class="row no-print">
        <Burn
          metadata={metadata}
          onBurned={() => navigate("/")}
          label={t("receipt.link.again")}
          action={t("receipt.link.again")}
        />
      </div>
    </Card>
  );
}

function LinkAgain({ metadata }: { metadata: Metadata }) {
  const of = [policy.value?.baseUrl ?? "", metadata.secretKey, metadata.shareDomain] as const;
  return (
    <LinkCard
      link={secretLink(...of)}
      plain={plainLink(...of)}
      encryption={metadata.encryption}
      expires={dateOf(metadata.secretExpireTime) ?? new Date()}
      hasPassphrase={metadata.hasPassphrase}
      hint={t("receipt.link.hint")}
      onKept={() => {}}
    />
  );
}

/** LinkWithheld says that only the owner's account can see the link. */
function LinkWithheld() {
  return (
    <Card title={t("receipt.link")}>
      <p>{t("receipt.link.owner")}</p>
      {account.value === null && (
        <div class="row no-print">
          <LinkButton href={signInFor("/recent")}>{t("receipt.link.signin")}</LinkButton>
        </div>
      )}
    </Card>
  );
}
