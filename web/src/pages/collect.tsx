import { useState } from "preact/hooks";
import { Collect as Collection } from "../collect/collect";
import { NoCollection } from "../collect/nolink";
import { t } from "../i18n/collect";
import { Mangled } from "../open/mangled";
import { linkIn } from "../open/pasted";
import { place } from "../router";

/**
 * Collect is the page behind a collect link, where a requester lands and comes back to.
 * Only the key of the link and the collect proof leave the device.
 */
export default function Collect() {
  const [link] = useState(() => linkIn(place.peek().hash));
  if (typeof link === "string") {
    return <NoCollection lack={link} />;
  }
  // Browsers decrypt only in secure contexts.
  return crypto.subtle ? (
    <Collection link={link} notice={<Mangled text={t("collect.mangled")} />} />
  ) : (
    <NoCollection lack="insecure" />
  );
}
