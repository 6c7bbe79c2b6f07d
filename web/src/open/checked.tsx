import type { ComponentChild } from "preact";
import { Gone } from "./gone";
import { Looked } from "./looked";
import { type Details, lookUp } from "./lookup";

interface CheckedProps {
  secretKey: string;
  /** Shows a secret that waits. */
  show: (secret: Details) => ComponentChild;
}

/** Checked looks up what a key leads to. */
export function Checked({ secretKey, show }: CheckedProps) {
  return <Looked look={() => lookUp(secretKey)} show={(secret) => (secret ? show(secret) : <Gone />)} />;
}
