/*
 * The uploads of this page. They go on while another page of the UI is shown, and end
 * with the document: so the browser asks before it is closed or loaded again.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { hold } from "../router";
import type { Progress } from "./meter";
import type { Pause } from "./persist";

/** Failure is why an upload stopped for good. */
export type Failure =
  /** The file on the device has changed, or cannot be read. */
  | { why: "source" }
  /** The service does not have the upload any more. */
  | { why: "gone" }
  /** A proxy takes no parts. */
  | { why: "proxy" }
  /** The device could not encrypt. */
  | { why: "device" }
  /** The service refused for another reason, which problem.ts has the text for. */
  | { why: "refused"; thrown: unknown };

/** State is what an upload shows. */
export type State =
  | { at: "sending"; progress: Progress; pause?: Pause | undefined }
  | { at: "arrived" }
  | { at: "canceled" }
  | { at: "failed"; failure: Failure };

/** Upload is a file on its way to the service. */
export interface Upload {
  /** The name of the file. */
  name: string;
  state: ReadonlySignal<State>;
  /** cancel ends it, and the link with it. */
  cancel: () => void;
}

const uploads = signal<ReadonlyMap<string, Upload>>(new Map());

/** uploadOf returns the upload of a receipt that this page began, whether or not it is over. */
export function uploadOf(metadataKey: string): Upload | undefined {
  return uploads.value.get(metadataKey);
}

/**
 * track lets pages find an upload by the key of its receipt. Until it is over, the browser
 * asks before the document is left, keeps the page awake where it can, and calls onLeft if
 * it is left.
 */
export function track(metadataKey: string, upload: Upload, onLeft: () => void): void {
  uploads.value = new Map([...uploads.peek(), [metadataKey, upload]]);
  const releases = [hold(), onPageHide(onLeft), stayAwake()];
  const stop = upload.state.subscribe(({ at }) => {
    if (at !== "sending") {
      for (const release of releases) {
        release();
      }
      queueMicrotask(() => stop());
    }
  });
}

/** onPageHide calls fn when the document is left for good. A browser may bring back one that it keeps. */
function onPageHide(fn: () => void): () => void {
  const hidden = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) {
      fn();
    }
  };
  addEventListener("pagehide", hidden);
  return () => removeEventListener("pagehide", hidden);
}

/** stayAwake keeps browsers from stopping a hidden page: they let those go on that hold a lock. */
function stayAwake(): () => void {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  void navigator.locks?.request("hush.upload", { mode: "shared" }, () => held).catch(() => undefined);
  return release;
}
