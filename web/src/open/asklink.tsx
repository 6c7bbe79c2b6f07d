import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../i18n";
import { placeOf } from "../link";
import { navigate } from "../router";
import { Button, Card, Field, Form, Page, TextInput } from "../ui";

interface AskLinkProps {
  title: string;
  lead: string;
  children?: ComponentChildren;
}

/** AskLink asks for a link in a field, when the address has none that opens. Nothing of it is sent. */
export function AskLink({ title, lead, children }: AskLinkProps) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(false);
  const open = () => {
    const to = placeOf(text);
    setWrong(!to);
    if (to) {
      navigate(to);
    }
  };
  return (
    <Page title={title} lead={lead} width="narrow">
      {children}
      <Card>
        <Form onSend={open}>
          <Field label={t("open.paste")} error={wrong ? t("open.bad.title") : undefined}>
            <TextInput class="mono" autocomplete="off" spellcheck={false} value={text} onValue={setText} />
          </Field>
          <Button type="submit" kind="primary">
            {t("open.paste.submit")}
          </Button>
        </Form>
      </Card>
    </Page>
  );
}
