import { useState } from "preact/hooks";
import { Encryption } from "../contract";
import { type Link, parse } from "../endtoend/link";
import { t } from "../i18n/endtoend";
import { t as opening } from "../i18n/open";
import { endToEndIn } from "../link";
import { AskLink } from "../open/asklink";
import { fromDevice } from "../open/fromdevice";
import { Checked, Stage } from "../open/fromserver";
import { Mangled } from "../open/mangled";
import { Opened } from "../open/opened";
import { isTooLong } from "../open/pasted";
import { place } from "../router";
import { LinkButton, Notice, Page } from "../ui";

/** Found is what a fragment holds. */
type Found = Link | "empty" | "long" | "incomplete" | "wrong";

/** linkIn reads a fragment, without asking the server. */
function linkIn(hash: string): Found {
  const whole = endToEndIn(hash);
  if (whole) {
    return parse(whole);
  }
  return isTooLong(hash) ? "long" : /[0-9a-z]/i.test(hash) ? "incomplete" : "empty";
}

/**
 * EndToEnd is the page behind a link to an end-to-end encrypted secret. The link
 * says that it is one, whatever the server says. Only the key leaves the device
 * before a person presses Reveal, and the secret part of the link never does.
 */
export default function EndToEnd() {
  const [link] = useState(() => linkIn(place.peek().hash));
  const [opened] = useState(() => place.peek().opened);
  const mangled = <Mangled text={t("endtoend.mangled")} />;
  if (opened) {
    return <Opened at={opened} />;
  }
  switch (link) {
    case "empty":
      return <AskLink title={t("endtoend.title")} lead={t("endtoend.lead")} />;
    case "incomplete":
      return (
        <AskLink title={opening("open.bad.title")} lead={t("endtoend.incomplete")}>
          {mangled}
        </AskLink>
      );
    case "long":
    case "wrong":
      return (
        <AskLink
          title={t("endtoend.wrong.title")}
          lead={link === "long" ? opening("open.bad.long") : t("endtoend.wrong")}
        >
          {mangled}
        </AskLink>
      );
  }
  // Browsers decrypt only in secure contexts.
  if (!crypto.subtle) {
    return <Insecure />;
  }
  return (
    <Checked
      secretKey={link.key}
      show={(secret) =>
        secret.encryption === Encryption.end_to_end ? (
          <Stage secret={secret} source={() => fromDevice(link)} checksPassphrase notice={mangled} />
        ) : (
          <Disagreement />
        )
      }
    />
  );
}

/** Disagreement stops where the server's word and the link's are not the same. */
function Disagreement() {
  return (
    <Page title={t("endtoend.disagreement.title")}>
      <Notice kind="bad">
        <p>{t("endtoend.disagreement")}</p>
      </Notice>
    </Page>
  );
}

function Insecure() {
  const { path, hash } = place.value;
  return (
    <Page title={t("endtoend.insecure.title")}>
      <Notice kind="warn">
        <p>{t("endtoend.insecure")}</p>
        <LinkButton kind="primary" href={`https://${location.host}${path}${hash}`}>
          {t("endtoend.insecure.open")}
        </LinkButton>
      </Notice>
    </Page>
  );
}
