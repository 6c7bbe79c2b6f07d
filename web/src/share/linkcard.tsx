import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { EncryptionBadge } from "../endtoend/label";
import { size } from "../format";
import { t } from "../i18n/share";
import { Card } from "../ui";
import type { FileFacts } from "./draft";
import PrintSheet from "./printsheet";
import type { Words } from "./send";
import { FileLine } from "./thumb";
import Ways from "./ways";

interface LinkCardProps {
  link: string;
  /** The same link as it opens without JavaScript, if there is one. */
  plain?: string | undefined;
  /** A value of hush.v1.Encryption. */
  encryption: number;
  expires: Date;
  hasPassphrase: boolean;
  file?: FileFacts | undefined;
  /** What the sender has to know of the link. */
  hint: string;
  /** What is said of a link that is not a secret's. Then there is no sheet to print. */
  words?: Words | undefined;
  /** Called when the link was copied or handed to another program. */
  onKept: () => void;
  children?: ComponentChildren;
}

/** LinkCard shows the link for the recipient in a field, with the ways to send it. A print has the link alone. */
export default function LinkCard(props: LinkCardProps) {
  const { link, plain, encryption, expires, hasPassphrase, file, hint, words, onKept, children } = props;
  const id = useId();
  return (
    <>
      <Card kind="give">
        {file && <FileLine name={file.name} size={size(file.size)} />}
        <div class="field">
          <div class="row row-apart">
            <label class="link-label" for={id}>
              {words?.label ?? t("result.link")}
            </label>
            <EncryptionBadge encryption={encryption} />
          </div>
          <input
            id={id}
            class="input mono link-field"
            dir="ltr"
            readOnly
            value={link}
            spellcheck={false}
            autocomplete="off"
            aria-describedby={`${id}-hint`}
            onFocus={(event) => event.currentTarget.select()}
            onCopy={({ currentTarget: field }) => {
              if (field.selectionStart === 0 && field.selectionEnd === link.length) {
                onKept();
              }
            }}
          />
          <p class="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        </div>
        <Ways {...{ link, plain, expires, hasPassphrase, words, onKept }} prints={!words} />
        {children}
      </Card>
      {!words && <PrintSheet link={link} expires={expires} />}
    </>
  );
}
