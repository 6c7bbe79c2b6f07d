import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "../i18n/open";
import { endToEndIn, keyIn } from "../link";
import { AskLink } from "../open/asklink";
import { Checking } from "../open/checking";
import { FromServer } from "../open/fromserver";
import { Opened } from "../open/opened";
import { navigate, type PageProps, place } from "../router";

/**
 * Open is the page behind a link to a secret that the server encrypted. It consumes
 * nothing before a person presses Reveal: until then it only asks for the secret's
 * details.
 */
export default function Open({ params }: PageProps) {
  // What is opened meanwhile stays on the page, which then forgets its link.
  const [{ hash, opened }] = useState(() => place.peek());
  const text = params.key ?? hash;
  const endToEnd = endToEndIn(text);
  const key = keyIn(text);
  useLayoutEffect(() => {
    if (endToEnd) {
      navigate(`/e#${endToEnd}`, { replace: true });
    }
  }, [endToEnd]);

  if (opened) {
    return <Opened at={opened} />;
  }
  if (endToEnd) {
    return <Checking />;
  }
  return key ? (
    <FromServer key={key} secretKey={key} />
  ) : (
    <AskLink title={t("open.bad.title")} lead={t("open.bad.text")} />
  );
}
