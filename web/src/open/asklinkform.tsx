import { useState } from "preact/hooks";
import { t } from "../i18n/ask";
import { t as opening } from "../i18n/open";
import { navigate } from "../router";
import { policy } from "../session";
import { Button, Field, Form, TextInput } from "../ui";
import { hostIn, hostOf, isTooLong } from "./pasted";
import { placeOf, type Whole } from "./placeof";

/** AskLinkForm is the field for a link, and goes to the page that opens it: the given one for a bare fragment. */
export default function AskLinkForm({ page }: { page?: Whole | undefined }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const open = () => {
    const to = placeOf(text, page);
    const wrong = problemOf(text, to);
    setProblem(wrong);
    if (!wrong) {
      navigate(to);
    }
  };
  return (
    <Form onSend={open}>
      <Field label={t("ask.link")} error={problem}>
        <TextInput class="mono" dir="ltr" autocomplete="off" spellcheck={false} value={text} onValue={setText} />
      </Field>
      <Button type="submit" kind="primary">
        {t("ask.submit")}
      </Button>
    </Form>
  );
}

/** problemOf says why a text is not opened, if the page that opens it is the one given. */
function problemOf(text: string, to: string): string | undefined {
  if (text.trim() === "") {
    return t("ask.none");
  }
  if (!to) {
    return isTooLong(text) ? opening("open.bad.long") : opening("open.bad.title");
  }
  const host = hostIn(text);
  return host && !isOwn(host) ? t("ask.elsewhere", { host }) : undefined;
}

/** isOwn reports whether a host is this page's or the service's own. The page knows no other hosts of the service. */
function isOwn(host: string): boolean {
  return host === location.hostname || host === hostOf(policy.value?.baseUrl ?? "");
}
