import { useId } from "preact/hooks";
import { duration, percent, size } from "../format";
import { t as ui } from "../i18n";
import { t } from "../i18n/download";
import { Button, Loading, Notice } from "../ui";
import type { State } from "./download";

interface ProgressProps {
  state: State & { at: "loading" | "finishing" };
  onCancel: () => void;
}

/** Progress says how far a download is. It never runs backwards. */
export function Progress({ state, onCancel }: ProgressProps) {
  const label = useId();
  if (state.at === "finishing") {
    return <Loading>{t("download.finishing")}</Loading>;
  }
  const { pace, line, sink } = state;
  const part = pace.total > 0 ? pace.done / pace.total : 0;
  return (
    <div class="stack-s">
      <progress class="upload-bar" aria-labelledby={label} max={1} value={part} />
      <p id={label} class="upload-pace">
        <strong>{percent(part)}</strong> {t("download.progress", { done: size(pace.done), total: size(pace.total) })}
      </p>
      {line === "up" && pace.rate !== undefined && pace.left !== undefined && (
        <p class="muted small">
          {t("download.rate", { size: size(Math.round(pace.rate)) })} ·{" "}
          {t("download.left", { time: duration(pace.left) })}
        </p>
      )}
      {line !== "up" && <Notice kind="warn">{t(line === "down" ? "download.down" : "download.broken")}</Notice>}
      <p class="muted small">{t(sink === "kept" ? "download.keep.on" : "download.keep.anew")}</p>
      <div class="row">
        <Button icon="close" onClick={onCancel}>
          {ui("ui.cancel")}
        </Button>
      </div>
    </div>
  );
}
