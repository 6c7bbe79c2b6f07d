import { t } from "../i18n/upload";
import { change, kept } from "../share/kept";
import { Field, TextArea } from "../ui";

/** The maximum number of characters of a note. */
const noteMax = 500;

/** LargeFields has what the sender of a large file can tell its recipient, and says what the recipient sees before opening it. */
export default function LargeFields() {
  const { draft } = kept.value;
  if (draft.passphrase !== "") {
    return <p class="field-hint">{t("upload.preview.none")}</p>;
  }
  return (
    <Field label={t("upload.note")} optional hint={t("upload.preview")}>
      <TextArea
        value={draft.note ?? ""}
        onValue={(note) => change({ draft: { ...kept.peek().draft, note } })}
        maxLength={noteMax}
        rows={2}
        autocomplete="off"
      />
    </Field>
  );
}
