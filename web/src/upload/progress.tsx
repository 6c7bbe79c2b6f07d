import { useEffect, useState } from "preact/hooks";
import { duration, percent } from "../format";
import { number } from "../i18n";
import { type Key, t } from "../i18n/upload";
import { problemText } from "../problem";
import { announce, Button, Card, Icon, Notice } from "../ui";
import { Dialog } from "../ui/dialog";
import type { Progress } from "./meter";
import type { Failure, State, Upload } from "./running";

/** UploadCard shows how far a file is that this page sends, and what came of it. */
export default function UploadCard({ upload }: { upload: Upload }) {
  const state = upload.state.value;
  const pause = state.at === "sending" ? state.pause : undefined;
  useEffect(() => {
    const text = spoken(state);
    if (text) {
      announce(t(text));
    }
  }, [state.at, pause]);
  return (
    <div class="no-print">
      <Card>
        {state.at === "sending" && (
          <Sending progress={state.progress} pause={pause && t(`upload.pause.${pause}`)} onCancel={upload.cancel} />
        )}
        {state.at === "arrived" && <Over title={t("upload.arrived")} text={t("upload.arrived.text")} good />}
        {state.at === "canceled" && <Over title={t("upload.canceled")} text={t("upload.canceled.text")} />}
        {state.at === "failed" && (
          <>
            <h2>{t("upload.failed")}</h2>
            <Notice kind="bad">{textOf(state.failure, upload.name)}</Notice>
          </>
        )}
      </Card>
    </div>
  );
}

/** spoken returns what a screen reader speaks of a new state. A failure is spoken as an alert. */
function spoken(state: State): Key | undefined {
  switch (state.at) {
    case "sending":
      return state.pause && `upload.pause.${state.pause}`;
    case "arrived":
      return "upload.arrived";
    case "canceled":
      return "upload.canceled";
    case "failed":
      return undefined;
  }
}

interface SendingProps {
  progress: Progress;
  /** Why nothing is sent at the moment. */
  pause: string | undefined;
  onCancel: () => void;
}

function Sending({ progress, pause, onCancel }: SendingProps) {
  const [asks, setAsks] = useState(false);
  const close = () => setAsks(false);
  return (
    <>
      <h2>{t("upload.sending", { percent: percent(progress.part) })}</h2>
      <progress class="upload-bar" aria-label={t("upload.progress")} max={1} value={progress.part} />
      <p class="upload-pace">{pause ?? paceOf(progress)}</p>
      <p class="field-hint">{t("upload.hint")}</p>
      <div class="row">
        <Button icon="close" onClick={() => setAsks(true)}>
          {t("upload.cancel")}
        </Button>
      </div>
      <Dialog open={asks} onClose={close} title={t("upload.cancel.title")}>
        <p>{t("upload.cancel.text")}</p>
        <div class="row row-end">
          <Button onClick={close}>{t("upload.cancel.keep")}</Button>
          <Button kind="danger" onClick={onCancel}>
            {t("upload.cancel")}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** paceOf returns the rate of an upload and what is left of it, as in 3.4 MB/s · 2 minutes left. */
export function paceOf({ rate, left }: Progress): string {
  return [rate > 0 && rateText(rate), left !== undefined && t("upload.left", { time: duration(rounded(left)) })]
    .filter(Boolean)
    .join(" · ");
}

/** rateText formats bytes a second. */
function rateText(rate: number): string {
  const [unit, length] = rate < 999_500 ? (["kilobyte", 1e3] as const) : (["megabyte", 1e6] as const);
  const maximumFractionDigits = rate / length < 100 ? 1 : 0;
  const text = number(rate / length, {
    style: "unit",
    unit: `${unit}-per-second`,
    unitDisplay: "short",
    maximumFractionDigits,
  });
  return text.replace("kB", "KB");
}

/** rounded returns seconds as people say them: the fewer are left, the finer. */
function rounded(seconds: number): number {
  const step = seconds < 60 ? 5 : seconds < 600 ? 10 : seconds < 3600 ? 60 : 300;
  return Math.max(Math.ceil(seconds / step) * step, step);
}

/** Over says what came of an upload. */
function Over({ title, text, good = false }: { title: string; text: string; good?: boolean }) {
  return (
    <div class={`state state-${good ? "received" : "burned"}`}>
      <span class="state-mark">
        <Icon name={good ? "check" : "close"} />
      </span>
      <div class="stack-s">
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
    </div>
  );
}

/** textOf says why an upload stopped. */
function textOf(failure: Failure, name: string): string {
  switch (failure.why) {
    case "source":
      return t("upload.failed.source", { name });
    case "refused":
      return t("upload.failed.refused", { reason: problemText(failure.thrown) });
    default:
      return t(`upload.failed.${failure.why}`);
  }
}
