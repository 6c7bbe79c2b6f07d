import { useState } from "preact/hooks";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Collection } from "../gen/hush/v1/request_service_pb";
import { t } from "../i18n/collect";
import { requests } from "../rpc";
import { announce, Button, Checkbox } from "../ui";
import type { Shown } from "./collector";
import type { Call } from "./usecollection";

interface CloseProps {
  shown: Shown;
  call: Call;
  onChange: (collection: Collection) => void;
}

/** Close is a button that ends a request, after a confirmation, and on demand burns the answers that wait. */
export function Close({ shown, call, onChange }: CloseProps) {
  const [open, setOpen] = useState(false);
  const [burnAnswers, setBurnAnswers] = useState(false);
  const submission = useSubmit();
  const waiting = shown.entries.filter(({ phase }) => phase === "waiting").length;
  const close = () =>
    submission.run(async () => {
      await requests.closeRequest({ ...call, burnAnswers: burnAnswers && waiting > 0 });
      setOpen(false);
      announce(t("collect.closed"));
      const { collection } = await requests.getCollection(call);
      if (collection) {
        onChange(collection);
      }
    });
  return (
    <>
      <Button icon="close" onClick={() => setOpen(true)}>
        {t("collect.close")}
      </Button>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={t("collect.close.title")}
        action={t("collect.close")}
        onConfirm={close}
      >
        <p>{t("collect.close.text")}</p>
        {waiting > 0 && (
          <Checkbox checked={burnAnswers} onChecked={setBurnAnswers}>
            {t("collect.close.burn")}
          </Checkbox>
        )}
      </ConfirmCall>
    </>
  );
}
