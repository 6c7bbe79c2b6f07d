import { useEffect, useState } from "preact/hooks";
import { Encryption } from "../contract";
import { fragment } from "../endtoend/link";
import { rich, t } from "../i18n/collect";
import { lazy } from "../lazy";
import { requestLink } from "../link";
import { keptRequest } from "../requests/kept";
import { policy } from "../session";
import { Notice } from "../ui";
import { isOpen, type Shown } from "./collector";

const LinkCard = lazy(() => import("../share/linkcard"));

interface RequestLinkProps {
  shown: Shown;
  collectKey: string;
}

/** RequestLink is the link for those who answer, with the ways to send it, while the request is open. */
export function RequestLink({ shown, collectKey }: RequestLinkProps) {
  const { requestKey, asked, request } = shown;
  const knows = useKnows(collectKey, request.shareDomain);
  if (!isOpen(shown) || knows === undefined) {
    return null;
  }
  const whole = fragment({ key: requestKey, secret: asked.secret });
  return (
    <LinkCard
      link={requestLink(policy.value?.baseUrl ?? "", whole, knows ? request.shareDomain : "")}
      encryption={Encryption.end_to_end}
      expires={new Date(asked.card.latest * 1000)}
      hasPassphrase={false}
      hint={t("collect.request.hint")}
      words={{
        label: t("collect.request"),
        message: (time, link) => t("collect.request.message", { time, link }),
        subject: t("collect.request.subject"),
      }}
      onKept={() => undefined}
    >
      {!knows && (
        <Notice kind="warn">
          <p class="small">{rich("collect.request.elsewhere", { host: <bdi>{request.shareDomain}</bdi> })}</p>
        </Notice>
      )}
    </LinkCard>
  );
}

/**
 * useKnows reports whether a domain that the server names for the link may be in it: it is
 * the page's own host, or the one that was chosen on this device. The link's secret is for
 * no other. It returns undefined until that is known.
 */
function useKnows(collectKey: string, domain: string): boolean | undefined {
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    void keptRequest(collectKey).then((kept) => setChosen(kept?.domain ?? ""));
  }, []);
  if (domain === "" || domain === location.hostname) {
    return true;
  }
  return chosen === undefined ? undefined : domain === chosen;
}
