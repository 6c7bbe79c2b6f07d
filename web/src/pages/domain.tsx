import { useEffect } from "preact/hooks";
import { Places } from "../account/places";
import { RequireAccount } from "../account/requireaccount";
import { DomainState } from "../contract";
import { DomainBadge, isVerified } from "../domains/badge";
import { BrandEditor } from "../domains/brand";
import { Images } from "../domains/images";
import { Remove } from "../domains/remove";
import { Verification } from "../domains/verification";
import { dateOf } from "../format";
import type { Domain as Claim } from "../gen/hush/v1/domain_pb";
import { rich, t } from "../i18n/domains";
import { LoadState, useLoaded } from "../loaded";
import { asRefusal } from "../refusal";
import type { PageProps } from "../router";
import { domains } from "../rpc";
import { Empty, LinkButton, Page, Time } from "../ui";

/** Domain is the page of one domain: verification, brand, images and removal. */
export default function Domain({ params }: PageProps) {
  const name = params.name ?? "";
  return <RequireAccount>{() => <DomainPage key={name} name={name} />}</RequireAccount>;
}

/** How often the page asks whether a background check succeeded. */
const lookAgain = 20_000;

function DomainPage({ name }: { name: string }) {
  const loaded = useLoaded(async () => (await domains.getDomain({ domain: name })).domain);
  const domain = loaded.value;
  const waits = domain !== undefined && !isVerified(domain);
  useEffect(() => {
    if (!waits) {
      return;
    }
    const timer = setInterval(() => {
      if (!document.hidden) {
        loaded.reload();
      }
    }, lookAgain);
    return () => clearInterval(timer);
  }, [waits]);
  if (asRefusal(loaded.error).code === "not_found") {
    return <Unknown />;
  }
  return (
    <Page
      title={domain?.displayDomain ?? name}
      lead={domain && <Summary domain={domain} />}
      actions={domain && <DomainBadge domain={domain} />}
    >
      <Places />
      <LoadState of={loaded} />
      {domain && (
        <>
          <Verification domain={domain} onChange={loaded.set} />
          <BrandEditor domain={domain} onChange={loaded.set} />
          <Images domain={domain} onChange={loaded.set} />
          <Remove domain={domain} />
        </>
      )}
    </Page>
  );
}

function Summary({ domain }: { domain: Claim }) {
  const verified = dateOf(domain.verifyTime);
  switch (domain.state as number) {
    case DomainState.verified:
      return (
        <>{verified ? rich("domain.summary.verified", { time: <Time date={verified} /> }) : t("domain.summary.good")}</>
      );
    case DomainState.suspended:
      return <>{t("domain.summary.suspended")}</>;
    default:
      return <>{t("domain.summary.pending")}</>;
  }
}

function Unknown() {
  return (
    <Page title={t("domain.unknown.title")}>
      <Empty icon="globe" title={t("domain.unknown")}>
        <LinkButton kind="primary" href="/account/domains">
          {t("domain.all")}
        </LinkButton>
      </Empty>
    </Page>
  );
}
