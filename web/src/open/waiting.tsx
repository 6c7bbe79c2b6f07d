import { useRef, useState } from "preact/hooks";
import { dateOf, inSeconds } from "../format";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import type { Secret } from "../gen/hush/v1/secret_pb";
import { rich, t } from "../i18n";
import { passphraseText, problemText } from "../problem";
import { asRefusal, type Refusal } from "../refusal";
import { secrets } from "../rpc";
import { Button, Card, Field, Form, Icon, Notice, Page, PasswordInput, Relative } from "../ui";

interface WaitingProps {
  secretKey: string;
  secret: Secret | undefined;
  brand: GetPublicBrandResponse | undefined;
  onValue: (value: string) => void;
  onGone: () => void;
}

/** Waiting shows the details of a secret, and opens it when its button is pressed. */
export function Waiting({ secretKey, secret, brand, onValue, onGone }: WaitingProps) {
  const [passphrase, setPassphrase] = useState("");
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const field = useRef<HTMLDivElement>(null);
  const asks = secret?.hasPassphrase ?? false;

  const reveal = async (event: MouseEvent) => {
    event.preventDefault();
    // Only a person's click or key is trusted; those of scripts and scanners are not.
    if (!event.isTrusted || busy) {
      return;
    }
    setBusy(true);
    try {
      const answer = await secrets.revealSecret({ secretKey, passphrase });
      setPassphrase("");
      onValue(answer.value);
    } catch (thrown) {
      const refused = asRefusal(thrown);
      if (refused.code === "not_found") {
        onGone();
        return;
      }
      setRefusal(refused);
      field.current?.querySelector("input")?.focus();
    } finally {
      setBusy(false);
    }
  };
  const domain = secret?.shareDomain ?? "";
  return (
    <Page title={domain ? t("open.title.domain", { domain }) : t("open.title")} width="narrow">
      <Card>
        {brand?.hasLogo && <img class="brand-logo" src={`/imagine/${brand.domainId}/logo.png`} alt={domain} />}
        {brand?.brand?.description && <p>{brand.brand.description}</p>}
        {brand?.brand?.instructionsPreReveal && <p class="brand-words">{brand.brand.instructionsPreReveal}</p>}
        <Facts secret={secret} />
        {secret?.owned && <Notice kind="warn">{t("open.own")}</Notice>}
        <Form onSend={() => undefined}>
          {asks && (
            <div ref={field}>
              <Field label={t("open.passphrase")} hint={t("open.passphrase.hint")} error={passphraseProblem(refusal)}>
                <PasswordInput value={passphrase} onValue={setPassphrase} autofocus />
              </Field>
            </div>
          )}
          {refusal && !passphraseProblem(refusal) && <Notice kind="bad">{revealProblem(refusal)}</Notice>}
          <Button
            type="submit"
            kind="primary"
            size="large"
            wide
            icon="eye"
            busy={busy}
            onClick={(event) => void reveal(event)}
          >
            {busy ? t("open.revealing") : t("open.reveal")}
          </Button>
        </Form>
      </Card>
    </Page>
  );
}

function Facts({ secret }: { secret: Secret | undefined }) {
  const expires = dateOf(secret?.expireTime);
  return (
    <ul class="open-facts">
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
      {secret?.verification && (
        <li>
          <Icon name="mail" />
          <span>{t("open.verification")}</span>
        </li>
      )}
    </ul>
  );
}

function passphraseProblem(refusal: Refusal | undefined): string | undefined {
  return refusal?.reason === "passphrase" ? passphraseText(refusal) : undefined;
}

function revealProblem(refusal: Refusal): string {
  if (refusal.reason === "locked" && !refusal.forGood) {
    return t("open.locked", { when: inSeconds(refusal.retryAfter) });
  }
  return refusal.code === "offline" ? t("open.lost") : problemText(refusal);
}
