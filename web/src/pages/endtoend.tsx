import { useEffect, useState } from "preact/hooks";
import { Encryption } from "../contract";
import type { Link } from "../endtoend/link";
import { t } from "../i18n/endtoend";
import { lazy } from "../lazy";
import { Checking } from "../open/checking";
import { type Found, hasRecords, isFile, lookForFile } from "../open/filelook";
import { fromDevice } from "../open/fromdevice";
import { Checked, Stage } from "../open/fromserver";
import type { Details } from "../open/lookup";
import { Mangled } from "../open/mangled";
import type { Lack } from "../open/nolink";
import { Opened } from "../open/opened";
import { linkIn } from "../open/pasted";
import { place } from "../router";
import { Notice, Page } from "../ui";

const NoLink = lazy(() => import("../open/nolink"), Checking);
const FilePage = lazy(() => import("../download/page"), Checking);
const Resumed = lazy(() => import("../download/resumed"), Checking);

/**
 * EndToEnd is the page behind a link to an end-to-end encrypted secret. The link
 * says that it is one, whatever the server says. Only the key, and once the server agrees
 * the proof of the link, leave the device before a person presses Reveal, and the secret
 * part of the link never does.
 */
export default function EndToEnd() {
  const [link] = useState(() => linkIn(place.peek().hash));
  const [opened] = useState(() => place.peek().opened);
  const [resumes] = useState(hasRecords);
  if (opened) {
    return <Opened at={opened} />;
  }
  if (typeof link === "string") {
    return <NoSecret lack={link} />;
  }
  // Browsers decrypt only in secure contexts.
  if (!crypto.subtle) {
    return <NoSecret lack="insecure" />;
  }
  const waiting = <Waits link={link} />;
  return resumes ? <Resumed link={link} otherwise={waiting} /> : waiting;
}

/** Waits shows what a link leads to. */
function Waits({ link }: { link: Link }) {
  return (
    <Checked
      secretKey={link.key}
      show={(secret) =>
        secret.encryption === Encryption.end_to_end ? <Either link={link} secret={secret} /> : <Disagreement />
      }
    />
  );
}

/** Either shows a secret, or a file once it is known that it is one. */
function Either({ link, secret }: { link: Link; secret: Details }) {
  const [looking] = useState(() => lookForFile(link).catch(() => undefined)); // then the press says what is wrong
  const [found, setFound] = useState<Found>();
  useEffect(() => void looking.then(setFound), []);
  return found ? (
    <FilePage link={link} secret={secret} found={found} />
  ) : (
    <Stage
      secret={secret}
      source={() => fromDevice({ ...link, isFile: isFile(looking) })}
      checksPassphrase
      notice={<Mangled text={t("endtoend.mangled")} />}
    />
  );
}

/** NoSecret says why there is no link to open, and asks for another. */
function NoSecret({ lack }: { lack: Lack }) {
  return (
    <NoLink
      lack={lack}
      texts={{
        title: t("endtoend.title"),
        lead: t("endtoend.lead"),
        incomplete: t("endtoend.incomplete"),
        wrong: t("endtoend.wrong"),
        insecure: t("endtoend.insecure"),
        mangled: t("endtoend.mangled"),
      }}
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
