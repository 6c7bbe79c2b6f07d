import { useRef, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import type { FileFacts } from "../share/draft";
import { Checkbox, Notice } from "../ui";
import { drop, forgetAll, remember, remembered, turnOn } from "./history";

interface RememberProps {
  metadata: Metadata;
  file: FileFacts | undefined;
}

/** Remember is the choice whether this device remembers a receipt. It turns the history on, and off again if it did so and nothing else is in it. */
export function Remember({ metadata, file }: RememberProps) {
  const key = metadata.metadataKey;
  const wasOff = useRef(remembered.peek() === undefined);
  const [refused, setRefused] = useState(false);
  const change = (on: boolean) => {
    if (on) {
      setRefused(!turnOn());
      remember(metadata, file);
      return;
    }
    drop([key]);
    if (wasOff.current && remembered.peek()?.length === 0) {
      forgetAll();
    }
  };
  return (
    <div class="stack-s no-print">
      <Checkbox
        checked={remembered.value?.some((entry) => entry.key === key) ?? false}
        onChecked={change}
        hint={t("history.risk")}
      >
        {t("receipt.remember")}
      </Checkbox>
      {refused && <Notice kind="warn">{t("history.refused")}</Notice>}
    </div>
  );
}
