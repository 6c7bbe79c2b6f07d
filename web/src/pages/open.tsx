import { useEffect, useState } from "preact/hooks";
import type { Secret } from "../gen/hush/v1/secret_pb";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { endToEndIn, keyIn } from "../link";
import { AskLink } from "../open/asklink";
import { Checking, Unchecked } from "../open/checking";
import { Gone } from "../open/gone";
import { asRefusal } from "../refusal";
import { navigate, type PageProps, place } from "../router";
import { secrets } from "../rpc";

const load = () => import("../open/fromserver");
const FromServer = lazy(load, Checking);

/** View is the state of the page. */
type View = { at: "checking" } | { at: "failed"; thrown: unknown } | { at: "gone" } | { at: "found"; secret: Secret };

/**
 * Open is the page behind a link to a secret that the server encrypted. It consumes
 * nothing before a person presses Reveal: until then it only asks for the secret's
 * details.
 */
export function Open({ params }: PageProps) {
  const text = params.key ?? place.value.hash;
  const endToEnd = endToEndIn(text);
  const key = keyIn(text);
  const [view, setView] = useState<View>({ at: "checking" });

  const check = async () => {
    setView({ at: "checking" });
    load().catch(() => undefined); // It is needed next; the page says so if it does not load.
    try {
      const { secret } = await secrets.getSecret({ secretKey: key });
      setView(secret ? { at: "found", secret } : { at: "gone" });
    } catch (thrown) {
      setView(asRefusal(thrown).code === "not_found" ? { at: "gone" } : { at: "failed", thrown });
    }
  };
  useEffect(() => {
    if (endToEnd) {
      navigate(`/e#${endToEnd}`, { replace: true });
    } else if (key) {
      void check();
    }
  }, [key]);

  if (!endToEnd && !key) {
    return <AskLink title={t("open.bad.title")} lead={t("open.bad.text")} />;
  }
  switch (view.at) {
    case "checking":
      return <Checking />;
    case "failed":
      return <Unchecked thrown={view.thrown} retry={() => void check()} />;
    case "gone":
      return <Gone />;
    case "found":
      return <FromServer secretKey={key} secret={view.secret} />;
  }
}
