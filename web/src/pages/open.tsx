import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Secret } from "../gen/hush/v1/secret_pb";
import { t } from "../i18n";
import { keyIn } from "../link";
import { Branded, useBrand } from "../open/branded";
import { Revealed } from "../open/revealed";
import { Waiting } from "../open/waiting";
import { asRefusal } from "../refusal";
import { navigate, type PageProps, place } from "../router";
import { secrets } from "../rpc";
import { Button, Card, Empty, Failure, Field, Form, LinkButton, Loading, Page, TextInput } from "../ui";

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
