/* The moment a secret is opened, for a sender who waits for it, perhaps in another tab. */
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n/receipts";
import { Button } from "../ui";
import { badgeIcon } from "./badge";
import type { Phase } from "./phase";

/** useMoment reports whether the secret was opened while the page was shown. It calls onOpened then. */
export function useMoment(phase: Phase | undefined, onOpened: () => void): boolean {
  const [opened, setOpened] = useState(false);
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === "waiting" && phase === "received") {
      setOpened(true);
      onOpened();
    }
    before.current = phase;
  }, [phase]);
  return opened;
}

/** useBadge puts a check on the page's icon while on is true. */
export function useBadge(on: boolean): void {
  useEffect(() => (on ? badgeIcon() : undefined), [on]);
}

/** permission returns what the visitor decided about notifications, and denied where there are none. */
function permission(): NotificationPermission {
  // Chromium on Android shows none from a page, and says so only when one is made.
  return "Notification" in globalThis && !/Android/.test(navigator.userAgent) ? Notification.permission : "denied";
}

/** notify shows a notification if the visitor allows them and does not look at the page. Where the browser makes none, nothing happens. */
export function notify(text: string): void {
  if (permission() !== "granted" || !document.hidden) {
    return;
  }
  try {
    new Notification(text);
  } catch {
    // Chromium on Android makes none from a page, also where it says that it is on a desktop.
  }
}

/** useNotify has whether the visitor wants a notification, and the button for it where there are any. The browser is asked when it is pressed. */
export function useNotify() {
  const [wanted, setWanted] = useState(permission() === "granted");
  const [possible, setPossible] = useState(permission() !== "denied");
  const toggle = async () => {
    const allowed = wanted || (await Notification.requestPermission()) === "granted";
    setPossible(permission() !== "denied");
    setWanted(allowed && !wanted);
  };
  const button = possible && (
    <Button icon={wanted ? "check" : "bell"} aria-pressed={wanted} onClick={() => void toggle()}>
      {t("receipt.notify")}
    </Button>
  );
  return { wanted, button };
}
