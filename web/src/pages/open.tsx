import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { applyBrand } from "../brand";
import { dateOf, inSeconds } from "../format";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import type { Secret } from "../gen/hush/v1/secret_pb";
import { rich, suggestLocale, t } from "../i18n";
import { keyIn } from "../link";
import { Revealed } from "../open/revealed";
import { passphraseText, problemText } from "../problem";
import { asRefusal, type Refusal } from "../refusal";
import { navigate, type PageProps, place } from "../router";
import { domains, secrets } from "../rpc";
import {
  Button,
  Card,
  Empty,
  Failure,
  Field,
  Form,
  Icon,
  LinkButton,
  Loading,
  Notice,
  Page,
  PasswordInput,
  Relative,
  TextInput,
} from "../ui";

/** View is the state of the page. */
type View = "checking" | "failed" | "waiting" | "gone" | "bad" | "revealed" | "cleared";

/**
 * Open is the page behind a link. It consumes nothing before a person presses
 * Reveal: until then it only asks for the secret's details.
 */
export function Open({ params }: PageProps) {
  const key = keyIn(params.key ?? place.value.hash);
  const [view, setView] = useState<View>(key ? "checking" : "bad");
  const [secret, setSecret] = useState<Secret>();
  const [failure, setFailure] = useState<unknown>();
  const value = useSignal("");
  const brand = useBrand(secret?.shareDomain ?? "");

  const check = async () => {
    setView("checking");
    try {
      setSecret((await secrets.getSecret({ secretKey: key })).secret);
      setView("waiting");
    } catch (thrown) {
      setFailure(thrown);
      setView(asRefusal(thrown).code === "not_found" ? "gone" : "failed");
    }
  };
  useEffect(() => {
    if (key) {
      void check();
    }
  }, [key]);

  switch (view) {
    case "checking":
      return (
        <Page title={t("open.title")} width="narrow">
          <Loading>{t("open.checking")}</Loading>
        </Page>
      );
    case "failed":
      return (
        <Page title={t("open.title")} width="narrow">
          <Failure error={failure} retry={() => void check()} />
        </Page>
      );
    case "bad":
      return <Incomplete />;
    case "gone":
      return <Gone />;
    case "cleared":
      return <Cleared after={brand?.brand?.instructionsPostReveal} />;
    case "revealed":
      return (
        <Branded brand={brand}>
          <Revealed value={value} brand={brand} onClear={() => setView("cleared")} />
        </Branded>
      );
    case "waiting":
      return (
        <Branded brand={brand}>
          <Waiting
            secretKey={key}
            secret={secret}
            brand={brand}
            onGone={() => setView("gone")}
            onValue={(text) => {
              value.value = text;
              setView("revealed");
            }}
          />
        </Branded>
      );
  }
}

/** useBrand loads the brand of a domain, and returns undefined if there is none. */
function useBrand(domain: string): GetPublicBrandResponse | undefined {
  const [brand, setBrand] = useState<GetPublicBrandResponse>();
  useEffect(() => {
    if (domain) {
      domains.getPublicBrand({ domain }).then(setBrand, () => undefined); // The page works without it.
    }
  }, [domain]);
  return brand;
}

/** showIcon sets the tab's icon, and returns a function that restores the old one. */
function showIcon(href: string): () => void {
  const own = [...document.head.querySelectorAll('link[rel="icon"]')];
  const link = document.createElement("link");
  link.rel = "icon";
  link.href = href;
  document.head.append(link);
  for (const other of own) {
    other.remove();
  }
  return () => link.replaceWith(...own);
}

type BrandedProps = { brand: GetPublicBrandResponse | undefined; children: preact.ComponentChildren };

function Branded({ brand, children }: BrandedProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current) {
      applyBrand(element.current, brand?.brand);
    }
    suggestLocale(brand?.brand?.locale ?? "");
    return brand?.hasIcon ? showIcon(`/imagine/${brand.domainId}/icon.png`) : undefined;
  }, [brand]);
  return (
    <div ref={element} class={brand ? "branded" : undefined}>
      {children}
    </div>
  );
}

interface WaitingProps {
  secretKey: string;
  secret: Secret | undefined;
  brand: GetPublicBrandResponse | undefined;
  onValue: (value: string) => void;
  onGone: () => void;
}

function Waiting({ secretKey, secret, brand, onValue, onGone }: WaitingProps) {
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

/** Gone is shown alike for secrets that were opened, burned or expired, or never existed. */
function Gone() {
  return (
    <Page title={t("open.gone.title")} width="narrow">
      <Empty icon="lock" title={t("open.gone.text")}>
        <p>{t("open.gone.expected")}</p>
        <LinkButton href="/">{t("open.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}

function Cleared({ after }: { after: string | undefined }) {
  return (
    <Page title={t("open.cleared.title")} width="narrow">
      <Empty icon="check" title={t("open.cleared")}>
        {after && <p class="brand-words">{after}</p>}
        <LinkButton href="/">{t("open.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}

/** Incomplete asks for the link when the address has no complete key. */
function Incomplete() {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(false);
  const open = () => {
    const key = keyIn(text);
    setWrong(!key);
    if (key) {
      navigate(`/s#${key}`);
    }
  };
  return (
    <Page title={t("open.bad.title")} lead={t("open.bad.text")} width="narrow">
      <Card>
        <Form onSend={open}>
          <Field label={t("open.paste")} error={wrong ? t("open.bad.title") : undefined}>
            <TextInput class="mono" autocomplete="off" spellcheck={false} value={text} onValue={setText} />
          </Field>
          <Button type="submit" kind="primary">
            {t("open.paste.submit")}
          </Button>
        </Form>
      </Card>
    </Page>
  );
}
