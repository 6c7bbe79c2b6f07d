import { useState } from "preact/hooks";
import { Asking } from "../answer/asking";
import { lazy } from "../lazy";
import { Checking } from "../open/checking";
import { linkIn } from "../open/pasted";
import { place } from "../router";

const NoLink = lazy(() => import("../answer/nolink"), Checking);

/**
 * Answer is the page behind the link of a request. The device checks by the link what
 * the server says that is asked for. Only the key and the link's proof leave the device
 * before a person sends an answer, and the secret part of the link never does.
 */
export default function Answer() {
  const [link] = useState(() => linkIn(place.peek().hash));
  if (typeof link === "string") {
    return <NoLink lack={link} />;
  }
  // Browsers encrypt only in secure contexts.
  return crypto.subtle ? <Asking link={link} /> : <NoLink lack="insecure" />;
}
