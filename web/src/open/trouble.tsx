import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { type Key, rich, t } from "../i18n/open";
import { problemText } from "../problem";
import { announce, Button, Icon } from "../ui";
import type { Progress, Received } from "./reveal";
import { world } from "./world";

interface TroubleProps {
  progress: Progress;
  onAgain: () => void;
}

/**
 * Trouble stands in place of the form while the secret may be bound to this page.
 * It says for how long. The time counts down on the page, and is spoken once.
 */
export function Trouble({ progress, onAgain }: TroubleProps) {
  const box = useRef<HTMLDivElement>(null);
  const key = textOf(progress);
  const until = "until" in progress ? progress.until : 0;
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (key) {
      announce(t(key, { time: left(until) }));
    }
  }, [key]);
  if (!key) {
    return null;
  }
  const waits = progress.at === "retrying" && progress.online;
  return (
    <div ref={box} class="notice notice-warn" tabIndex={-1}>
      <Icon name={waits ? "refresh" : "warn"} />
      <div class="notice-body">
        <p>{rich(key, { time: <Left until={until} /> })}</p>
        {progress.at === "retrying" && <Arriving received={progress.received} />}
        {progress.at === "lost" && progress.refusal.reason !== "unspecified" && <p>{problemText(progress.refusal)}</p>}
        {!waits && progress.at !== "unfit" && (
          <Button kind="primary" icon="refresh" onClick={onAgain}>
            {t("ui.retry")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** textOf returns the text for a state in which an answer is missing or not shown. */
export function textOf(progress: Progress): Key | undefined {
  switch (progress.at) {
    case "retrying":
      return progress.online ? "reveal.retrying" : "reveal.paused";
    case "lost":
      return "reveal.lost";
    case "refused":
      return `reveal.${progress.fault}`;
    case "unfit":
      return "reveal.unfit";
    case "late":
      return "reveal.late";
    default:
      return undefined;
  }
}

/** Arriving shows how much of an answer has arrived, if that takes a while. */
export function Arriving({ received }: { received: Received | undefined }): ComponentChildren {
  if (!received || received.done === 0) {
    return null;
  }
  const done = size(received.done);
  return (
    <p class="hint">
      {received.total > 0
        ? t("reveal.received.of", { done, total: size(received.total) })
        : t("reveal.received", { done })}
    </p>
  );
}

/** Left counts down to a time. */
function Left({ until }: { until: number }): ComponentChildren {
  const [text, setText] = useState(left(until));
  useEffect(() => {
    const timer = setInterval(() => setText(left(until)), 250);
    return () => clearInterval(timer);
  }, [until]);
  return <span role="timer">{text}</span>;
}

/** left returns how long it is until a time of the world, as in 1:43. */
function left(until: number): string {
  const seconds = Math.max(0, Math.floor((until - world.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
