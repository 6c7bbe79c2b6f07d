import { Encryption } from "../contract";
import { fragment } from "../endtoend/link";
import { t } from "../i18n/collect";
import { lazy } from "../lazy";
import { requestLink } from "../link";
import { policy } from "../session";
import { isOpen, type Shown } from "./collector";

const LinkCard = lazy(() => import("../share/linkcard"));

/** RequestLink is the link for those who answer, with the ways to send it, while the request is open. */
export function RequestLink({ shown }: { shown: Shown }) {
  if (!isOpen(shown)) {
    return null;
  }
  const { requestKey, asked, request } = shown;
  const whole = fragment({ key: requestKey, secret: asked.secret });
  return (
    <LinkCard
      link={requestLink(policy.value?.baseUrl ?? "", whole, request.shareDomain)}
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
    />
  );
}
