import { useState } from "preact/hooks";
import { t as receiptText } from "../i18n/receipts";
import { t } from "../i18n/share";
import { account } from "../session";
import { Button, Field, Segmented, TextInput } from "../ui";
import Delivery from "./delivery";
import { mails, type OptionsProps } from "./fields";
import { kinds } from "./kind";

/** MoreFields has the fields that few people need. */
export default function MoreFields(props: OptionsProps) {
  const { draft, problem, change } = props;
  const [several, setSeveral] = useState(draft.recipients !== "");
  return (
    <div class="stack share-more">
      {kinds().length > 1 && <KindChoice {...props} />}
      {account.value || several ? (
        <Delivery {...props} />
      ) : (
        <div>
          <Button size="small" icon="plus" onClick={() => setSeveral(true)}>
            {t("share.several")}
          </Button>
        </div>
      )}
      <Field
        label={receiptText("share.label")}
        optional
        hint={receiptText("share.label.hint")}
        error={problem.field === "memo" ? problem.text : undefined}
      >
        <TextInput value={draft.memo} onValue={(memo) => change({ memo })} maxLength={500} autocomplete="off" />
      </Field>
    </div>
  );
}

/** KindChoice is the choice of who encrypts, and says what it is for. */
function KindChoice({ kind, onKind }: OptionsProps) {
  return (
    <div class="stack-s">
      <Segmented
        label={t("share.kind")}
        value={kind}
        onValue={onKind}
        options={kinds().map((name) => [name, t(`encryption.${name}`)] as const)}
      />
      <p class="field-hint">{t(mails() ? "share.kind.hint.mail" : "share.kind.hint")}</p>
    </div>
  );
}
