import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Account } from "../gen/hush/v1/account_pb";
import { asRefusal } from "../refusal";
import { navigate, place } from "../router";
import { account, loadAccount, setAccount } from "../session";
import { Loading } from "../ui";
import { signInFor } from "./returning";

interface GateProps {
  /** Draws the page of whoever is signed in. */
  children: (who: Account) => ComponentChildren;
}

/** Gate sends strangers to the sign-in page, which leads back here. */
export function Gate({ children }: GateProps) {
  const who = account.value;
  useEffect(() => {
    if (who === null) {
      navigate(signInFor(place.peek().path), { replace: true });
    }
  }, [who]);
  useEffect(() => {
    // A page that the browser kept may show an account that signed out since.
    const back = (event: PageTransitionEvent) => {
      if (event.persisted) {
        setAccount(null);
        void loadAccount();
      }
    };
    addEventListener("pageshow", back);
    return () => removeEventListener("pageshow", back);
  }, []);
  return who ? children(who) : <Loading />;
}

/** noticeEnd forgets the account if a call was refused because its session ended. */
export function noticeEnd(thrown: unknown): void {
  if (asRefusal(thrown).code === "unauthenticated") {
    setAccount(null);
  }
}
