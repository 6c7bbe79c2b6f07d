import { useState } from "preact/hooks";
import { Encryption } from "../contract";
import { EncryptionBadge } from "../endtoend/label";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { Icon } from "../ui";
import type { Kind } from "./kind";

const Explanation = lazy(() => import("../endtoend/explanation"));

/** Trust says in a line of three steps why a secret is safe, and explains it on request. */
export function Trust({ kind }: { kind: Kind }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="trust">
      <ol aria-label={t("share.promises.title")}>
        <li>
          <EncryptionBadge encryption={Encryption[kind]} />
        </li>
        <li>
          <Icon name="eye" />
          {t("share.promise.once")}
        </li>
        <li>
          <Icon name="receipt" />
          {t("share.promise.receipt")}
        </li>
      </ol>
      {kind === "server" && <p>{t("encryption.server.text")}</p>}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {t("encryption.more")}
          <Icon name="down" />
        </summary>
        {open && <Explanation />}
      </details>
    </div>
  );
}
