import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { needed } from "../call";
import { percent } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/answer";
import { problemText } from "../problem";
import { asRefusal, Refusal } from "../refusal";
import { askBeforeLeaving, navigate } from "../router";
import type { ChosenFile } from "../share/draft";
import { FilesError } from "../share/files";
import { CanceledError } from "../share/upload";
import { type Doing, deliver, isSettled, mayHaveArrived, type To } from "./delivery";
import { type Call, store } from "./sealing";

/** What the receipt's page needs: it must not be missing once the answer is sent. */
const receipt = () => Promise.all([import("../pages/receipt"), import("../receipts/history")]);

/** Sending is the state of an answer on its way. */
export interface Sending {
  doing: Doing | undefined;
  /** What the button says meanwhile. */
  busy: string;
  /** Why the last press failed. */
  problem: string;
  /** Whether an answer that was sent may have arrived without the page knowing it. */
  unknown: boolean;
  /** send delivers the call that make returns, of a file or a text, and goes to its receipt. It reports whether the call is settled: sent again, it would fail again. */
  send: (make: (signal: AbortSignal) => Promise<Call>, file?: ChosenFile) => Promise<boolean>;
  /** clear removes the problem: it was about another answer. */
  clear: () => void;
}

/** useSending delivers answers to a request, and keeps the last call under a name. It asks before the page is left while unsent says so. */
export function useSending(to: To, name: string, unsent: boolean, before = false): Sending {
  const [doing, setDoing] = useState<Doing>();
  const [part, setPart] = useState(0);
  const [problem, setProblem] = useState("");
  const [unknown, setUnknown] = useState(before);
  const running = useRef(false);
  const gone = useRef(new AbortController());
  const stopAsking = useRef(() => {});
  useEffect(() => () => gone.current.abort(), []);
  const asks = unsent || unknown;
  useLayoutEffect(() => {
    stopAsking.current = asks ? askBeforeLeaving(() => t("answer.leave")) : () => {};
    return stopAsking.current;
  }, [asks]);

  const arrived = (metadata: Metadata) => {
    store(name, undefined);
    if (!gone.current.signal.aborted) {
      stopAsking.current();
      navigate(`/r#${metadata.metadataKey}`, { replace: true });
    }
  };
  const failed = (thrown: unknown): boolean => {
    const settled = isSettled(thrown);
    const maybe = !settled && (unknown || mayHaveArrived(thrown));
    setUnknown(maybe);
    setProblem(problemOf(thrown, maybe));
    if (!maybe) {
      store(name, undefined);
    }
    return settled;
  };
  const send: Sending["send"] = async (make, file) => {
    if (running.current) {
      return false;
    }
    running.current = true;
    setProblem("");
    setPart(0);
    setDoing("sealing");
    const { signal } = gone.current;
    try {
      const [, { remember }] = await needed(receipt);
      const call = await make(signal);
      const facts = file && { name: file.name, size: (await file.body()).length };
      store(name, call);
      const metadata = await deliver(to, call, { signal, onDoing: setDoing, onSent: setPart });
      remember(metadata, facts); // if this device keeps a history: an answer is in no account's list
      arrived(metadata);
      return true;
    } catch (thrown) {
      return failed(thrown);
    } finally {
      running.current = false;
      setDoing(undefined);
    }
  };
  return { doing, busy: doing ? busyText(doing, part) : "", problem, unknown, send, clear: () => setProblem("") };
}

function busyText(doing: Doing, part: number): string {
  if (doing === "repeating") {
    return t("answer.repeating");
  }
  if (doing !== "sending") {
    return t(`share.busy.${doing}`);
  }
  return part > 0 && part < 1 ? t("share.busy.sent", { percent: percent(part) }) : t("answer.busy");
}

/** problemOf says why an answer was not sent, or that this is not known. */
function problemOf(thrown: unknown, maybe: boolean): string {
  if (thrown instanceof CanceledError) {
    return "";
  }
  if (thrown instanceof FilesError) {
    return thrown.message;
  }
  const { code, reason } = asRefusal(thrown);
  if (maybe) {
    const known = reason === "unspecified" ? "" : problemText(thrown);
    return [known, t("answer.lost")].filter(Boolean).join(" ");
  }
  if (reason === "request_ended" || code === "not_found") {
    return t("answer.ended.sending");
  }
  return problemText(reason === "duplicate" ? new Refusal("", { code: "unavailable" }) : thrown);
}
