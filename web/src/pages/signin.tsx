import { useEffect } from "preact/hooks";
import { returnPath } from "../account/returnpath";
import { SignInHere } from "../account/signinform";
import { SignUp } from "../gen/hush/v1/system_service_pb";
import { rich, t } from "../i18n/signin";
import { navigate, place } from "../router";
import { account, policy } from "../session";
import { Loading, Page } from "../ui";

/** SignIn is the sign-in page. It leads back to the page that sent the visitor here. */
export default function SignIn() {
  const asked = place.value.query.get("next");
  const next = returnPath(asked);
  const who = account.value;
  useEffect(() => {
    if (who) {
      navigate(next, { replace: true });
    }
  }, [who, next]);
  if (who !== null) {
    return <Loading />;
  }
  return (
    <Page short title={t("signin.title")} lead={next === "/" ? undefined : t("signin.back")}>
      <SignInHere />
      {policy.value?.signIn !== false && policy.value?.signUp !== SignUp.CLOSED && (
        <p class="muted">{rich("signin.new", { link: <a href="/signup">{t("signin.new.link")}</a> })}</p>
      )}
    </Page>
  );
}
