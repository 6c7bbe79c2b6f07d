import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Encryption } from "../contract";
import { EncryptionLabel } from "../endtoend/label";
import { inSeconds } from "../format";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import { rich, t } from "../i18n/open";
import { passphraseText, problemText } from "../problem";
import type { Refusal } from "../refusal";
import { place } from "../router";
import { Button, Card, Field, Form, Icon, Notice, Page, PasswordInput, Relative } from "../ui";
import { AskLinkForm } from "./asklink";
import type { Details } from "./lookup";
import type { Progress } from "./reveal";
import { Arriving, Trouble, textOf } from "./trouble";

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
  const [passphrase, setPassphrase] = useState("");
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  const asks = secret.hasPassphrase;
  const busy = progress.at === "deriving" || progress.at === "asking";
  const refusal = progress.at === "form" ? progress.refusal : undefined;
  const problem = missing ? t("open.passphrase.missing") : passphraseProblem(progress);
  const focusField = () => field.current?.querySelector("input")?.focus();
  useEffect(() => {
    if (refusal) {
      focusField();
    }
  }, [refusal]);

  const reveal = (event: MouseEvent) => {
    event.preventDefault();
    // Only a person's click or key is trusted; those of scripts and scanners are not.
    if (!event.isTrusted || busy) {
      return;
    }
    const lacks = checksPassphrase && asks && passphrase === "";
    setMissing(lacks);
    if (lacks) {
      focusField();
    } else {
      onReveal(asks ? passphrase : "");
    }
  };
  const domain = secret.shareDomain;
  const endToEnd = secret.encryption === Encryption.end_to_end;
  // The facts are of a secret that waits. Now that is unknown or no longer so.
  const trouble = textOf(progress) !== undefined;
  return (
    <Page short title={domain ? t("open.title.domain", { domain }) : t("open.title")}>
      <Card>
        {brand?.hasLogo && <img class="brand-logo" src={`/imagine/${brand.domainId}/logo.png`} alt={domain} />}
        {brand?.brand?.description && <p dir="auto">{brand.brand.description}</p>}
        {brand?.brand?.instructionsPreReveal && (
          <p class="brand-words" dir="auto">
            {brand.brand.instructionsPreReveal}
          </p>
        )}
        {notice}
        {!trouble && <Facts secret={secret} />}
        <EncryptionLabel encryption={secret.encryption} brief={endToEnd && place.value.mangled} />
        {!trouble && secret.owned && <Notice kind="warn">{t("open.own")}</Notice>}
        {trouble ? (
          <Trouble progress={progress} onAgain={onAgain} />
        ) : refusal?.reason === "link" ? (
          <>
            <Notice kind="bad">{revealProblem(refusal)}</Notice>
            <AskLinkForm />
          </>
        ) : (
          <Form onSend={() => undefined}>
            {asks && (
              <div ref={field}>
                <Field label={t("open.passphrase")} hint={t("open.passphrase.hint")} error={problem}>
                  <PasswordInput value={passphrase} onValue={setPassphrase} autofocus />
                </Field>
              </div>
            )}
            {progress.at === "offline" && <Notice kind="warn">{t("reveal.offline")}</Notice>}
            {refusal && !problem && <Notice kind="bad">{revealProblem(refusal)}</Notice>}
            {progress.at === "asking" && <Arriving received={progress.received} />}
            <Button type="submit" kind="primary" size="large" wide icon="eye" busy={busy} onClick={reveal}>
              {progress.at === "deriving" && asks && checksPassphrase
                ? t("reveal.deriving")
                : busy
                  ? t("open.revealing")
                  : t("open.reveal")}
            </Button>
          </Form>
        )}
        <Address />
      </Card>
      <p class="muted small">{rich("open.new", { link: <a href="/about">{t("share.promises.title")}</a> })}</p>
    </Page>
  );
}

function Facts({ secret }: { secret: Details }) {
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
function Address() {
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

function passphraseProblem(progress: Progress): string | undefined {
  if (progress.at !== "form") {
    return undefined;
  }
  if (progress.malformed || progress.refusal?.code === "broken_text") {
    return t("reveal.malformed");
  }
  return progress.refusal?.reason === "passphrase" ? passphraseText(progress.refusal) : undefined;
}

function revealProblem(refusal: Refusal): string {
  if (refusal.reason === "locked" && !refusal.forGood) {
    return t("open.locked", { when: inSeconds(refusal.retryAfter) });
  }
  return refusal.reason === "link" ? t("reveal.link") : problemText(refusal);
}
