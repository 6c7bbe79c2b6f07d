import { useState } from "preact/hooks";
import { Collect as Collection } from "../collect/collect";
import { t } from "../i18n/collect";
import { t as opening } from "../i18n/open";
import { AskLink } from "../open/asklink";
import { Insecure } from "../open/insecure";
import { Mangled } from "../open/mangled";
import { linkIn } from "../open/pasted";
import { place } from "../router";

/**
 * Collect is the page behind a collect link, where a requester lands and comes back to.
 * Only the key of the link and the collect proof leave the device.
 */
export default function Collect() {
  const [link] = useState(() => linkIn(place.peek().hash));
  const mangled = <Mangled text={t("collect.mangled")} />;
  switch (link) {
    case "empty":
      return <AskLink title={t("collect.ask.title")} lead={t("collect.ask.lead")} page="c" />;
    case "incomplete":
      return (
        <AskLink title={opening("open.bad.title")} lead={t("collect.incomplete")} page="c">
          {mangled}
        </AskLink>
      );
    case "long":
    case "wrong":
      return (
        <AskLink
          title={t("collect.wrong.title")}
          lead={link === "long" ? opening("open.bad.long") : t("collect.wrong")}
          page="c"
        >
          {mangled}
        </AskLink>
      );
  }
  // Browsers decrypt only in secure contexts.
  if (!crypto.subtle) {
    return (
      <Insecure title={t("collect.insecure.title")} text={t("collect.insecure")} open={t("collect.insecure.open")} />
    );
  }
  return <Collection link={link} notice={mangled} />;
}
