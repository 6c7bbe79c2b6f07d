import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Account } from "../gen/hush/v1/account_pb";
import { navigate, place } from "../router";
import { account, loadAccount, setAccount } from "../session";
import { Beginning } from "../start";
import { signInFor } from "./returnpath";

interface RequireAccountProps {
  /** Draws the page for the account that is signed in. */
  children: (who: Account) => ComponentChildren;
}

/** RequireAccount sends visitors without an account to the sign-in page, which leads back here. */
export function RequireAccount({ children }: RequireAccountProps) {
  const who = account.value;
  useEffect(() => {
    if (who === null) {
      navigate(signInFor(place.peek().path), { replace: true });
    }
  }, [who]);
  useEffect(() => {
    // A page from the browser's cache may show an account that has signed out since.
    const back = (event: PageTransitionEvent) => {
      if (event.persisted) {
        setAccount(null);
        void loadAccount();
      }
    };
    addEventListener("pageshow", back);
    return () => removeEventListener("pageshow", back);
  }, []);
  return who ? children(who) : <Beginning />;
}
