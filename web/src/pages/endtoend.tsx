import { useState } from "preact/hooks";
import { Encryption } from "../contract";
import { t } from "../i18n/endtoend";
import { t as opening } from "../i18n/open";
import { AskLink } from "../open/asklink";
import { fromDevice } from "../open/fromdevice";
import { Checked, Stage } from "../open/fromserver";
import { Insecure } from "../open/insecure";
import { Mangled } from "../open/mangled";
import { Opened } from "../open/opened";
import { linkIn } from "../open/pasted";
import { place } from "../router";
import { Notice, Page } from "../ui";

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
    return (
      <Insecure title={t("endtoend.insecure.title")} text={t("endtoend.insecure")} open={t("endtoend.insecure.open")} />
    );
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
