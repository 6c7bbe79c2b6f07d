import type { ComponentChildren } from "preact";
import { Encryption } from "../contract";
import { EncryptionLabel } from "../endtoend/label";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import { rich, t } from "../i18n/open";
import { place } from "../router";
import { Card, Icon, Notice, Page, Relative } from "../ui";
import { AskLinkForm } from "./asklink";
import type { Details } from "./lookup";
import { Press } from "./press";
import type { Progress } from "./reveal";
import { textOf } from "./trouble";

interface WaitingProps {
  secret: Details;
  brand: GetPublicBrandResponse | undefined;
  progress: Progress;
  notice: ComponentChildren;
  /** Whether the device, and not the server, says that a passphrase is missing. */
  checksPassphrase: boolean;
  onReveal: (passphrase: string) => void;
  onAgain: () => void;
}

/** Waiting shows the details of a secret, and opens it when its button is pressed. */
export function Waiting({ secret, brand, progress, notice, checksPassphrase, onReveal, onAgain }: WaitingProps) {
  const domain = secret.shareDomain;
  const endToEnd = secret.encryption === Encryption.end_to_end;
  // The facts are of a secret that waits. Now that is unknown or no longer so.
  const trouble = textOf(progress) !== undefined;
  return (
    <Page short title={domain ? t("open.title.domain", { domain }) : t("open.title")}>
      <Card>
        <Greeting brand={brand} domain={domain} />
        {notice}
        {!trouble && <Facts secret={secret} />}
        <EncryptionLabel encryption={secret.encryption} brief={endToEnd && place.value.mangled} />
        {!trouble && secret.owned && <Notice kind="warn">{t("open.own")}</Notice>}
        <Press
          hasPassphrase={secret.hasPassphrase}
          {...{ progress, checksPassphrase, onReveal, onAgain }}
          wrongLink={
            <>
              <Notice kind="bad">{t("reveal.link")}</Notice>
              <AskLinkForm />
            </>
          }
        />
        <Address />
      </Card>
      <p class="muted small">{rich("open.new", { link: <a href="/about">{t("share.promises.title")}</a> })}</p>
    </Page>
  );
}

/** Greeting is what the owner of a domain says before a secret is opened. */
export function Greeting({ brand, domain }: { brand: GetPublicBrandResponse | undefined; domain: string }) {
  return (
    <>
      {brand?.hasLogo && <img class="brand-logo" src={`/imagine/${brand.domainId}/logo.png`} alt={domain} />}
      {brand?.brand?.description && <p dir="auto">{brand.brand.description}</p>}
      {brand?.brand?.instructionsPreReveal && (
        <p class="brand-words" dir="auto">
          {brand.brand.instructionsPreReveal}
        </p>
      )}
    </>
  );
}

/** Facts says how a secret came and when it ends. */
export function Facts({ secret }: { secret: Details }) {
  const { expires } = secret;
  return (
    <ul class="open-facts">
      <li>
        <Icon name="globe" />
        <span>{rich("open.through", { host: <bdi>{secret.shareDomain || location.host}</bdi> })}</span>
      </li>
      <li>
        <Icon name="lock" />
        <span>{t("open.once")}</span>
      </li>
      {expires && (
        <li>
          <Icon name="clock" />
          <span>{rich("open.expires", { relative: <Relative date={expires} /> })}</span>
        </li>
      )}
      {secret.verification && (
        <li>
          <Icon name="mail" />
          <span>{t("open.verification")}</span>
        </li>
      )}
    </ul>
  );
}

/** Address says how to find out that this page is the one that the sender's link leads to. */
export function Address() {
  return (
    <details class="address">
      <summary>
        {t("open.address")}
        <Icon name="down" />
      </summary>
      <p>{rich("open.address.text", { address: <bdi class="mono">{location.origin}</bdi> })}</p>
    </details>
  );
}
