import { useState } from "preact/hooks";
import { Encryption } from "../contract";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { Icon } from "../ui";

const Explanation = lazy(() => import("./explanation"));

interface EncryptionProps {
  /** A value of hush.v1.Encryption. */
  encryption: number;
}

/** EncryptionBadge names the kind of a secret. It shows nothing for a kind that this client does not know. */
export function EncryptionBadge({ encryption }: EncryptionProps) {
  const name = nameOf(encryption);
  return name ? (
    <span class={`badge ${name === "end_to_end" ? "badge-good" : ""}`}>
      <Icon name="lock" />
      {t(`encryption.${name}`)}
    </span>
  ) : null;
}

/** EncryptionName is the name of a kind within a line of facts. */
export function EncryptionName({ encryption }: EncryptionProps) {
  const name = nameOf(encryption);
  return name ? <span>{t(`encryption.${name}`)}</span> : null;
}

interface LabelProps extends EncryptionProps {
  /** Whether to leave the sentence out, where it does not hold. */
  brief?: boolean;
}

/** EncryptionLabel names the kind of a secret, says in a sentence what it means, and explains it on request. */
export function EncryptionLabel({ encryption, brief }: LabelProps) {
  const [open, setOpen] = useState(false);
  const name = nameOf(encryption);
  return name ? (
    <div class="encryption">
      <p>
        <EncryptionBadge encryption={encryption} /> {!brief && t(`encryption.${name}.text`)}
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {t("encryption.more")}
          <Icon name="down" />
        </summary>
        {open && <Explanation />}
      </details>
    </div>
  ) : null;
}

function nameOf(encryption: number): keyof typeof Encryption | undefined {
  return encryption === Encryption.end_to_end ? "end_to_end" : encryption === Encryption.server ? "server" : undefined;
}
