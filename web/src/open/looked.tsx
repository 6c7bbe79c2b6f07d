import type { ComponentChild } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { Checking, Unchecked } from "./checking";

type View<Found> = { at: "checking" } | { at: "failed"; thrown: unknown } | { at: "found"; found: Found };

interface LookedProps<Found> {
  /** Asks for what a link leads to. That consumes nothing. */
  look: () => Promise<Found>;
  /** Shows what was found; again looks anew. */
  show: (found: Found, again: () => void) => ComponentChild;
}

/** Looked looks up what a link leads to, says meanwhile that it does, and why it could not. */
export function Looked<Found>({ look, show }: LookedProps<Found>) {
  const [view, setView] = useState<View<Found>>({ at: "checking" });
  const again = async () => {
    setView({ at: "checking" });
    try {
      setView({ at: "found", found: await look() });
    } catch (thrown) {
      setView({ at: "failed", thrown });
    }
  };
  useLayoutEffect(() => void again(), []);

  switch (view.at) {
    case "checking":
      return <Checking />;
    case "failed":
      return <Unchecked thrown={view.thrown} retry={() => void again()} />;
    case "found":
      return <>{show(view.found, () => void again())}</>;
  }
}
