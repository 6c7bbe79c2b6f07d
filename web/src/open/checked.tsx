import type { ComponentChild } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { Checking, Unchecked } from "./checking";
import { Gone } from "./gone";
import { type Details, lookUp } from "./lookup";

type View = { at: "checking" } | { at: "failed"; thrown: unknown } | { at: "gone" } | { at: "found"; secret: Details };

interface CheckedProps {
  secretKey: string;
  /** Shows a secret that waits. */
  show: (secret: Details) => ComponentChild;
}

/** Checked looks up what a key leads to. That consumes nothing. */
export function Checked({ secretKey, show }: CheckedProps) {
  const [view, setView] = useState<View>({ at: "checking" });
  const check = async () => {
    setView({ at: "checking" });
    try {
      const secret = await lookUp(secretKey);
      setView(secret ? { at: "found", secret } : { at: "gone" });
    } catch (thrown) {
      setView({ at: "failed", thrown });
    }
  };
  useLayoutEffect(() => void check(), []);

  switch (view.at) {
    case "checking":
      return <Checking />;
    case "failed":
      return <Unchecked thrown={view.thrown} retry={() => void check()} />;
    case "gone":
      return <Gone />;
    case "found":
      return <>{show(view.secret)}</>;
  }
}
