import { useLayoutEffect } from "preact/hooks";
import { t } from "../i18n";
import { lazy, MissingPage } from "../lazy";
import { endToEndIn, keyIn } from "../link";
import { AskLink } from "../open/asklink";
import { Checking } from "../open/checking";
import { navigate, type PageProps, place } from "../router";

const FromServer = lazy(() => import("../open/fromserver"), Checking, MissingPage);

/**
 * Open is the page behind a link to a secret that the server encrypted. It consumes
 * nothing before a person presses Reveal: until then it only asks for the secret's
 * details.
 */
export function Open({ params }: PageProps) {
  const text = params.key ?? place.value.hash;
  const endToEnd = endToEndIn(text);
  const key = keyIn(text);
  useLayoutEffect(() => {
    if (endToEnd) {
      navigate(`/e#${endToEnd}`, { replace: true });
    }
  }, [endToEnd]);

  if (endToEnd) {
    return <Checking />;
  }
  return key ? (
    <FromServer key={key} secretKey={key} />
  ) : (
    <AskLink title={t("open.bad.title")} lead={t("open.bad.text")} />
  );
}
